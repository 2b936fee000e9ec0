"""Models are known by their names before anything of theirs is imported."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from graphedx.errors import MissingExtraError, ModelError
from graphedx.models import base
from models.installed import MODEL, find_in, install


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


def test_a_model_of_another_package_is_imported_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "sizes", "sizes_model", MODEL.format(name="sizes"))
    find_in(tmp_path, monkeypatch)
    assert "sizes" in base.installed_models()
    assert "sizes" not in base.models()
    assert "sizes_model" not in sys.modules
    assert base.kind_of("sizes").__module__ == "sizes_model"
    assert "sizes" in base.models()


def test_a_module_that_keeps_none_of_its_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "sizes", "sizes_model", MODEL.format(name="seizes"))
    install(tmp_path, "absent", "absent_model", "import a_library_that_is_not_there")
    find_in(tmp_path, monkeypatch)
    with pytest.raises(ModelError, match=r"sizes_model has no model 'sizes'; its class needs @register\('sizes'"):
        base.kind_of("sizes")
    with pytest.raises(ModelError, match=r"'absent' cannot be imported from absent_model: No module named 'a_lib"):
        base.kind_of("absent")
    with pytest.raises(ModelError, match=r"no model 'other'; there are absent, .*graphedx.*, sizes"):
        base.kind_of("other")


def test_of_two_packages_with_the_same_name_neither_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "sizes", "one", MODEL.format(name="sizes"))
    install(tmp_path, "sizes", "two", MODEL.format(name="sizes"))
    find_in(tmp_path, monkeypatch)
    with pytest.raises(ModelError, match=r"several packages bring a model 'sizes' \(one, two\)"):
        base.kind_of("sizes")
    assert not {"one", "two"} & sys.modules.keys()


def test_nobody_takes_the_name_of_a_model_of_this_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "bracket", "their_bracket", MODEL.format(name="bracket"))
    find_in(tmp_path, monkeypatch)
    assert "bracket" not in base.installed_models()
    assert base.kind_of("bracket").__module__ == "graphedx.models.bracket"
    with pytest.raises(ModelError, match="bracket is a model of graphedx itself; register Theirs by another name"):
        importlib.import_module("their_bracket")
