"""Yeast: the TU set, or molecules of the same screens as SDF or SMILES."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphedx.datasets.readers import molecules, tu
from graphedx.graph import Graph


def read(path: Path) -> Iterator[Graph]:
    """The graphs of a TU folder if there is one below, else those of ``molecules.read``."""
    return tu.read(path) if tu.is_tu(path) else molecules.read(path, prefix="yeast")
