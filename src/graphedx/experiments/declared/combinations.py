"""The paper's nine combinations of surrogates for the edge and the node term."""

from __future__ import annotations

from itertools import product

from graphedx.experiments.declared.common import COSTS, DATASETS, TERMS, WORTH, tuned
from graphedx.experiments.table import Cell, Experiment, Reported


def _cell(costs: str, dataset: str, edge: str, node: str) -> Cell:
    name = f"{TERMS[edge]} / {TERMS[node]}"
    return Cell(
        panel=costs,
        row=name,
        column=dataset,
        seeds=tuned(dataset, costs, edge_term=edge, node_term=node),
        paper=Reported("combinations", name, costs, dataset, "mse"),
        value=WORTH[dataset],
    )


EXPERIMENTS = (
    Experiment(
        name="combinations",
        title="Nine combinations of surrogates (edge / node)",
        about="XOR-DiffAlign for edges is best, or next to it, on nearly all datasets.",
        cells=tuple(_cell(*where, *terms) for where in product(COSTS, DATASETS) for terms in product(TERMS, TERMS)),
    ),
)
