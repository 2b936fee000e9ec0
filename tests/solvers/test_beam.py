"""Beam search: as many expansions as were asked for, and a proof where they are enough."""

from __future__ import annotations

import random

import pytest

from graphedx import Graph, StopReason, ged
from graphedx.errors import MethodError
from solvers.samples import large_graph, molecule, random_case


@pytest.mark.parametrize("expansions", [24, 240, 2400])
def test_it_visits_as_many_nodes_as_it_may(expansions: int) -> None:
    source, target = large_graph(24, 0.8, 1, labels=3), large_graph(25, 0.8, 2, labels=3)
    result = ged(source, target, method="beam", expansions=expansions)
    assert expansions / 2 < result.nodes <= 1 + expansions  # the root, and then one level a node of the smaller graph
    assert result.stopped_by is StopReason.BOUND


def test_one_expansion_is_a_beam_of_width_one() -> None:
    source, target = large_graph(24, 0.8, 1, labels=3), large_graph(25, 0.8, 2, labels=3)
    one, many = (ged(source, target, method="beam", expansions=expansions) for expansions in (1, 47))
    assert (one.lower, one.images, one.nodes) == (many.lower, many.images, many.nodes)


def test_a_wide_beam_is_the_whole_tree() -> None:
    for seed in range(24):
        source, target, costs = random_case(seed, most=7)
        result = ged(source, target, costs=costs, method="beam", expansions=10**6)
        assert result.distance == pytest.approx(ged(source, target, costs=costs).distance, rel=1e-12, abs=1e-12)


def test_a_wider_beam_helps() -> None:
    rng = random.Random(0)
    pairs = [(molecule(rng, 20), molecule(rng, 20)) for _ in range(10)]
    narrow, wide = ([ged(a, b, method="beam", expansions=n) for a, b in pairs] for n in (1, 3000))
    assert sum(result.upper for result in wide) < sum(result.upper for result in narrow)
    assert sum(result.lower for result in wide) > sum(result.lower for result in narrow)


def test_its_bound_is_at_least_that_of_its_root() -> None:
    rng = random.Random(3)
    for _ in range(10):
        source, target = molecule(rng, 18), molecule(rng, 19)
        one, other = (ged(source, target, method=method).lower for method in ("branch", "beam"))
        assert one <= other


def test_the_width_is_no_option() -> None:
    with pytest.raises(MethodError, match="method 'beam' has no option 'width'; its options: expansions"):
        ged(Graph(1), Graph(1), method="beam", width=8)
