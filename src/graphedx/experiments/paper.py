"""The numbers that the paper reports (Jain et al., NeurIPS 2024), from the file beside this one."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

_FILE = Path(__file__).with_name("paper.csv")


class Number(NamedTuple):
    """A number of the paper, and its standard error where it has one."""

    value: float
    stderr: float | None


def reported(table: str, method: str, costs: str, dataset: str, metric: str) -> Number | None:
    """What a table of the paper says; None if it has no such cell.

    Datasets and costs have our names (``linux``, ``non-uniform``), methods the paper's, metrics those of outcomes.

    >>> reported("combinations", "XOR-DiffAlign / AlignDiff", "uniform", "linux", "mse").value
    0.416
    """
    return numbers().get((table, method, costs, dataset, metric))


def tables() -> tuple[str, ...]:
    """The names of all tables."""
    return tuple(dict.fromkeys(key[0] for key in numbers()))


def methods(table: str) -> tuple[str, ...]:
    """The methods of a table, in the order of its rows."""
    return tuple(dict.fromkeys(key[1] for key in numbers() if key[0] == table))


@cache
def numbers() -> Mapping[tuple[str, str, str, str, str], Number]:
    """All of them, by what ``reported`` is asked for."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        found = {
            (row["table"], row["method"], row["costs"], row["dataset"], row["metric"]): Number(
                float(row["value"]), float(row["stderr"]) if row["stderr"] else None
            )
            for row in csv.DictReader(file)
        }
    return MappingProxyType(found)
