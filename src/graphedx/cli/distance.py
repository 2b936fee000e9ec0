"""``graphedx distance``."""

from __future__ import annotations

from time import perf_counter

import typer

from graphedx.api import ged
from graphedx.cli import options, render
from graphedx.cli.inputs import Labels, one_graph
from graphedx.cli.watching import watched
from graphedx.costs import EditCosts

EPILOG = """Examples:

  graphedx distance old.graphml new.graphml --costs 3,1,2,1

  graphedx distance smiles:CCO smiles:CCN --json

  graphedx distance code.py::first code.py::second --time-limit 10 --watch

  graphedx distance a.json b.json --method refine --option starts=1000"""


def distance(
    source: options.Source,
    target: options.Target,
    costs: options.Costs = "unit",
    method: options.MethodName = "auto",
    option: options.MethodOptions = None,
    time_limit: options.TimeLimit = None,
    cutoff: options.Cutoff = None,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    watch: options.Watch = False,
    as_json: options.Json = False,
) -> None:
    """The edit distance of two graphs.

    Exit code 3 if it is not proven within the limit; the bounds are shown all the same. Methods that only ever give
    bounds have done what they promise, and exit with 0.
    """
    prices = EditCosts.parse(costs)
    labels = Labels(node_label, edge_label, unlabelled)
    a, b = one_graph(source, labels), one_graph(target, labels)
    start = perf_counter()
    solve = watched if watch else ged
    result = solve(
        a,
        b,
        costs=prices,
        method=method,
        time_limit=time_limit,
        cutoff=cutoff,
        **options.method_options(method, option),
    )
    seconds = perf_counter() - start
    if as_json:
        render.print_json(render.result_data(result, seconds))
    else:
        render.print_facts(render.result_facts(result, seconds))
    raise typer.Exit(render.exit_code(result))
