"""The head of a report: how much of each experiment is there, and by what, where and when it was computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from graphedx.drawing.text import counted
from graphedx.experiments.report.grid import Grid
from graphedx.experiments.report.words import mixture
from graphedx.experiments.store import Row, Rows
from graphedx.experiments.table import Experiment

_MOST_NAMED = 6


class Part(NamedTuple):
    """An experiment as a report has it."""

    experiment: Experiment
    grids: Sequence[Grid]
    rows: Sequence[Row]  # that its jobs have left

    @property
    def states(self) -> Counter[str]:
        """How many of its cells are done, partly, failed, not run."""
        return Counter(entry.found.state for grid in self.grids for entry in grid.entries.values())

    @property
    def substitutes(self) -> list[str]:
        """Datasets of other graphs than the paper's that it shows."""
        found = {name for grid in self.grids for entry in grid.entries.values() for name in entry.substitutes}
        return sorted(found)

    @property
    def warning(self) -> str:
        return mixture(self.rows)


def rows_of(experiment: Experiment, rows: Rows) -> list[Row]:
    """What the jobs of an experiment have left."""
    return [row for job in experiment.jobs if (row := rows.get(job)) is not None]


def progress(parts: Iterable[Part]) -> list[tuple[Part, int, int]]:
    """Of each experiment: its cells that have all their numbers, and all its cells."""
    return [(part, part.states["done"], part.states.total()) for part in parts]


def facts(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """What a reader has to know of all numbers."""
    rows = list({row.key: row for part in parts for row in part.rows}.values())
    cells, done = sum(part.states.total() for part in parts), sum(part.states["done"] for part in parts)
    partly = sum(part.states["partly"] for part in parts)
    dates = sorted({row.date for row in rows})
    failed = sum(row.failed for row in rows)
    found = [
        ("cells", f"{done:,} of {cells:,} done" + (f", {partly:,} more partly" if partly else "")),
        ("jobs", f"{len(rows):,} done" + (f", {failed:,} of them failed" if failed else "")),
        ("computing", _computing(rows)),
        ("dates", " to ".join(dict.fromkeys([dates[0], dates[-1]])) if dates else ""),
        ("machine", _tally(row.machine for row in rows)),
        ("commit", _tally(row.commit or "unknown" for row in rows)),
        ("code", _tally(code for row in rows for code in row.codes)),
    ]
    return [(name, words) for name, words in found if words]


def _tally(values: Iterable[str]) -> str:
    counts = Counter(values).most_common()
    if len(counts) <= 1:
        return "".join(value for value, _ in counts)
    named = [f"{value} ({counted(count, 'job')})" for value, count in counts[:_MOST_NAMED]]
    return ", ".join(named) + (f" and {len(counts) - _MOST_NAMED} more" if len(counts) > _MOST_NAMED else "")


def _computing(rows: Sequence[Row]) -> str:
    """A training may have been done in parts; of one that was only tested again nothing is known."""
    epochs = [(row.number("epochs"), row.number("seconds_an_epoch")) for row in rows]
    untimed = sum(bool(count) and not seconds for count, seconds in epochs)
    taken = (max(row.seconds, (count or 0.0) * (s or 0.0)) for row, (count, s) in zip(rows, epochs, strict=True))
    return _hours(sum(taken)) + (f", and {counted(untimed, 'training')} of unknown time" if untimed else "")


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} hours" if seconds >= 3600 else f"{seconds / 60:,.1f} minutes"
