"""``graphedx search``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from graphedx.api import GraphIndex, Hits
from graphedx.cli import options, render
from graphedx.cli.guard import NOT_PROVEN
from graphedx.cli.index import IndexFile
from graphedx.cli.inputs import Labels, graphs_of
from graphedx.cli.outputs import require_free, write_all
from graphedx.costs import EditCosts
from graphedx.drawing import Section, report_page
from graphedx.errors import OutputError
from graphedx.graph import Graph
from graphedx.search import pages

EPILOG = """Examples:

  graphedx search molecules.gxi smiles:CCO -k 5

  graphedx search molecules.gxi new.smi --radius 3 --json

  graphedx search functions.gxi code.py::parse --costs 1,1,1,1 --time-limit 10 --draw hits.html

  graphedx search molecules.gxi smiles:CCO --approximate"""

Found = list[tuple[Graph, Hits]]


def search(
    index: IndexFile,
    queries: Annotated[
        list[str], typer.Argument(metavar="QUERY...", help="Graphs as in `distance`, or many.", show_default=False)
    ],
    k: Annotated[int | None, typer.Option("-k", metavar="N", min=1, help="How many; by default 10.")] = None,
    radius: Annotated[
        float | None, typer.Option(metavar="COST", min=0, help="All graphs within this distance instead.")
    ] = None,
    costs: options.Costs = "unit",
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Quickly, by vectors; nearer graphs may be missed.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", min=0, help="Give up on a query then; what is proven remains."),
    ] = None,
    workers: options.Workers = None,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A page with a picture of each hit and its edits, as HTML.")
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """The graphs of an index that are nearest to a query, by edit distance from the query.

    Read queries with the same label options as the graphs of the index. Exit code 3 if the answer to some query is not
    proven within the limit; what is proven of it is shown all the same. An approximate answer is never proven to be the
    nearest, and says so; its exit code is 0.
    """
    if k is not None and radius is not None:
        raise typer.BadParameter("give -k or --radius, not both", param_hint="--radius")
    if approximate and radius is not None:
        raise typer.BadParameter("goes with -k only: --radius promises all graphs", param_hint="--approximate")
    prices = EditCosts.parse(costs)
    require_free([draw], overwrite=overwrite)
    if draw is not None and draw.resolve() == index.resolve():
        raise OutputError(f"{draw}: this is the index; choose another file for the page")
    opened = GraphIndex.load(index)
    graphs = graphs_of(queries, Labels(node_label, edge_label, unlabelled))
    keywords: dict[str, Any] = {"costs": prices, "time_limit": time_limit, "workers": workers}
    found: Found = []
    for query in graphs:
        if radius is None:
            found.append((query, opened.search(query, k or 10, approximate=approximate, **keywords)))
        else:
            found.append((query, opened.range(query, radius, **keywords)))
        if not as_json:
            _show(*found[-1])
    if draw is not None:
        write_all({draw: _page(found, time_limit)}, overwrite=overwrite)
    if as_json:
        render.print_json({"index": str(index), "queries": [_data(*each) for each in found]})
    elif draw is not None:
        render.print_facts([("written", str(draw))])
    raise typer.Exit(0 if all(hits.complete or hits.approximate for _, hits in found) else NOT_PROVEN)


def _data(query: Graph, hits: Hits) -> dict[str, Any]:
    return {"query": query.name, **hits.to_dict()}


def _show(query: Graph, hits: Hits) -> None:
    rows = [
        (str(place), hit.id, pages.distance_of(hit), str(graph.num_nodes), str(graph.num_edges))
        for place, hit in enumerate(hits, 1)
        for graph in [hit.graph]
    ]
    render.print_table(["", "graph", "distance", "nodes", "edges"], rows, right=(0, 2, 3, 4))
    others = "others were not looked at, or only at bounds" if hits.approximate else "bounds were enough for the others"
    render.print_facts(
        [
            ("query", render.described(query)),
            ("found", pages.summary(hits)),
            *([("ties", pages.ties_of(hits))] if hits.ties else []),
            ("searched", f"{hits.searched:,}; {others}"),
            ("time", render.duration(hits.seconds)),
        ]
    )


def _page(found: Found, time_limit: float | None) -> str:
    one = f"Graphs like {found[0][0].name}" if len(found) == 1 else f"Graphs like {len(found):,} others"
    return report_page(one, _sections(found, time_limit))


def _sections(found: Found, time_limit: float | None) -> Iterator[Section]:
    for query, hits in found:
        heading = f"Query {query.name}" if len(found) > 1 else ""
        text = [f"{render.described(query)}. {pages.summary(hits)}.", pages.ties_of(hits)]
        yield Section(heading, text, table=pages.table_of(hits))
        yield from pages.pictures(hits, time_limit=time_limit)
