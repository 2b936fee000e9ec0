"""The native search on graphs too large for brute force: known distances, limits, and pairs solved in a batch."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from graphedx import EditCosts, Graph, StopReason, ged, induced_cost
from graphedx._kernels import Batch
from graphedx.costs import LEAST
from solvers.samples import molecule

UNIFORM = EditCosts(1, 1, 1, 1, 0, 0)


@pytest.mark.parametrize(
    ("source", "target", "distance"),
    [
        (nx.path_graph(30), nx.cycle_graph(30), 1),
        (nx.star_graph(12), nx.path_graph(13), 2 * (12 - 2)),
        (nx.complete_graph(9), nx.empty_graph(9), 36),
        (nx.petersen_graph(), nx.circular_ladder_graph(5), None),
        (nx.empty_graph(0), nx.path_graph(20), 20 + 19),
        (nx.cycle_graph(64), nx.cycle_graph(65), 4),
    ],
)
def test_distances_known_by_hand(source: nx.Graph, target: nx.Graph, distance: float | None) -> None:
    result = ged(source, target, costs=UNIFORM)
    assert result.proven
    if distance is not None:
        assert result.distance == distance
    assert induced_cost(result.mapping, UNIFORM) == result.distance


@pytest.mark.parametrize("seed", range(20))
def test_a_graph_that_was_edited_is_no_further_away_than_the_edits(seed: int) -> None:
    rng = random.Random(seed)
    graph = molecule(rng, 18)
    fewer = rng.sample(graph.edges, graph.num_edges - 2)
    edited = Graph(graph.nodes, fewer, node_labels=graph.node_labels)
    result = ged(graph, edited, costs=EditCosts(node_sub=2))
    assert result.distance == 2  # two edges fewer cannot be had for less


@pytest.mark.parametrize("seed", range(10))
def test_larger_pairs_obey_symmetry_and_cutoffs(seed: int) -> None:
    rng = random.Random(seed)
    source, target = molecule(rng, 12), molecule(rng, 14)
    costs = EditCosts(3, 1, 2, 1, 1, 1)
    distance = ged(source, target, costs=costs).distance
    assert ged(target, source, costs=costs.swapped()).distance == distance
    assert ged(source, target, costs=costs, cutoff=distance).distance == distance
    below = ged(source, target, costs=costs, cutoff=distance - 0.5)
    assert below.lower > distance - 0.5
    assert below.stopped_by in (StopReason.CUTOFF, StopReason.PROVED)


def test_a_time_limit_gives_bounds_that_hold() -> None:
    rng = random.Random(1)
    source, target = molecule(rng, 60), molecule(rng, 60)
    result = ged(source, target, costs=UNIFORM, time_limit=0.05)
    assert result.stopped_by is StopReason.TIME
    assert 0 <= result.lower < result.upper
    assert induced_cost(result.mapping, UNIFORM) == result.upper


def test_a_batch_says_what_single_pairs_say() -> None:
    rng = random.Random(2)
    graphs = [molecule(rng, rng.randint(6, 10)) for _ in range(8)]
    costs = EditCosts(3, 1, 2, 1, 0.5, 1)
    pairs = [(i, j) for i in range(8) for j in range(8)]
    answers = Batch(graphs, costs).solve(pairs)
    for (i, j), answer in zip(pairs, answers, strict=True):
        assert answer.upper == answer.lower == ged(graphs[i], graphs[j], costs=costs).distance


@pytest.mark.parametrize("method", ["auto", "exact", "anchor_aware"])
def test_the_smallest_costs_there_are_can_be_told_apart(method: str) -> None:
    costs = EditCosts(5 * LEAST, 5 * LEAST, 2 * LEAST, 2 * LEAST, LEAST, 0)
    source = Graph(6, [(0, 1), (1, 2), (2, 3)], node_labels="aabbcc")
    target = Graph(6, [(0, 1), (1, 2), (0, 2)], node_labels="abcabd")
    assert ged(source, target, costs=costs, method=method).distance == pytest.approx(7 * LEAST, abs=0)
