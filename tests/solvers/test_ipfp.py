"""Integer projected fixed point: more starts are never worse, and many of them find what is to be found."""

from __future__ import annotations

import random

import pytest

from graphedx import EditCosts, Graph, StopReason, ged
from graphedx.errors import MethodError
from solvers.samples import molecule, random_case, shuffled_copy


@pytest.mark.parametrize("seed", range(24))
def test_more_starts_are_never_worse(seed: int) -> None:
    source, target, costs = random_case(seed, most=12)
    uppers = [ged(source, target, costs=costs, method="ipfp", starts=starts).upper for starts in (1, 2, 5, 10, 40)]
    assert uppers == sorted(uppers, reverse=True)


def test_more_starts_help() -> None:
    rng = random.Random(0)
    pairs = [(molecule(rng, 16), molecule(rng, 16)) for _ in range(10)]
    one, many = (sum(ged(a, b, method="ipfp", starts=starts).upper for a, b in pairs) for starts in (1, 40))
    assert many < one
    assert many <= 1.05 * sum(ged(a, b).distance for a, b in pairs)


@pytest.mark.parametrize("seed", range(5))
def test_a_shuffled_copy_is_recognised(seed: int) -> None:
    rng = random.Random(seed)
    graph = molecule(rng, 20)
    assert ged(graph, shuffled_copy(graph, rng), method="ipfp", starts=40).upper == 0


def test_it_proves_nothing_from_below_but_what_the_sizes_say() -> None:
    path, ring = Graph(6, [(i, i + 1) for i in range(5)]), Graph(6, [(i, (i + 1) % 6) for i in range(6)])
    result = ged(path, ring, costs=EditCosts(1, 1, 1, 1, 0, 0), method="ipfp")
    assert (result.lower, result.upper, result.stopped_by) == (1, 1, StopReason.PROVED)  # one edge more
    star = Graph(6, [(0, i) for i in range(1, 6)])
    result = ged(path, star, costs=EditCosts(1, 1, 1, 1, 0, 0), method="ipfp")
    assert (result.lower, result.upper, result.stopped_by) == (0, 6, StopReason.BOUND)


def test_an_unknown_option_is_answered_with_the_known_one() -> None:
    with pytest.raises(MethodError, match="method 'ipfp' has no option 'rounds'; its options: starts"):
        ged(Graph(1), Graph(1), method="ipfp", rounds=3)


@pytest.mark.parametrize("method", ["ipfp", "refine"])
def test_weights_do_not_overflow_on_many_rows_with_real_costs(method: str) -> None:
    order = list(range(500))
    random.Random(2).shuffle(order)
    ring = Graph(500, [(i, (i + 1) % 500) for i in range(500)], node_labels=range(500))
    copy = Graph(
        500,
        [(order[i], order[(i + 1) % 500]) for i in range(500)],
        node_labels=sorted(range(500), key=order.__getitem__),
    )
    costs = EditCosts(1.1234567, 1.7654321, 0.987654321, 1.23456789, 2.3456789, 0.5)
    assert ged(ring, copy, costs=costs, method=method).upper == 0
