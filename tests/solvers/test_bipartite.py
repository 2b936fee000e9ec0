"""Bipartite matching: its mapping is a best assignment of whole stars."""

from __future__ import annotations

import random

import pytest

from graphedx import EditCosts, GedResult, Graph, StopReason, ged
from solvers import textbook
from solvers.samples import molecule, random_graph, shuffled_copy


def assigned(result: GedResult, matrix: textbook.Matrix) -> float:
    """What the assignment that the mapping stands for costs."""
    n, m = len(result.source), len(result.target)
    total = sum(matrix[i, j] if j >= 0 else matrix[i, m + i] for i, j in enumerate(result.images))
    return float(total + sum(matrix[n + j, j] for j in range(m) if j not in result.images))


@pytest.mark.parametrize("seed", range(24))
def test_no_assignment_of_stars_is_cheaper_than_its_mapping(seed: int) -> None:
    rng = random.Random(seed)
    source, target = (random_graph(rng, rng.randint(1, 9), directed=False) for _ in range(2))
    costs = EditCosts(*(round(rng.uniform(0, 3), 6) for _ in range(6)))
    result = ged(source, target, costs=costs, method="bipartite")
    matrix = textbook.star_matrix(source, target, costs, share=1)
    assert assigned(result, matrix) == pytest.approx(textbook.least(matrix))


def test_nodes_that_differ_in_label_or_star_find_their_own_again() -> None:
    rng = random.Random(3)
    graph = molecule(rng, 15)
    graph = Graph(15, graph.edges, node_labels=[f"{label}{i}" for i, label in enumerate(graph.node_labels)])
    assert ged(graph, shuffled_copy(graph, rng), method="bipartite").distance == 0


def test_it_looks_at_the_edges_around_a_node_but_not_at_where_they_lead() -> None:
    # Both trees have degrees 3, 3, 2, 1, 1, 1, 1, and so their stars fit perfectly.
    joined = Graph(7, [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (5, 6)])
    apart = Graph(7, [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6)])
    costs = EditCosts()
    result = ged(joined, apart, costs=costs, method="bipartite")
    assert assigned(result, textbook.star_matrix(joined, apart, costs, share=1)) == 0
    assert result.upper >= 2
    assert result.stopped_by is StopReason.BOUND


@pytest.mark.parametrize("method", ["bipartite", "branch", "branch_tight"])
def test_no_assignment_costs_more_than_deleting_and_inserting_everything(method: str) -> None:
    source = Graph(5, [(2, 1), (3, 2)], node_labels=[0] * 5, directed=True)
    target = Graph(4, [(1, 3), (2, 0), (2, 1), (2, 3), (3, 0)], node_labels=[1] * 4, directed=True)
    assert ged(source, target, costs=EditCosts(0, 0, 0, 1, 1, 0), method=method).upper <= 5
