"""A tiny bracket model, and pairs and costs of every kind that it takes."""

from __future__ import annotations

import torch
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from graphedx import EditCosts, Graph
from graphedx.models.bracket import Bracket, BracketConfig
from graphedx.models.predicting import Estimator
from strategies import number_costs

QUICK = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
STRUCTURE = EditCosts(1, 1, 1, 1, 0, 0)
EXPANSIONS = 6  # few, so that most intervals of small graphs have room in them
ODD_LABELS = (None, 0, 1, 1.0, True, 2.5, "1", "", ("C", 1), ("C", 1.0), frozenset({"a", 2}), b"1")


def tiny(seed: int = 0, **settings: object) -> Bracket:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        small = {"width": 6, "layers": 2, "pooled": 3, "hidden": 8, "expansions": EXPANSIONS, **settings}
        return Bracket(BracketConfig(**small)).eval()  # type: ignore[arg-type]


def estimator(seed: int = 0, **settings: object) -> Estimator:
    return Estimator(tiny(seed, **settings), STRUCTURE)


@st.composite
def odd_graphs(draw: st.DrawFn, most: int = 12) -> Graph:
    """Undirected, of 0 to ``most`` nodes, in one piece or in several, with labels of all kinds on nodes and edges."""
    n = draw(st.integers(0, most))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=2 * n)) if pairs else []
    kinds = draw(st.lists(st.sampled_from(ODD_LABELS), min_size=1, max_size=4))
    label = st.sampled_from(kinds)
    return Graph(n, edges, node_labels=[draw(label) for _ in range(n)], edge_labels=[draw(label) for _ in edges])


def odd_pairs(most: int = 12) -> st.SearchStrategy[tuple[Graph, Graph]]:
    return st.tuples(odd_graphs(most), odd_graphs(most))


def any_costs() -> st.SearchStrategy[EditCosts]:
    """Six numbers: of all kinds, none at all, and substitution that is free or too dear to be used."""
    special = [
        (0,) * 6,
        (1, 1, 1, 1, 0, 0),
        (3, 1, 2, 1, 0, 0),
        (1, 1, 1, 1, 9, 9),
        (1, 2, 0, 0, 1, 0),
        (0, 0, 1, 2, 0, 1),
    ]
    return number_costs() | st.sampled_from(special).map(lambda six: EditCosts(*six))
