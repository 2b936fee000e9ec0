"""Packages that bring models, as pip leaves them: a module, and beside it what its metadata says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphedx.models import base

MODEL = '''
"""Sizes: how many nodes one graph has more than the other. Edges are not looked at."""

import torch

from graphedx.models.base import ModelConfig, PairModel, register


@register("{name}", ModelConfig)
class Theirs(PairModel):
    """|n - n'|, scaled."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.scale = torch.nn.Parameter(torch.ones(1))

    def encode(self, graphs, costs=None):
        return graphs.sizes.float()

    def compare(self, graphs, encoded, pairs, costs):
        return (encoded[pairs[:, 0]] - encoded[pairs[:, 1]]).abs() * self.scale
'''


def install(folder: Path, name: str, module: str, text: str) -> None:
    """Leave a package with one module in a folder, which says that the module registers a model of that name."""
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[{base.ENTRY_POINTS}]\n{name} = {module}\n", encoding="utf-8")


def find_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python find what is installed in a folder, until the test ends."""
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(base, "_MODELS", dict(base._MODELS))
    for path in folder.glob("*.py"):
        monkeypatch.setitem(sys.modules, path.stem, None)  # so that it is not there either when this is undone
        del sys.modules[path.stem]
