"""Lists of experiments and their jobs for ``graphedx experiment list``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphedx.cli import jobs, render
from graphedx.experiments import Experiment, Rows, Selection
from graphedx.experiments.place import Place
from graphedx.experiments.schedule import Expected, Schedule


def show_counts(selection: Selection, tables: Sequence[Experiment], rows: Rows, as_json: bool) -> None:
    """Print how many of the selected jobs of each table are final, under each protocol."""
    selection.require_known(tables)
    expected = Expected(rows, Place(rows.folder))
    known = [(table, name) for name in selection.protocols for table in tables if name in table.protocols]
    found = [_counts(table, selection._replace(protocols=[name]), rows, expected) for table, name in known]
    if as_json:
        render.print_json({"folder": str(rows.folder), "experiments": found})
        return
    keys = ("name", "protocol", "title", "jobs", "final", "cut_short", "failed")
    heads = ["name", "protocol", "what", "jobs", "final", "cut short", "failed", "left"]
    lines = [[*(str(one[key]) for key in keys), jobs.long(one["expected_seconds_left"])] for one in found]
    render.print_table(heads, lines, right=(3, 4, 5, 6, 7))


def show_jobs(selection: Selection, tables: Sequence[Experiment], rows: Rows, as_json: bool) -> None:
    """Print the selected jobs that are not done, in the order in which ``run`` would begin them."""
    selection.require_known(tables)
    schedule = Schedule(selection.jobs(tables), rows, Place(rows.folder), turn=selection.turn)
    found = [(job.key, schedule.expected(job)) for job in schedule.in_order()]
    if as_json:
        keys = ("key", "expected_seconds")
        render.print_json({"folder": str(rows.folder), "jobs": [dict(zip(keys, one, strict=True)) for one in found]})
        return
    render.print_table(["job", "expected"], [[key, jobs.long(seconds)] for key, seconds in found], right=(1,))


def _counts(table: Experiment, selection: Selection, rows: Rows, expected: Expected) -> dict[str, Any]:
    asked = selection.jobs([table])
    there = {job: row for job in asked if (row := rows.get(job)) is not None}
    final, failed = sum(rows.is_final(job) for job in there), sum(row.failed for row in there.values())
    return {
        "name": table.name,
        "protocol": selection.protocols[0],
        "title": table.title,
        "about": table.about,
        "jobs": len(asked),
        "final": final,
        "cut_short": len(there) - final - failed,
        "failed": failed,
        "stale": sum(rows.is_stale(job) for job in asked),
        "expected_seconds_left": sum(expected.seconds(job) for job in asked if not rows.is_final(job)),
    }
