"""The Hausdorff edit distance: equal to its definition, rounded up where the distance is whole, blind to structure."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from graphedx import EditCosts, Graph, StopReason, ged
from graphedx.errors import MethodError
from solvers import textbook
from solvers.samples import random_graph

HALVES = EditCosts(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize("seed", range(24))
def test_it_is_what_the_definition_says(seed: int) -> None:
    rng = random.Random(seed)
    source, target = (random_graph(rng, rng.randint(1, 9), directed=False) for _ in range(2))
    costs = EditCosts(*(round(rng.uniform(0, 3), 6) for _ in range(6)))
    result = ged(source, target, costs=costs, method="hed")
    assert result.lower == pytest.approx(min(result.upper, textbook.hausdorff(source, target, costs)), rel=1e-12)


def test_a_path_and_a_star_by_hand() -> None:
    # Leaves find leaves; the two middle nodes of the path and the centre of the star lack an edge to their nearest.
    # An edge is charged half at a node, and a node pays half of that: three quarters of an edge in all.
    path, star = nx.path_graph(4), nx.star_graph(3)
    assert ged(path, star, costs=HALVES, method="hed").lower == pytest.approx(0.375)
    assert ged(path, star, method="hed").lower == 1  # under whole costs the distance is whole


def test_a_surplus_of_nodes_is_seen() -> None:
    result = ged(Graph(2), Graph(5), costs=EditCosts(node_ins=4), method="hed")
    assert (result.lower, result.stopped_by) == (12, StopReason.PROVED)


def test_it_cannot_tell_two_triangles_from_a_hexagon() -> None:
    triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    result = ged(triangles, nx.cycle_graph(6), method="hed")
    assert (result.lower, result.stopped_by) == (0, StopReason.BOUND)
    assert ged(triangles, nx.cycle_graph(6)).distance == 4


def test_a_cutoff_below_it_is_exceeded() -> None:
    source, target = Graph(5, node_labels="aabbc"), Graph(8, [(0, 1), (1, 2)], node_labels="xxyyzzzz")
    assert ged(source, target, method="hed", cutoff=2).stopped_by is StopReason.CUTOFF
    assert ged(source, target, method="hed", cutoff=20).stopped_by is StopReason.BOUND


def test_it_has_no_options() -> None:
    with pytest.raises(MethodError, match=r"method 'hed' has no option 'starts'; it has none"):
        ged(Graph(1), Graph(1), method="hed", starts=3)
