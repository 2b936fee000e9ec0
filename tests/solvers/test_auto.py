"""The default method: a portfolio that proves what the exact search proves, and says what it knows when time is up."""

from __future__ import annotations

import math
import random

import pytest

from graphedx import EditCosts, Graph, StopReason, ged, induced_cost
from graphedx.errors import MethodError
from solvers.samples import large_graph, molecule, shuffled_copy

PATH = Graph(6, [(i, i + 1) for i in range(5)], node_labels="CCNOCC")
RING = Graph(6, [(i, (i + 1) % 6) for i in range(6)], node_labels="CNCCOC")
COSTS = EditCosts(3, 1, 2, 1, 1, 1)


def edited(nodes: int, seed: int) -> tuple[Graph, Graph]:
    """A molecule, and a shuffled copy without three of its edges."""
    rng = random.Random(seed)
    graph = molecule(rng, nodes)
    fewer = Graph(nodes, rng.sample(graph.edges, graph.num_edges - 3), node_labels=graph.node_labels)
    return graph, shuffled_copy(fewer, rng)


def test_it_is_the_default() -> None:
    assert ged(PATH, RING).method == "auto"


@pytest.mark.parametrize("sizes", [(6, 6), (12, 14), (18, 16)])
def test_it_proves_what_the_exact_search_proves(sizes: tuple[int, int]) -> None:
    rng = random.Random(sum(sizes))
    for _ in range(5):
        source, target = (molecule(rng, size) for size in sizes)
        result = ged(source, target, costs=COSTS)
        assert result.stopped_by is StopReason.PROVED
        assert result.distance == ged(source, target, costs=COSTS, method="exact").distance


@pytest.mark.parametrize("nodes", [33, 40, 60])
def test_above_32_nodes_it_refines_first_and_proves_all_the_same(nodes: int) -> None:
    for seed in range(3):
        source, target = edited(nodes, seed)
        assert ged(source, target, costs=EditCosts(node_sub=2)).distance == 3


def test_costs_that_no_lattice_holds_are_proven_too() -> None:
    costs = EditCosts(math.pi, math.e, 1e-7 * math.sqrt(2), 1e7 / 3, 0.1, 1 / 7)
    source, target = molecule(random.Random(1), 8), molecule(random.Random(2), 9)
    assert ged(source, target, costs=costs).distance == ged(source, target, costs=costs, method="exact").distance


@pytest.mark.parametrize("limit", [0, 0.001, 0.05])
@pytest.mark.parametrize("nodes", [32, 40, 80])
def test_a_time_limit_gives_an_interval(nodes: int, limit: float) -> None:
    source, target = large_graph(nodes, 0.5, 1), large_graph(nodes, 0.5, 2)
    result = ged(source, target, time_limit=limit)
    assert result.stopped_by is StopReason.TIME
    assert 0 <= result.lower < result.upper == induced_cost(result.mapping, result.costs)


def test_a_cutoff_is_answered_by_the_tree_that_asks_just_that() -> None:
    rng = random.Random(0)
    source, target = molecule(rng, 14), molecule(rng, 14)
    distance = ged(source, target).distance
    for cutoff in (distance - 1, distance):
        auto, exact = (ged(source, target, method=method, cutoff=cutoff) for method in ("auto", "exact"))
        assert (auto.lower, auto.upper, auto.images) == (exact.lower, exact.upper, exact.images)


def test_an_infinite_limit_is_none() -> None:
    limited, unlimited = ged(PATH, RING, costs=COSTS, time_limit=math.inf), ged(PATH, RING, costs=COSTS)
    assert (limited.distance, limited.images) == (unlimited.distance, unlimited.images)


def test_it_has_no_options() -> None:
    with pytest.raises(MethodError, match="method 'auto' has no option 'starts'; it has none"):
        ged(PATH, RING, starts=3)


def test_a_short_limit_before_any_mapping_is_known_does_not_crash() -> None:
    rng = random.Random(1)
    sparse, dense = (
        Graph(nodes, [(i, j) for i in range(nodes) for j in range(i) if rng.random() < density])
        for nodes, density in ((300, 0.25), (302, 0.8))
    )
    for step in range(60):  # the crash needed the limit to strike inside one particular stage
        result = ged(sparse, dense, time_limit=0.004 * 1.007**step)
        assert 0 <= result.lower <= result.upper


def test_a_substitution_that_no_lattice_can_express_leaves_a_valid_mapping() -> None:
    def path(node: str, edge: str) -> Graph:
        edges = [(i, i + 1) for i in range(149)]
        return Graph(150, edges, node_labels=[node] * 150, edge_labels=[edge] * 149)

    costs = EditCosts(1e-9, 1e-9, 1e9, 1e9, 1e-8, 3e9)
    result = ged(path("A", "e"), path("B", "f"), costs=costs, time_limit=5)
    assert result.lower <= 298e9 <= result.upper
    assert induced_cost(result.mapping, costs) == result.upper
