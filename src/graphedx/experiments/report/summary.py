"""The head of a report: how much of each experiment is there, and by what, where and when it was computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphedx.drawing.text import counted
from graphedx.experiments.job import Job
from graphedx.experiments.protocols import PUBLISHED, get
from graphedx.experiments.report.grid import Grid
from graphedx.experiments.report.words import staleness
from graphedx.experiments.selection import training_of
from graphedx.experiments.status import Tally
from graphedx.experiments.store import Row, Rows
from graphedx.experiments.table import Experiment

_MOST_NAMED = 6


class Part(NamedTuple):
    """An experiment as a report has it."""

    experiment: Experiment
    grids: Sequence[Grid]
    rows: Sequence[Row]  # that its jobs have left, stale ones too

    @property
    def id(self) -> str:
        """Its name on a page, with the protocol unless that is the published one."""
        protocol = self.experiment.protocol
        return self.experiment.name + ("" if protocol == PUBLISHED else f"-{protocol}")

    @property
    def title(self) -> str:
        """The title of its table, with the protocol if the table is there under several."""
        several = len(self.experiment.protocols) > 1
        return self.experiment.title + (f": {get(self.experiment.protocol).title}" if several else "")

    @property
    def tally(self) -> Tally:
        """How many of its cells are final, cut short and not run."""
        return Tally.of(entry.found for grid in self.grids for entry in grid.entries.values())

    @property
    def is_begun(self) -> bool:
        """Whether a training of its protocol has left a row; where it needs none, whether there is any row."""
        jobs = [row.asked() for row in self.rows]
        needs_training = any(cell.is_trained for cell in self.experiment.cells)
        return bool(jobs) and (not needs_training or any(training_of(job) is not None for job in jobs))

    @property
    def substitutes(self) -> list[str]:
        """Datasets of other graphs than the paper's that it shows."""
        found = {name for grid in self.grids for entry in grid.entries.values() for name in entry.substitutes}
        return sorted(found)

    @property
    def warning(self) -> str:
        return staleness(self.rows)


def rows_of(experiment: Experiment, rows: Rows) -> list[Row]:
    """What the jobs of an experiment have left, stale rows too; none of other weights than their training has left."""
    return [row for job in experiment.jobs if (row := rows.get(job) or _stale(job, rows)) is not None]


def _stale(job: Job, rows: Rows) -> Row | None:
    return rows.latest(job) if rows.is_stale(job) else None


def facts(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """What a reader has to know of all numbers."""
    rows = list({row.key: row for part in parts for row in part.rows}.values())
    dates = sorted({row.date for row in rows})
    failed, stale = sum(row.failed for row in rows), sum(row.is_stale for row in rows)
    found = [
        *_cells(parts),
        ("jobs", f"{len(rows):,} with a row" + (f", {failed:,} of them failed" if failed else "")),
        ("stale", f"{counted(stale, 'row')} of an older results version, not counted" if stale else ""),
        ("computing", _computing(rows)),
        ("dates", " to ".join(dict.fromkeys([dates[0], dates[-1]])) if dates else ""),
        ("machine", _tally(row.machine for row in rows)),
        ("commit", _tally(row.commit or "unknown" for row in rows)),
    ]
    return [(name, words) for name, words in found if words]


def _cells(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Totals by protocol; only final cells count as done."""
    for protocol in dict.fromkeys(part.experiment.protocol for part in parts):
        tallies = [part.tally for part in parts if part.experiment.protocol == protocol]
        final, short, missing = (sum(tally[k] for tally in tallies) for k in range(3))
        total = final + short + missing
        yield f"cells, {get(protocol).title}", f"{final:,} of {total:,} final, {short:,} cut short, {missing:,} not run"
        of_paper = _of_trained_models([part for part in parts if part.experiment.protocol == protocol])
        if of_paper.total:
            counts = f"{of_paper.final:,} of {of_paper.total:,} final, {of_paper.cut_short:,} cut short"
            yield f"the paper's numbers of trained models, {get(protocol).title}", counts


def _of_trained_models(parts: Sequence[Part]) -> Tally:
    """Count each number that the paper has for a trained model once."""
    entries = (entry for part in parts for grid in part.grids for entry in grid.entries.values())
    found = {entry.cell.paper: entry.found for entry in entries if entry.cell.paper and entry.cell.is_trained}
    return Tally.of(found.values())


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
