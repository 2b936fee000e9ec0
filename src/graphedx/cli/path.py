"""``graphedx path``."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from graphedx.api import ged
from graphedx.cli import options, render
from graphedx.cli.inputs import Labels, one_graph
from graphedx.cli.outputs import require_free, write_all
from graphedx.costs import EditCosts
from graphedx.edits import EditPath

EPILOG = """Examples:

  graphedx path old.graphml new.graphml

  graphedx path smiles:CCO smiles:CCN --svg edits.svg

  graphedx path code.py::first code.py::second --html edits.html --overwrite"""


def path(
    source: options.Source,
    target: options.Target,
    costs: options.Costs = "unit",
    method: options.MethodName = "auto",
    option: options.MethodOptions = None,
    time_limit: options.TimeLimit = None,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the path.")] = None,
    png: Annotated[Path | None, typer.Option("--png", metavar="FILE", help="Draw the path.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="A page that steps through it.")] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """The cheapest edits that turn one graph into the other.

    Exit code 3 if cheaper ones could not be ruled out within the limit.
    """
    prices = EditCosts.parse(costs)
    require_free([svg, png, html], overwrite=overwrite)
    labels = Labels(node_label, edge_label, unlabelled)
    a, b = one_graph(source, labels), one_graph(target, labels)
    start = perf_counter()
    result = ged(a, b, costs=prices, method=method, time_limit=time_limit, **options.method_options(method, option))
    seconds = perf_counter() - start
    edits = result.edit_path()
    write_all(_pictures(edits, svg, png, html), overwrite=overwrite)
    if as_json:
        render.print_json(render.result_data(result, seconds) | edits.to_dict())
    else:
        render.print_edits(edits)
        facts = render.result_facts(result, seconds)
        render.print_facts([fact for fact in facts if fact[0] in ("estimate", "distance", "source", "target")])
    raise typer.Exit(render.exit_code(result))


def _pictures(edits: EditPath, svg: Path | None, png: Path | None, html: Path | None) -> dict[Path, bytes | str]:
    from graphedx import drawing

    pictures: dict[Path, bytes | str] = {}
    if svg is not None:
        pictures[svg] = drawing.edit_path_svg(edits)
    if png is not None:
        image = BytesIO()
        drawing.edit_path_png(edits, image)
        pictures[png] = image.getvalue()
    if html is not None:
        pictures[html] = drawing.edit_path_html(edits)
    return pictures
