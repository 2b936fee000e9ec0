"""How much of the paper's tables is there: cells that are final, cut short or not run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from graphedx.experiments.paper import numbers
from graphedx.experiments.selection import dataset_of
from graphedx.experiments.store import Rows
from graphedx.experiments.table import Cell, Experiment, Measured, Reported, measured

STATISTICS = "datasets"
"""The table of the paper that no model was trained for."""


class Tally(NamedTuple):
    """Numbers of cells; ``stale`` and ``failed`` are parts of ``not_run``."""

    final: int = 0
    cut_short: int = 0
    not_run: int = 0
    stale: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        return self.final + self.cut_short + self.not_run

    @classmethod
    def of(cls, cells: Iterable[Measured]) -> Tally:
        """Count cells by their status."""
        counts: Counter[str] = Counter()
        for found in cells:
            counts[found.status] += 1
            if found.status == "not run":
                counts["stale"] += found.stale > 0
                counts["failed"] += bool(found.failures) and not found.stale
        return cls(counts["final"], counts["cut short"], counts["not run"], counts["stale"], counts["failed"])

    def to_json(self) -> dict[str, int]:
        return self._asdict() | {"total": self.total}


class Status(NamedTuple):
    """The state of all tables under one protocol.

    ``paper`` counts each number that the paper reports for a trained model once, even if several tables show it.
    """

    protocol: str
    tables: Mapping[str, Tally]
    datasets: Mapping[str, Tally]
    paper: Tally

    def to_json(self) -> dict[str, Any]:
        return {
            "protocol": self.protocol,
            "tables": {name: tally.to_json() for name, tally in self.tables.items()},
            "datasets": {name: tally.to_json() for name, tally in self.datasets.items()},
            "paper": self.paper.to_json() | {"reported": reported_count()},
        }


def reported_count() -> int:
    """Return how many numbers the paper reports for trained models, in all its tables."""
    return sum(table != STATISTICS for table, *_ in numbers())


def status(experiments: Iterable[Experiment], rows: Rows, protocol: str) -> Status:
    """Count the cells of the tables that are declared for a protocol."""
    tables: dict[str, list[Measured]] = {}
    datasets: dict[str, list[Measured]] = {}
    of_paper: dict[Reported, Measured] = {}
    for experiment in (table.under(protocol) for table in experiments if protocol in table.protocols):
        for cell in experiment.cells:
            found = measured(cell, rows)
            tables.setdefault(experiment.name, []).append(found)
            datasets.setdefault(_dataset(cell), []).append(found)
            if cell.paper is not None and cell.is_trained:
                of_paper.setdefault(cell.paper, found)
    return Status(
        protocol,
        {name: Tally.of(cells) for name, cells in tables.items()},
        {name: Tally.of(cells) for name, cells in datasets.items()},
        Tally.of(of_paper.values()),
    )


def _dataset(cell: Cell) -> str:
    return dataset_of(cell.seeds[0][0])
