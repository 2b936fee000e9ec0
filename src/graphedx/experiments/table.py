"""Experiments: tables as data. A cell says of which jobs its number is made, and where the paper has the same one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Literal, NamedTuple

from graphedx.errors import ExperimentError
from graphedx.experiments.job import Job
from graphedx.experiments.paper import Number, reported
from graphedx.experiments.store import Row, Rows

_LATER_SEED = 0.5  # what the jobs of the second seed are worth beside those of the first, and so on


class Reported(NamedTuple):
    """Where the paper has the number; see ``paper.reported``."""

    table: str
    method: str
    costs: str
    dataset: str
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of a table or point of a figure: where it stands, and what it is made of.

    ``seeds`` has a group of jobs a seed. The jobs of a group are alternatives, such as weights of a term that the paper
    tunes: the one with the least validation error counts. The number is the mean over the groups.
    """

    row: str
    column: str
    seeds: tuple[tuple[Job, ...], ...]
    metric: str = "mse"  # which number of the jobs' outcomes
    unit: float = 1.0  # in which it is shown
    panel: str = ""  # which of several tables, side by side: costs, say
    paper: Reported | None = None
    value: float = 1.0  # how much the number is wanted, beside the others of all experiments

    def __post_init__(self) -> None:
        if not self.seeds or not all(self.seeds):
            raise ExperimentError(f"the cell {self.row} / {self.column} has no jobs")

    @property
    def jobs(self) -> Iterator[tuple[Job, float]]:
        """Its jobs, and what each is worth: later seeds less."""
        for number, group in enumerate(self.seeds):
            for job in group:
                yield job, self.value * _LATER_SEED**number

    def reported(self) -> Number | None:
        """What the paper says."""
        return None if self.paper is None else reported(*self.paper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One table or figure; rows, columns and panels come in the order of the cells."""

    name: str
    title: str
    about: str  # what the paper says with it, in a sentence
    cells: tuple[Cell, ...] = field(repr=False)
    better: Literal["lower", "higher", "none"] = "lower"  # which numbers are the good ones

    def __post_init__(self) -> None:
        places = [(cell.panel, cell.row, cell.column) for cell in self.cells]
        if not places or len(set(places)) < len(places):
            raise ExperimentError(f"{self.name}: there are no cells, or two at the same place")

    @property
    def jobs(self) -> dict[Job, float]:
        """All its jobs, each once, and what each is worth."""
        found: dict[Job, float] = {}
        for cell in self.cells:
            for job, value in cell.jobs:
                found[job] = found.get(job, 0.0) + value
        return found


class Measured(NamedTuple):
    """What is known of a cell: the mean over ``seeds`` groups of ``of``, and their standard deviation."""

    value: float | None  # None: not run, or failed
    spread: float | None  # None for one seed
    stderr: float | None  # of the error over the pairs, for the seed that validation likes best
    seeds: int
    of: int
    cut_off: int | None  # the fewest epochs of those trainings that were cut off
    partial: bool  # some alternatives of a group are missing: another one might have been chosen
    failures: tuple[str, ...]
    codes: frozenset[str]  # what computed it: more than one is a mixture

    @property
    def error(self) -> float | None:
        """The standard error of the value: over seeds where there are several, else over test pairs."""
        return self.stderr if self.spread is None else self.spread / math.sqrt(self.seeds)

    @property
    def state(self) -> Literal["done", "partly", "failed", "not run"]:
        if self.value is None:
            return "failed" if self.failures else "not run"
        return "partly" if self.partial or self.seeds < self.of else "done"


def measured(cell: Cell, rows: Rows) -> Measured:
    """The number of a cell, as far as its jobs are done."""
    chosen, left, cuts = [], [], []
    partial = False
    for group in cell.seeds:
        found = [(row, rows.cut_off(job)) for job in group if (row := rows.get(job)) is not None]
        left += [row for row, _ in found]
        usable = [one for one in found if one[0].number(cell.metric) is not None]
        if usable:
            row, cut_off = min(usable, key=lambda one: _validation(one[0]))
            chosen.append(row)
            cuts += [] if cut_off is None else [cut_off]
            partial = partial or len(found) < len(group)
    numbers = [number / cell.unit for row in chosen if (number := row.number(cell.metric)) is not None]
    error = min(chosen, key=_validation).number(f"{cell.metric}_stderr") if chosen else None
    return Measured(
        value=fmean(numbers) if numbers else None,
        spread=stdev(numbers) if len(numbers) > 1 else None,
        stderr=error / cell.unit if error is not None else None,
        seeds=len(numbers),
        of=len(cell.seeds),
        cut_off=min(cuts, default=None),
        partial=partial,
        failures=tuple(row.error for row in left if row.error is not None),
        codes=frozenset(code for row in chosen for code in row.codes),
    )


def _validation(row: Row) -> float:
    found = row.number("validation")
    return math.inf if found is None else found
