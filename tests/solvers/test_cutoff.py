"""A cutoff that is exceeded proves no more than is true: the search drops what cannot win, so its bounds must not."""

from __future__ import annotations

import math
import random

import pytest

from graphedx import EditCosts, Graph, ged


def test_a_bound_taken_after_filtering_is_no_bound_on_the_distance() -> None:
    source = Graph(2, [(0, 1)], node_labels=(1, 1))
    target = Graph(2, [(0, 1)], node_labels=(0, 1))
    costs = EditCosts(0, 0, 3, 1, 3, 3)
    assert ged(source, target, costs=costs).distance == 3
    below = ged(source, target, costs=costs, cutoff=2.5)
    assert 2.5 < below.lower <= 3 <= below.upper


def small_graph(rng: random.Random, directed: bool) -> Graph:
    nodes = rng.choice((2, 3, 4, 5))
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if (i != j if directed else i < j)]
    edges = [pair for pair in pairs if rng.random() < 0.7]
    labels = [rng.randrange(2) for _ in range(nodes)]
    return Graph(nodes, edges, node_labels=labels, edge_labels=[rng.randrange(2) for _ in edges], directed=directed)


@pytest.mark.parametrize("directed", [False, True])
def test_cutoffs_below_the_distance_never_overstate_it(directed: bool) -> None:
    rng = random.Random(0)
    for _ in range(4000):
        source, target = small_graph(rng, directed), small_graph(rng, directed)
        costs = EditCosts(*(rng.randrange(4) for _ in range(6)))
        distance = ged(source, target, costs=costs).distance
        cutoff = distance * rng.choice((0.0, 0.3, 0.6, 0.9))
        result = ged(source, target, costs=costs, cutoff=cutoff)
        assert cutoff < result.lower <= distance <= result.upper or distance == 0


@pytest.mark.parametrize("method", ["auto", "exact", "anchor_aware"])
def test_a_cutoff_far_above_all_costs_is_none(method: str) -> None:
    rng = random.Random(1)
    costs = EditCosts(*(1e-6 * cost for cost in (math.pi, math.e, 2**0.5, 3**0.5, 5**0.5, 7**0.5)))
    for _ in range(60):
        source, target = small_graph(rng, False), small_graph(rng, False)
        found = ged(source, target, costs=costs, method=method, cutoff=0.5)
        assert found.distance == pytest.approx(ged(source, target, costs=costs).distance, rel=1e-12)
