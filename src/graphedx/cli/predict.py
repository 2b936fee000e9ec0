"""``graphedx predict``."""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter
from typing import Annotated

import typer

from graphedx.api import load_model
from graphedx.cli import options, render
from graphedx.cli.evaluate import Costs, Run
from graphedx.cli.inputs import Labels, one_graph
from graphedx.costs import EditCosts, amount

EPILOG = """Examples:

  graphedx predict run old.graphml new.graphml

  graphedx predict run old.graphml new.graphml --path

  graphedx predict run smiles:CCO smiles:CCN --json

  graphedx predict bracket smiles:CCO smiles:CCN --costs 3,1,2,1"""


def predict_distance(
    run: Run,
    source: options.Source,
    target: options.Target,
    costs: Costs = None,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    path: Annotated[
        bool, typer.Option("--path", help="Also the edits by the model's own alignment; they prove an upper bound.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """What a model guesses the distance of two graphs to be: an estimate, of which nothing is proven.

    With --path also the edits that follow from how the model aligns the nodes; what they cost is proven.
    """
    model, labels = load_model(run), Labels(node_label, edge_label, unlabelled)
    prices = EditCosts.parse(costs) if costs else model.costs
    a, b = one_graph(source, labels), one_graph(target, labels)
    start = perf_counter()
    [value] = model.predict([(a, b)], costs=prices)
    seconds = perf_counter() - start
    aligned = model.align(a, b, costs=prices) if path else None
    if as_json:
        names = {"source": a.name, "target": b.name}
        known = {"estimate": float(value), "proven": False, "model": model.name, "costs": asdict(prices)}
        edits = {"upper": aligned.upper, **aligned.edit_path().to_dict()} if aligned else {}
        render.print_json(known | names | {"seconds": seconds} | edits)
        return
    if aligned:
        render.print_edits(aligned.edit_path())
    render.print_facts(
        [
            ("estimate", f"{value:.4g} (a guess; `graphedx distance` proves)"),
            *([("distance", f"at most {amount(aligned.upper)} (proven by the edits above)")] if aligned else []),
            ("source", render.described(a)),
            ("target", render.described(b)),
            ("costs", render.costs_said(prices)),
            ("model", model.name),
            ("time", render.duration(seconds)),
        ]
    )
