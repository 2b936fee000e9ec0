"""The tightened branch bound: above ``branch``, below the distance, and never worse for more rounds."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from graphedx import EditCosts, Graph, ged
from graphedx.errors import MethodError
from solvers.samples import molecule, random_case

COSTS = EditCosts(3, 1, 2, 1, 1, 1)


@pytest.mark.parametrize("seed", range(12))
def test_lower_bounds_come_in_order(seed: int) -> None:
    rng = random.Random(seed)
    source, target = molecule(rng, 12), molecule(rng, 14)
    bounds = [ged(source, target, costs=COSTS, method=m).lower for m in ("hed", "branch", "branch_tight", "exact")]
    assert bounds == sorted(bounds)
    assert bounds[2] > bounds[1]  # on molecules there is always something to gain


@pytest.mark.parametrize("seed", range(24))
def test_more_rounds_are_never_worse(seed: int) -> None:
    source, target, costs = random_case(seed, most=12)
    results = [ged(source, target, costs=costs, method="branch_tight", rounds=rounds) for rounds in (1, 2, 5, 20, 200)]
    lowers, uppers = [result.lower for result in results], [result.upper for result in results]
    assert lowers == sorted(lowers)
    assert uppers == sorted(uppers, reverse=True)
    assert lowers[-1] <= ged(source, target, costs=costs).distance * (1 + 1e-12)


def test_it_sees_what_one_assignment_cannot() -> None:
    # The degrees are the same, but in one tree the two nodes of degree 3 are joined and in the other they are not.
    joined = Graph(7, [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (5, 6)])
    apart = Graph(7, [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6)])
    assert ged(joined, apart, method="branch").lower == 0
    result = ged(joined, apart, method="branch_tight")
    assert result.lower == result.upper == 2


def test_it_cannot_tell_two_triangles_from_a_hexagon_either() -> None:
    triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    assert ged(triangles, nx.cycle_graph(6), method="branch_tight").lower == 0


@pytest.mark.parametrize("rounds", [0, -1, 1.5, True, "many", None, 10**9 + 1])
def test_rounds_are_a_whole_number(rounds: object) -> None:
    with pytest.raises(MethodError, match="rounds must be a whole number between 1 and 1000000000"):
        ged(Graph(1), Graph(1), method="branch_tight", rounds=rounds)  # type: ignore[arg-type]
