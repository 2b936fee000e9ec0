"""``graphedx experiment``: the tables and figures there are, and computing them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from graphedx import experiments
from graphedx.cli import job_lists, jobs, options, render
from graphedx.cli.guard import NOT_PROVEN
from graphedx.drawing.text import counted
from graphedx.experiments.protocols import PROTOCOLS, PUBLISHED, get

app = typer.Typer(no_args_is_help=True, help="The paper's tables and figures, computed again.")

_LIST_EPILOG = """Examples:

  graphedx experiment list

  graphedx experiment list --folder runs --json

  graphedx experiment list baselines --protocol equal-budget --dataset aids --dataset mutagenicity --jobs"""

_RUN_EPILOG = """Examples:

  graphedx experiment run datasets combinations --data raw --budget 3h

  graphedx experiment run combinations --only linux --only seed=0 --epochs 200

  graphedx experiment run all --data raw --protocol equal-budget --dataset aids --dataset mutagenicity --dataset molhiv

  graphedx experiment run baselines --protocol equal-budget --model graphedx --model eric

  graphedx experiment run all --data raw --engine ray --address auto"""

_REPORT_EPILOG = """Examples:

  graphedx experiment report

  graphedx experiment report combinations baselines --folder runs --out report"""

_STATUS_EPILOG = """Examples:

  graphedx experiment status

  graphedx experiment status --folder runs --json"""

_BUDGET, _UNITS = re.compile(r"([0-9]+(?:\.[0-9]+)?)([hms])"), {"h": 3600.0, "m": 60.0, "s": 1.0}
_LONGEST = 365 * 24 * 3600.0
_SHOWN_FAILURES = 10

Folder = Annotated[Path, typer.Option(metavar="DIR", help="Where rows, datasets and trained models are kept.")]
Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Some of the tables; all if none.")]
ProtocolNames = Annotated[
    list[str] | None,
    typer.Option("--protocol", metavar="NAME", help="published (default) or equal-budget; repeat it for both."),
]
Datasets = Annotated[
    list[str] | None,
    typer.Option("--dataset", metavar="NAME", help="Only this dataset; repeat it for several, the first ones first."),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAME", help="Only this model or method: graphedx, eric; may be repeated."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Jobs with such a part: linux, seed=0, train; may be repeated."),
]


@app.command("list", epilog=_LIST_EPILOG)
def list_experiments(
    names: Names = None,
    folder: Folder = Path("experiments"),
    protocol: ProtocolNames = None,
    dataset: Datasets = None,
    model: Models = None,
    only: Only = None,
    show_jobs: Annotated[
        bool, typer.Option("--jobs", help="The jobs that are not done instead, in the order in which they would run.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """The experiments there are, and how many of their jobs are final.

    A training that was cut short is not final.
    """
    selection = _selection(protocol, dataset, model, only)
    tables, rows = experiments.chosen(names or ["all"]), experiments.Rows(folder)
    if show_jobs:
        job_lists.show_jobs(selection, tables, rows, as_json)
    else:
        job_lists.show_counts(selection, tables, rows, as_json)


@app.command("status", epilog=_STATUS_EPILOG)
def show_status(folder: Folder = Path("experiments"), as_json: options.Json = False) -> None:
    """How many cells of the tables are final, cut short or not run, by protocol, table and dataset.

    Only final cells count. Stale cells have rows of an older results version; they and failed ones are not run.
    """
    rows, tables = experiments.Rows(folder), list(experiments.experiments().values())
    found = [experiments.status(tables, rows, name) for name in PROTOCOLS]
    if as_json:
        render.print_json({"folder": str(folder), "protocols": [one.to_json() for one in found]})
        return
    heads = ["final", "cut short", "not run", "stale", "failed", "cells"]
    for one in found:
        total = {"the paper's numbers of trained models": one.paper}
        for title, tallies in (("table", one.tables), ("dataset", one.datasets), ("total", total)):
            lines = [[name, *map(str, tally), str(tally.total)] for name, tally in tallies.items()]
            render.print_table([f"{one.protocol}: {title}", *heads], lines, right=(1, 2, 3, 4, 5, 6))


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
    protocol: ProtocolNames = None,
    dataset: Datasets = None,
    model: Models = None,
    only: Only = None,
    epochs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Cut trainings of the published protocol short there.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try jobs again that have failed.")] = False,
    workers: options.Workers = None,
    engine: options.EngineName = "local",
    address: options.Address = None,
    as_json: options.Json = False,
) -> None:
    """Do the jobs of experiments that are not final yet, the most valuable first.

    With several --protocol or --dataset, all jobs of the first one named come before those of the second.

    Every job that ends is a row in DIR/rows.jsonl, one that fails too. What was stopped or killed goes on where it was.
    Exit code 3 if jobs are left.
    """
    selection = _selection(protocol, dataset, model, only)
    if epochs is not None and set(selection.protocols) != {PUBLISHED}:
        raise typer.BadParameter("--epochs is for the published protocol; the others declare their number of epochs")
    tables = experiments.chosen(names)
    selection.require_known(tables)
    asked = selection.jobs(tables)
    if not asked:
        raise typer.BadParameter("no job of these experiments has these datasets, models and parts")
    seconds = None if budget is None else _seconds(budget)
    start = perf_counter()
    try:
        with jobs.shown() as report:
            where = {"engine": engine, "workers": workers, "address": address}
            how = {"data": data, "epochs": epochs, "budget": seconds, "retry": retry, "turn": selection.turn}
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


def _selection(
    protocol: list[str] | None, dataset: list[str] | None, model: list[str] | None, only: list[str] | None
) -> experiments.Selection:
    chosen = [get(name).name for name in dict.fromkeys(protocol or [PUBLISHED])]
    return experiments.Selection(chosen, dataset or (), model or (), only or ())


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
