"""``graphedx search``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from graphedx.api import GraphIndex, Hit, Hits
from graphedx.cli import options, render
from graphedx.cli.guard import NOT_PROVEN
from graphedx.cli.index import IndexFile
from graphedx.cli.inputs import Labels, graphs_of
from graphedx.cli.outputs import require_free, write_all
from graphedx.costs import EditCosts
from graphedx.drawing.page import Section
from graphedx.drawing.text import counted
from graphedx.graph import Graph

EPILOG = """Examples:

  graphedx search molecules.gxi smiles:CCO -k 5

  graphedx search molecules.gxi new.smi --radius 3 --json

  graphedx search functions.gxi code.py::parse --costs 1,1,1,1 --time-limit 10 --draw hits.html"""

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
    proven within the limit; what is proven of it is shown all the same.
    """
    if k is not None and radius is not None:
        raise typer.BadParameter("give -k or --radius, not both", param_hint="--radius")
    prices = EditCosts.parse(costs)
    require_free([draw], overwrite=overwrite)
    opened = GraphIndex.load(index)
    graphs = graphs_of(queries, Labels(node_label, edge_label, unlabelled))
    keywords: dict[str, Any] = {"costs": prices, "time_limit": time_limit, "workers": workers}
    found: Found = []
    for query in graphs:
        if radius is None:
            found.append((query, opened.search(query, k or 10, **keywords)))
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
    raise typer.Exit(0 if all(hits.complete for _, hits in found) else NOT_PROVEN)


def _data(query: Graph, hits: Hits) -> dict[str, Any]:
    return {"query": query.name, **hits.to_dict()}


def _show(query: Graph, hits: Hits) -> None:
    rows = [
        (str(place), hit.id, _distance(hit), str(graph.num_nodes), str(graph.num_edges))
        for place, hit in enumerate(hits, 1)
        for graph in [hit.graph]
    ]
    render.print_table(["", "graph", "distance", "nodes", "edges"], rows, right=(0, 2, 3, 4))
    render.print_facts(
        [
            ("query", render.described(query)),
            ("found", _summary(hits)),
            *([("ties", _ties(hits))] if hits.ties else []),
            ("searched", f"{hits.searched:,}; bounds were enough for the others"),
            ("time", render.duration(hits.seconds)),
        ]
    )


def _summary(hits: Hits) -> str:
    what = "nearest" if hits.radius is None else f"within {hits.radius:g}"
    said = f"{len(hits):,} {what} of {counted(hits.total, 'graph')}"
    if hits.complete:
        return f"{said} (proven)"
    return (
        f"{said}; not proven within the limit: {len(hits.certain):,} certain, others may be as near as {hits.unseen:g}"
    )


def _ties(hits: Hits) -> str:
    named = ", ".join(hit.id for hit in hits.ties[:5])
    return f"{len(hits.ties):,} more as near as the last: {named}{', ...' if len(hits.ties) > 5 else ''}"


def _distance(hit: Hit) -> str:
    return f"{hit.upper:g}" if hit.exact else f"{hit.lower:g} to {hit.upper:g}"


def _page(found: Found, time_limit: float | None) -> str:
    from graphedx.drawing import report_page

    one = f"Graphs like {found[0][0].name}" if len(found) == 1 else f"Graphs like {len(found):,} others"
    return report_page(one, _sections(found, time_limit))


def _sections(found: Found, time_limit: float | None) -> Iterator[Section]:
    from graphedx.drawing import edit_path_svg

    for query, hits in found:
        ties = _ties(hits) if hits.ties else ""
        table = [("", "graph", "distance"), *((k, hit.id, _distance(hit)) for k, hit in enumerate(hits, 1))]
        heading = f"Query {query.name}" if len(found) > 1 else ""
        yield Section(heading, [f"{render.described(query)}. {_summary(hits)}.", ties], table=table)
        for place, hit in enumerate(hits, 1):
            edits = hit.edit_path(time_limit=None if hit.exact else time_limit)
            picture = edit_path_svg(edits, title=f"Distance {_distance(hit)}", dark=None)
            yield Section(f"{place}. {hit.id}", figure=picture)
