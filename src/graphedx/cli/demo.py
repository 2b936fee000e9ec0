"""``graphedx demo``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from graphedx import demo as library_demo
from graphedx.cli import options, render
from graphedx.demo import DemoReport

EPILOG = """Examples:

  graphedx demo

  graphedx demo --out /tmp/report --graphs 100 --functions 30 --overwrite"""


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where pages and dataset go.")] = Path("demo-report"),
    graphs: Annotated[int, typer.Option(metavar="N", min=10, max=1000, help="How many graphs to label.")] = 300,
    functions: Annotated[int, typer.Option(metavar="N", min=2, max=500, help="How many functions to compare.")] = 60,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Label a dataset of Python's own functions exactly, compare some of them, and show the result on a page.

    The functions are the syntax trees of the standard library of the Python that runs: nothing is downloaded.
    """
    report = library_demo.run(
        out, graphs=graphs, functions=functions, overwrite=overwrite, say=lambda line: print(line, file=sys.stderr)
    )
    if as_json:
        render.print_json(report._asdict() | {"page": str(report.page), "dataset": str(report.dataset)})
        return
    _show(report)


def _show(report: DemoReport) -> None:
    rate = f"{report.solved / report.label_seconds:,.0f} pairs/s"
    render.print_facts(
        [
            ("dataset", f"{report.graphs:,} graphs, in {report.dataset}"),
            ("labels", f"{report.labels:,} distances, of which {report.labels_proven:,} proven"),
            ("", f"by {report.solved:,} searches in {render.duration(report.label_seconds)}, {rate}"),
            ("checked", f"every label; {report.solved_again:,} pairs solved again"),
            ("compared", f"{report.functions} functions: {report.pairs} pairs, of which {report.proven} proven"),
            ("", f"in {render.duration(report.seconds)}, {render.duration(report.seconds / report.pairs)} a pair"),
            ("page", str(report.page)),
            ("", ""),
            ("try next", f"{_command()} data stats {report.dataset}"),
            ("", f"{_command()} label {report.dataset} --costs 2,1,1,1,1,0"),
            ("", f"{_command()} data list"),
        ]
    )


def _command() -> str:
    """What to type to get here again: the virtual environment of ``make demo`` is not on the path."""
    if shutil.which("graphedx"):
        return "graphedx"
    return sys.argv[0] if Path(sys.argv[0]).name == "graphedx" else "python -m graphedx"
