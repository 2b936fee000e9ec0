"""``graphedx experiment``: the tables and figures there are, and computing them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from graphedx import experiments
from graphedx.cli import jobs, options, render
from graphedx.cli.guard import NOT_PROVEN
from graphedx.drawing.text import counted
from graphedx.experiments.place import Place
from graphedx.experiments.schedule import Expected

app = typer.Typer(no_args_is_help=True, help="The paper's tables and figures, computed again.")

_LIST_EPILOG = """Examples:

  graphedx experiment list

  graphedx experiment list --folder runs --json"""

_RUN_EPILOG = """Examples:

  graphedx experiment run datasets combinations --data raw --budget 3h

  graphedx experiment run combinations --only linux --only seed=0 --epochs 200

  graphedx experiment run all --data raw --engine ray --address auto"""

_REPORT_EPILOG = """Examples:

  graphedx experiment report

  graphedx experiment report combinations baselines --folder runs --out report"""

_BUDGET, _UNITS = re.compile(r"([0-9]+(?:\.[0-9]+)?)([hms])"), {"h": 3600.0, "m": 60.0, "s": 1.0}
_LONGEST = 365 * 24 * 3600.0
_SHOWN_FAILURES = 10

Folder = Annotated[Path, typer.Option(metavar="DIR", help="Where rows, datasets and trained models are kept.")]


@app.command("list", epilog=_LIST_EPILOG)
def list_experiments(folder: Folder = Path("experiments"), as_json: options.Json = False) -> None:
    """The experiments there are, and how many of their jobs are done."""
    rows = experiments.Rows(folder)
    expected = Expected(rows, Place(folder))
    found = []
    for experiment in experiments.experiments().values():
        there = [rows.get(job) for job in experiment.jobs]
        left = sum(expected.seconds(job) for job, row in zip(experiment.jobs, there, strict=True) if row is None)
        failed = sum(row is not None and row.failed for row in there)
        done = len(there) - there.count(None) - failed
        counts = {"jobs": len(there), "done": done, "failed": failed, "expected_seconds_left": left}
        found.append({"name": experiment.name, "title": experiment.title, "about": experiment.about} | counts)
    if as_json:
        render.print_json({"folder": str(folder), "experiments": found})
        return
    heads = ["name", "what", "jobs", "done", "failed", "left"]
    names = ("name", "title", "jobs", "done", "failed")
    lines = [[*(str(one[name]) for name in names), jobs.long(float(one["expected_seconds_left"]))] for one in found]
    render.print_table(heads, lines, right=(2, 3, 4, 5))


@app.command("run", epilog=_RUN_EPILOG)
def run_experiments(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Some of `experiment list`, or all.")],
    folder: Folder = Path("experiments"),
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Raw files, for datasets that are not in the folder yet.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="3h, 45m or 600s: begin nothing after that.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Jobs with such a part: linux, seed=0, train; may be repeated."),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Cut trainings off there; rows say so, and more go on later.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try jobs again that have failed.")] = False,
    workers: options.Workers = None,
    engine: options.EngineName = "local",
    address: options.Address = None,
    as_json: options.Json = False,
) -> None:
    """Do the jobs of experiments that are not done yet, the most valuable first.

    Every job that ends is a row in DIR/rows.jsonl, one that fails too. What was stopped or killed goes on where it was.
    Exit code 3 if jobs are left.
    """
    asked = experiments.jobs_of(experiments.chosen(names), only or ())
    if not asked:
        raise typer.BadParameter(f"no job of these experiments has parts like {', '.join(only or ())}")
    seconds = None if budget is None else _seconds(budget)
    start = perf_counter()
    try:
        with jobs.shown() as report:
            where = {"engine": engine, "workers": workers, "address": address}
            how = {"data": data, "epochs": epochs, "budget": seconds, "retry": retry}
            done = experiments.run(asked, folder, **how, **where, report=report)  # type: ignore[arg-type]
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what is done is kept, and the same command goes on where it was stopped") from None
    _show(done, perf_counter() - start, folder, as_json)
    raise typer.Exit(NOT_PROVEN if done.left or done.impossible else 0)


@app.command("report", epilog=_REPORT_EPILOG)
def report_experiments(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Some of `experiment list`; all if none.")
    ] = None,
    folder: Folder = Path("experiments"),
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the report goes; FOLDER/report if not given.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write what was computed beside what the paper reports: one HTML page, Markdown and CSV.

    With the paper's claims, each confirmed, contradicted or open. An earlier report is replaced.
    """
    some = experiments.chosen(names) if names else None
    files = [str(path) for path in experiments.write_report(folder, folder / "report" if out is None else out, some)]
    if as_json:
        render.print_json({"folder": str(folder), "files": files})
        return
    render.print_facts([(Path(file).suffix.removeprefix("."), file) for file in files])


def _seconds(budget: str) -> float:
    found = _BUDGET.fullmatch(budget)
    if found is None:
        raise typer.BadParameter(f"a budget is a number of hours, minutes or seconds: 3h, 45m, 600s; got {budget!r}")
    seconds = float(found[1]) * _UNITS[found[2]]
    if seconds > _LONGEST:
        raise typer.BadParameter(f"a budget is a year at most; got {budget!r}")
    return seconds


def _show(done: experiments.Summary, seconds: float, folder: Path, as_json: bool) -> None:
    if as_json:
        render.print_json({"folder": str(folder), "seconds": seconds} | done._asdict())
        return
    reasons = Counter(done.impossible.values())
    failed = list(done.failed.items())
    more = len(failed) - _SHOWN_FAILURES
    render.print_facts(
        [
            ("jobs", f"{done.total:,}, {done.ran:,} of them now"),
            ("done", f"{done.done:,}"),
            ("left", f"{done.left:,}"),
            *(("not run", f"{counted(number, 'job')}: {why}") for why, number in reasons.items()),
            *(("failed", f"{key}: {error}") for key, error in failed[:_SHOWN_FAILURES]),
            *([("failed", f"and {more:,} more")] if more > 0 else []),
            ("time", jobs.long(seconds)),
            ("rows", str(folder / "rows.jsonl")),
        ]
    )
