"""``graphedx demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphedx import demo as library_demo
from graphedx.cli import options, render

EPILOG = """Examples:

  graphedx demo

  graphedx demo --out /tmp/report --functions 30 --overwrite"""


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the pages go.")] = Path("demo-report"),
    functions: Annotated[int, typer.Option(metavar="N", min=2, max=500, help="How many functions to compare.")] = 60,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Compare functions of Python's standard library by their syntax trees, and show the result on a page."""
    report = library_demo.run(out, functions=functions, overwrite=overwrite)
    if as_json:
        render.print_json(report._asdict() | {"page": str(report.page)})
        return
    render.print_facts(
        [
            ("functions", str(report.functions)),
            ("pairs", f"{report.pairs}, of which {report.proven} proven"),
            ("time", f"{render.duration(report.seconds)}, {render.duration(report.seconds / report.pairs)} a pair"),
            ("page", str(report.page)),
        ]
    )
