"""The branch bound: equal to its definition, rounded to what a distance can be."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from graphedx import EditCosts, Graph, StopReason, ged, induced_cost
from graphedx.costs import UNIFORM
from solvers import textbook
from solvers.samples import random_graph


@pytest.mark.parametrize("seed", range(24))
def test_its_lower_bound_is_what_the_definition_says(seed: int) -> None:
    rng = random.Random(seed)
    source, target = (random_graph(rng, rng.randint(1, 9), directed=False) for _ in range(2))
    costs = EditCosts(*(round(rng.uniform(0, 3), 6) for _ in range(6)))
    result = ged(source, target, costs=costs, method="branch")
    expected = textbook.least(textbook.star_matrix(source, target, costs, share=0.5))
    assert result.lower == pytest.approx(expected, abs=1e-5)  # up to the millionths that distances are made of


def test_a_path_and_a_star_by_hand() -> None:
    # Degrees 2, 2, 1, 1 against 3, 1, 1, 1: at most 5 half edges in common, so 2 edges, and one goes, one comes.
    result = ged(nx.path_graph(4), nx.star_graph(3), costs=UNIFORM, method="branch")
    assert (result.lower, result.upper, result.stopped_by) == (2, 2, StopReason.PROVED)


def test_edge_labels_count_half_at_either_end() -> None:
    single, double = (Graph(3, [(0, 1), (1, 2)], edge_labels=labels) for labels in ("--", "=="))
    assert ged(single, double, method="branch").lower == 2
    mixed = Graph(3, [(0, 1), (1, 2)], edge_labels="-=")
    assert ged(single, mixed, method="branch").lower == 1


def test_it_cannot_tell_two_triangles_from_a_hexagon() -> None:
    triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    result = ged(triangles, nx.cycle_graph(6), method="branch")
    assert (result.lower, result.stopped_by) == (0, StopReason.BOUND)


def test_stars_of_many_edges_and_labels_are_bounded_too() -> None:
    rng = random.Random(0)
    star = [(0, i) for i in range(1, 41)]
    source, target = (Graph(41, star, edge_labels=[rng.randrange(3) for _ in star]) for _ in range(2))
    result = ged(source, target, method="branch")
    assert result.lower <= ged(source, target).distance <= result.upper == induced_cost(result.mapping, result.costs)
