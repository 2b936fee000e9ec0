"""``graphedx demo``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from graphedx import demo as library_demo
from graphedx.cli import epochs as progress
from graphedx.cli import options, render
from graphedx.demo import EPOCHS, DemoReport
from graphedx.demo.measured import MODEL
from graphedx.demo.model_pages import HEADS, table_row
from graphedx.demo.searched import Searched
from graphedx.search.pages import distance_of

EPILOG = """Examples:

  graphedx demo

  graphedx demo --out /tmp/report --graphs 100 --functions 30 --epochs 10 --overwrite"""


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where pages and dataset go.")] = Path("demo-report"),
    graphs: Annotated[int, typer.Option(metavar="N", min=10, max=1000, help="How many graphs to label.")] = 300,
    functions: Annotated[int, typer.Option(metavar="N", min=2, max=500, help="How many functions to compare.")] = 60,
    epochs: Annotated[int, typer.Option(metavar="N", min=1, help="How many epochs to train.")] = EPOCHS,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Label Python's own functions exactly, train a model, compare all methods, search, and show it all on a page.

    The functions are the syntax trees of the standard library of the Python that runs: nothing is downloaded. The
    trained model is kept in FOLDER/run: a demo that was stopped goes on there, and a second one does not train again.
    """
    try:
        report = library_demo.run(
            out,
            graphs=graphs,
            functions=functions,
            epochs=epochs,
            overwrite=overwrite,
            say=lambda line: print(line, file=sys.stderr),
            watch=progress.shown,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("epochs that are done are kept, and the same command goes on with them") from None
    if as_json:
        render.print_json(report.to_json())
        return
    _show(report)


def _show(report: DemoReport) -> None:
    render.print_table(HEADS, map(table_row, report.methods), right=range(2, len(HEADS)))
    rate = f"{report.solved / report.label_seconds:,.0f} pairs/s"
    render.print_facts(
        [
            ("dataset", f"{report.graphs:,} graphs, in {report.dataset}"),
            ("labels", f"{report.labels:,} distances, of which {report.labels_proven:,} proven"),
            ("", f"by {report.solved:,} searches in {render.duration(report.label_seconds)}, {rate}"),
            ("checked", f"every label; {report.solved_again:,} pairs solved again"),
            *_trained(report),
            ("compared", f"{report.functions} functions: {report.pairs} pairs, of which {report.proven} proven"),
            ("", f"in {render.duration(report.seconds)}, {render.duration(report.seconds / report.pairs)} a pair"),
            *_searched(report.searched),
            ("page", str(report.page)),
            ("", ""),
            ("try next", f"{_command()} data stats {report.dataset}"),
            ("", f"{_command()} label {report.dataset} --costs 2,1,1,1,1,0"),
            *([("", f"{_command()} evaluate {report.model} {report.dataset}")] if report.model else []),
            ("", f"{_command()} data list"),
        ]
    )


def _trained(report: DemoReport) -> list[tuple[str, str]]:
    if report.model is None:
        return [("trained", "nothing, as PyTorch is not installed: pip install 'graphedx[neural]'")]
    new = f"{report.new_epochs} of {report.epochs} epochs in {render.duration(report.train_seconds)}"
    kept = f"kept from an earlier demo ({report.epochs} epochs); to train anew, delete {report.model}"
    return [
        ("trained", new if report.new_epochs else kept),
        ("", f"MSE on the test split: {_mse(report):.2f}; that of guessing the mean: {report.constant:.2f}"),
    ]


def _searched(found: Searched) -> list[tuple[str, str]]:
    hits = found.hits
    named = ", ".join(f"{hit.id} ({distance_of(hit)})" for hit in hits)
    work = f"{hits.bounded:,} took a closer look, {hits.searched:,} of them a search"
    return [
        (
            "searched",
            f"{hits.total:,} functions for those like {found.query.name} in {render.duration(hits.seconds)}; {work}",
        ),
        ("", f"nearest: {named}"),
    ]


def _mse(report: DemoReport) -> float:
    return next(row.errors.mse for row in report.methods if row.name == MODEL)


def _command() -> str:
    """What to type to get here again: the virtual environment of ``make demo`` is not on the path."""
    if shutil.which("graphedx"):
        return "graphedx"
    return sys.argv[0] if Path(sys.argv[0]).name == "graphedx" else "python -m graphedx"
