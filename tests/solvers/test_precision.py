"""Costs of very different size: a proven distance is right to its last digits, however dear the edits it avoids."""

from __future__ import annotations

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
