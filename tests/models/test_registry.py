"""Models are known by their names before anything of theirs is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from graphedx.errors import MissingExtraError, ModelError
from graphedx.models import base


def test_knowing_a_name_imports_nothing() -> None:
    code = "import sys; from graphedx.models import base; print(base.models(), 'torch_geometric' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{base.models()} False\n"


@pytest.mark.parametrize("name", base.IN_THE_BOX)
def test_every_model_is_in_the_module_of_its_name(name: str) -> None:
    kind = base.kind_of(name)
    assert (kind.name, kind.__module__) == (name, f"graphedx.models.{name}")


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> None:
        raise ModuleNotFoundError(module, name="torch_geometric.nn")

    monkeypatch.setattr(base, "import_module", missing)
    monkeypatch.setattr(base, "_MODELS", {})
    with pytest.raises(MissingExtraError, match="torch_geometric"):
        base.kind_of("graphedx")
    with pytest.raises(ModelError, match=r"there is no model 'gnn'; there are .*graphedx"):
        base.kind_of("gnn")
