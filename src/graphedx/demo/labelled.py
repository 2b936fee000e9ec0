"""The dataset of the tour: small functions of the standard library, exact labels under the paper's four costs."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import datasets
from graphedx.datasets import SPLITS, Dataset, files
from graphedx.datasets.labels import PAPER, Regime
from graphedx.engine import Report
from graphedx.errors import DatasetError

SOLVED_AGAIN = 100
"""Pairs of each split and search that are solved once more, from the other side."""


class Search(NamedTuple):
    """One search a pair, and the costs that it labels."""

    costs: tuple[str, ...]  # names in ``PAPER``
    pairs: int
    proven: int
    seconds: float


class Check(NamedTuple):
    """What was checked of the labels, without finding anything wrong."""

    certificates: int
    solved_again: int
    seconds: float


def prepared(folder: Path, graphs: int, *, progress: bool) -> Dataset:
    """The first so many structures of the standard library's functions, split as the paper does."""
    return datasets.prepare("pyast", out=folder, max_graphs=graphs, overwrite=True, progress=progress)


def pairs_of(dataset: Dataset) -> int:
    """In all splits together."""
    return sum(len(dataset.pairs(split)) for split in SPLITS)


def label_all(dataset: Dataset, progress: bool | Report) -> list[Search]:
    """Label every split under the paper's costs; those that share a search are labelled together."""
    together: dict[str, list[str]] = {}
    for name, costs in PAPER.items():
        together.setdefault(Regime.of(costs, dataset).key, []).append(name)
    searches = []
    for names in together.values():
        start = perf_counter()
        found = datasets.label(dataset, PAPER[names[0]], progress=progress)
        seconds = perf_counter() - start
        pairs, proven = (sum(getattr(one, what) for one in found) for what in ("pairs", "proven"))
        searches.append(Search(tuple(names), pairs, proven, seconds))
    return searches


def checked(dataset: Dataset, progress: bool | Report) -> Check:
    """Charge every mapping anew and solve some pairs again; whatever is wrong is a DatasetError."""
    start = perf_counter()
    found = datasets.verify(dataset, sample=SOLVED_AGAIN, progress=progress)
    problems = [problem for one in found for problem in one.problems]
    if problems:
        raise DatasetError(f"the labels are wrong, which should never happen: {problems[0]}")
    seconds = perf_counter() - start
    return Check(sum(one.pairs for one in found), sum(one.solved_again for one in found), seconds)


def distances(dataset: Dataset, costs: str) -> NDArray[np.float64]:
    """The proven distances of all splits under the costs of this name."""
    tables = [dataset.labels(split, PAPER[costs]) for split in SPLITS]
    return np.concatenate([table.upper[table.proven] for table in tables])


def keep_other_labels(old: Path, new: Path) -> None:
    """Take over what the labels of an earlier demo's dataset hold besides ours, if they are of the same graphs."""
    if files.stored_fingerprint(old) != files.stored_fingerprint(new) or not files.has_labels(old):
        return
    for entry in (old / files.LABELS).iterdir():
        target = new / files.LABELS / entry.name
        if target.exists():
            continue
        if entry.is_dir():
            shutil.copytree(entry, target, symlinks=True)
        else:
            shutil.copy2(entry, target)
