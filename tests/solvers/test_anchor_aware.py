"""The anchor-aware tree search: another way to the same distances."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from graphedx import EditCosts, StopReason, ged, induced_cost
from graphedx.costs import UNIFORM
from solvers.samples import large_graph, molecule, random_case


@pytest.mark.parametrize("seed", range(48))
def test_it_agrees_with_the_exact_search(seed: int) -> None:
    source, target, costs = random_case(seed, most=9)
    result, truth = (ged(source, target, costs=costs, method=method) for method in ("anchor_aware", "exact"))
    assert result.stopped_by is StopReason.PROVED
    assert result.distance == pytest.approx(truth.distance, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("source", "target", "distance"),
    [
        (nx.path_graph(30), nx.cycle_graph(30), 1),
        (nx.star_graph(12), nx.path_graph(13), 2 * (12 - 2)),
        (nx.complete_graph(9), nx.empty_graph(9), 36),
        (nx.empty_graph(0), nx.path_graph(20), 20 + 19),
        (nx.petersen_graph(), nx.circular_ladder_graph(5), 8),
    ],
)
def test_distances_known_by_hand(source: nx.Graph, target: nx.Graph, distance: float) -> None:
    assert ged(source, target, costs=UNIFORM, method="anchor_aware").distance == distance


@pytest.mark.parametrize("seed", range(6))
def test_cutoffs_on_molecules(seed: int) -> None:
    rng = random.Random(seed)
    source, target = molecule(rng, 12), molecule(rng, 14)
    costs = EditCosts(3, 1, 2, 1, 1, 1)
    distance = ged(source, target, costs=costs).distance
    assert ged(source, target, costs=costs, method="anchor_aware", cutoff=distance).distance == distance
    below = ged(source, target, costs=costs, method="anchor_aware", cutoff=distance - 0.5)
    assert distance - 0.5 < below.lower <= distance <= below.upper
    assert below.stopped_by in (StopReason.CUTOFF, StopReason.PROVED)


def test_it_visits_more_nodes_than_the_search_with_dual_ascent() -> None:
    rng = random.Random(5)
    pairs = [(molecule(rng, 16), molecule(rng, 17)) for _ in range(5)]
    plain, ascending = (sum(ged(a, b, method=m).nodes for a, b in pairs) for m in ("anchor_aware", "exact"))
    assert plain > ascending > 0


def test_it_stops_in_time_with_bounds_that_hold() -> None:
    source, target = large_graph(40, 0.5, 1), large_graph(40, 0.5, 2)
    result = ged(source, target, method="anchor_aware", time_limit=0.05)
    assert result.stopped_by is StopReason.TIME
    assert 0 <= result.lower < result.upper == induced_cost(result.mapping, result.costs)
