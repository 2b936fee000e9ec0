"""Datasets: the paper's seven, embedded ones and a user's own, cleaned, split and labelled exactly.

>>> from graphedx import datasets, costs
>>> alkanes = datasets.prepare("alkanes", max_nodes=7)              # doctest: +SKIP
>>> datasets.label(alkanes.save("alkanes"), costs.UNIFORM)          # doctest: +SKIP
>>> datasets.load("alkanes").labels("test", costs.UNIFORM).distances   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from graphedx._files import AnyPath
from graphedx.datasets.catalog import CATALOG, Entry
from graphedx.datasets.dataset import SPLITS, Dataset
from graphedx.datasets.labels import LabelTable, label, labels, verify
from graphedx.datasets.prepare import from_graphs, prepare
from graphedx.datasets.stats import stats

__all__ = [
    "CATALOG",
    "SPLITS",
    "Dataset",
    "Entry",
    "LabelTable",
    "from_graphs",
    "label",
    "labels",
    "load",
    "prepare",
    "stats",
    "verify",
]


def load(folder: AnyPath) -> Dataset:
    """The dataset in a folder, as ``prepare`` or ``graphedx data prepare`` has left it there."""
    return Dataset.load(folder)


def __getattr__(name: str) -> Any:
    if name == "GraphPairDataset":  # the only part that needs PyTorch
        from graphedx.datasets.pyg import GraphPairDataset

        return GraphPairDataset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
