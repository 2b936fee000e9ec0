"""Experiments: tables as data. A cell says of which jobs its number is made, and where the paper has the same one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Literal, NamedTuple

from graphedx.errors import ExperimentError
from graphedx.experiments import protocols
from graphedx.experiments.job import Job, Train
from graphedx.experiments.paper import Number, reported
from graphedx.experiments.protocols import PUBLISHED
from graphedx.experiments.store import Row, Rows

Status = Literal["final", "cut short", "not run"]
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

    def under(self, protocol: str) -> Cell:
        """Return the cell with all its trainings under another protocol; alternatives that become equal are one."""
        groups = (tuple(dict.fromkeys(job.under(protocol) for job in group)) for group in self.seeds)
        return replace(self, seeds=tuple(groups))

    @property
    def is_trained(self) -> bool:
        """Whether the number is of a model that an experiment trains."""
        return any(isinstance(one, Train) for group in self.seeds for job in group for one in (job, *job.needs))

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
    protocol: str = PUBLISHED  # of all its trainings
    protocols: tuple[str, ...] = tuple(protocols.PROTOCOLS)  # under which it can be had

    def __post_init__(self) -> None:
        protocols.get(self.protocol)
        places = [(cell.panel, cell.row, cell.column) for cell in self.cells]
        if not places or len(set(places)) < len(places):
            raise ExperimentError(f"{self.name}: there are no cells, or two at the same place")

    def under(self, protocol: str) -> Experiment:
        """Return the same table with trainings of another protocol.

        Raises:
            ExperimentError: the table is not declared for this protocol.
        """
        if protocol not in self.protocols:
            raise ExperimentError(f"{self.name} has no {protocol} protocol; it has {', '.join(self.protocols)}")
        if protocol == self.protocol:
            return self
        return replace(self, protocol=protocol, cells=tuple(cell.under(protocol) for cell in self.cells))

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
    epochs: frozenset[int]  # of the trainings that were cut short, chosen or not
    partial: bool  # some alternatives of a group are missing: another one might have been chosen
    stale: int  # jobs whose row is of an older results version, and does not count
    final: bool  # every job has ended: by the rule of its protocol, or with a failure
    mixed: bool  # some of its trainings are final, and others were cut short
    failures: tuple[str, ...]

    @property
    def cut_short(self) -> int | None:
        """The fewest epochs of the trainings that were cut short."""
        return min(self.epochs, default=None)

    @property
    def is_whole(self) -> bool:
        """Whether every seed and every alternative has a row."""
        return self.value is not None and not self.partial and self.seeds == self.of

    @property
    def budget(self) -> Literal["final"] | int | None:
        """What may be ranked: final cells among each other, or cells cut short after the same number of epochs."""
        if self.status == "final":
            return "final"
        return next(iter(self.epochs)) if self.is_whole and len(self.epochs) == 1 and not self.mixed else None

    @property
    def status(self) -> Status:
        """Final, cut short (a number that more computing may change) or not run (no number)."""
        if self.value is None:
            return "not run"
        return "final" if self.final and self.is_whole else "cut short"

    @property
    def error(self) -> float | None:
        """The standard error of the value: over seeds where there are several, else over test pairs."""
        return self.stderr if self.spread is None else self.spread / math.sqrt(self.seeds)


def measured(cell: Cell, rows: Rows) -> Measured:
    """Return the number of a cell, as far as its jobs are done; stale rows do not count."""
    chosen: list[Row] = []
    partial = False
    for group in cell.seeds:
        found = [row for job in group if (row := rows.get(job)) is not None]
        usable = [row for row in found if row.number(cell.metric) is not None]
        if usable:
            chosen.append(min(usable, key=_validation))
            partial = partial or len(found) < len(group)
    numbers = [number / cell.unit for row in chosen if (number := row.number(cell.metric)) is not None]
    error = min(chosen, key=_validation).number(f"{cell.metric}_stderr") if chosen else None
    jobs = [job for group in cell.seeds for job in group]
    left = {job: row for job in jobs if (row := rows.get(job)) is not None}
    cuts = {job: cut for job in left if (cut := rows.cut_short(job)) is not None}
    return Measured(
        value=fmean(numbers) if numbers else None,
        spread=stdev(numbers) if len(numbers) > 1 else None,
        stderr=error / cell.unit if error is not None else None,
        seeds=len(numbers),
        of=len(cell.seeds),
        epochs=frozenset(cuts.values()),
        partial=partial,
        stale=sum(rows.is_stale(job) for job in jobs),
        final=all(row.failed or rows.is_final(job) for job, row in left.items()) and len(left) == len(jobs),
        mixed=bool(cuts) and len(cuts) < len(left),
        failures=tuple(row.error for row in left.values() if row.error is not None),
    )


def _validation(row: Row) -> float:
    found = row.number("validation")
    return math.inf if found is None else found
