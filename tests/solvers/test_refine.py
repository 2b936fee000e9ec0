"""Local search: no move and no trade improves its mapping, and more starts are never worse."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from graphedx import EditCosts, GedResult, NodeMapping, ged, induced_cost
from solvers.samples import molecule, random_case


def neighbours(result: GedResult) -> Iterator[tuple[int, ...]]:
    """Every mapping in which one node has moved to a free place, or two have traded theirs."""
    images = list(result.images)
    free = [j for j in range(len(result.target)) if j not in images]
    for i in range(len(images)):
        for j in [*free, -1]:
            yield (*images[:i], j, *images[i + 1 :])
        for k in range(i):
            traded = images.copy()
            traded[i], traded[k] = traded[k], traded[i]
            yield tuple(traded)


@pytest.mark.parametrize("seed", range(8))
def test_no_move_and_no_trade_makes_it_cheaper(seed: int) -> None:
    rng = random.Random(seed)
    source, target = molecule(rng, 14), molecule(rng, 14 + seed % 3)
    costs = EditCosts(3, 1, 2, 1, 1, 1) if seed % 2 else EditCosts()
    result = ged(source, target, costs=costs, method="refine", starts=1 + 3 * seed)
    for images in neighbours(result):
        assert induced_cost(NodeMapping(source, target, images), costs) >= result.upper


@pytest.mark.parametrize("seed", range(24))
def test_more_starts_are_never_worse(seed: int) -> None:
    source, target, costs = random_case(seed, most=12)
    results = [ged(source, target, costs=costs, method="refine", starts=starts) for starts in (1, 2, 4, 10, 40, 300)]
    lowers, uppers = [result.lower for result in results], [result.upper for result in results]
    assert lowers == sorted(lowers)
    assert uppers == sorted(uppers, reverse=True)


def test_it_nearly_always_finds_the_distance_of_molecules() -> None:
    rng = random.Random(1)
    pairs = [(molecule(rng, 16), molecule(rng, 17)) for _ in range(100)]
    found = [ged(source, target, method="refine").upper == ged(source, target).distance for source, target in pairs]
    assert sum(found) >= 85


def test_its_lower_bound_is_at_least_that_of_branch() -> None:
    rng = random.Random(2)
    for _ in range(10):
        source, target = molecule(rng, 14), molecule(rng, 15)
        one, other = (ged(source, target, method=method).lower for method in ("branch", "refine"))
        assert one <= other
