"""Costs of very different size: a proven distance is right to its last digits, however dear the edits it avoids."""

from __future__ import annotations

import math
import random

import pytest

from graphedx import EditCosts, Graph, ged
from graphedx.solvers.exact.brute_force import brute_force

LABELS = range(3)


def _graph(rng: random.Random, nodes: int) -> Graph:
    edges = [(i, j) for j in range(nodes) for i in range(j) if rng.random() < 0.6]
    labels = [rng.choice(LABELS) for _ in range(nodes)]
    return Graph(nodes, edges, node_labels=labels, edge_labels=[rng.choice(LABELS) for _ in edges])


def _costs(rng: random.Random, large: float, small: float) -> EditCosts:
    def single() -> dict[int, float]:
        return {label: rng.random() * large for label in LABELS}

    def double() -> dict[tuple[int, int], float]:
        return {(a, b): rng.random() * small for a in LABELS for b in LABELS}

    return EditCosts(single(), single(), single(), single(), double(), double())


@pytest.mark.parametrize("exponent", [3, 6, 9, 12, 150])
def test_dear_insertions_do_not_blur_cheap_substitutions(exponent: int) -> None:
    rng = random.Random(exponent)
    for _ in range(60):
        nodes = rng.randrange(1, 5)
        source, target = _graph(rng, nodes), _graph(rng, rng.choice((nodes, 3)))
        costs = _costs(rng, 10.0**exponent, 10.0**-exponent)
        result = ged(source, target, costs=costs)
        assert result.distance == pytest.approx(brute_force(source, target, costs=costs).distance, rel=1e-12, abs=0)


def test_tiny_costs_decide_between_mappings_that_huge_ones_cannot_tell_apart() -> None:
    costs = {("a", "x"): 5e-9, ("a", "y"): 1e-9, ("b", "x"): 1e-9, ("b", "y"): 5e-9}
    source, target = Graph(2, node_labels="ab"), Graph(2, node_labels="xy")
    assert ged(source, target, costs=EditCosts(1e9, 1e9, 1, 1, costs)).distance == 2e-9


@pytest.mark.parametrize("method", ["auto", "bipartite", "branch", "beam", "refine"])
def test_one_dear_label_among_many_edges_proves_nothing_wrong(method: str) -> None:
    """What all edges could save if each were the dear one is far beyond what they cost together."""
    rng = random.Random(0)
    prices = {"x": math.pi, "dear": 1e6 * math.e}
    costs = EditCosts(2**0.5, 3**0.5, prices, prices, 0, 5e6 * math.e)
    pairs = [(i, j) for i in range(120) for j in range(i)]
    graphs = []
    for _ in range(2):
        edges = rng.sample(pairs, 4300)
        graphs.append(Graph(120, edges, edge_labels=["dear", *["x"] * (len(edges) - 1)]))
    found = ged(*graphs, costs=costs, method=method, time_limit=0.2)
    better = ged(*graphs, costs=costs, method="large", time_limit=0.2)
    assert found.lower <= better.upper and better.lower <= found.upper


@pytest.mark.parametrize("dear", [2.0**26, 1e9, 1e12])
def test_a_cutoff_far_below_what_must_be_paid_is_seen_at_once(dear: float) -> None:
    source, target = Graph(14, [(i, i + 1) for i in range(13)]), Graph(15, [(0, i) for i in range(1, 15)])
    found = ged(source, target, costs=EditCosts(dear, dear, 1, 1), method="exact", cutoff=3)
    assert dear <= found.lower <= found.upper and found.nodes <= 1
