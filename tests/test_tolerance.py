"""The tolerance of a result: 0 for exact sums, small for fractions and real numbers, and large enough to be true."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from graphedx import EditCosts, Graph, NodeMapping, StopReason, ged
from graphedx.costs import MAX_COMMON_SUBGRAPH, UNIFORM, UNIT
from graphedx.edits import EditPath
from graphedx.result import GedResult
from graphedx.solvers.exact.brute_force import all_images
from graphedx.solvers.milp.certificate import LOOSEST_PROOF
from solvers.samples import random_case

PATH, RING = Graph(4, [(0, 1), (1, 2), (2, 3)]), Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])


def tolerance(costs: EditCosts, method: str = "exact", upper: float = 1.0) -> float:
    return GedResult(PATH, RING, costs, method, upper, upper, StopReason.PROVED, (0, 1, 2, 3)).tolerance


@pytest.mark.parametrize("costs", [UNIT, UNIFORM, MAX_COMMON_SUBGRAPH, EditCosts(0, 0, 0, 0), EditCosts(1e9, 1, 3, 2)])
def test_whole_costs_have_no_tolerance(costs: EditCosts) -> None:
    assert tolerance(costs) == 0.0


def test_fractions_with_a_common_denominator_have_a_small_one() -> None:
    assert tolerance(EditCosts(0.1, 0.3, 5.5, 0.825)) == 1e-14


def test_real_costs_have_a_larger_one() -> None:
    real = tolerance(EditCosts(math.pi, math.e, math.sqrt(2), 1))
    assert 1e-13 <= real < 1e-11


def test_sums_too_large_for_doubles_are_not_exact() -> None:
    assert tolerance(EditCosts(1e17, 1e17, 1, 1), upper=1e17) >= 1e-13


def test_a_distance_of_zero_is_exact() -> None:
    assert tolerance(EditCosts(math.pi, math.e, math.sqrt(2), 1), upper=0.0) == 0.0


@pytest.mark.parametrize("method", ["f2", "fori"])
def test_linear_programmes_have_the_tolerance_of_their_proofs(method: str) -> None:
    assert tolerance(UNIT, method) == LOOSEST_PROOF


def exact_cost(mapping: NodeMapping, costs: EditCosts) -> Fraction:
    return sum((Fraction(operation.cost) for operation in EditPath.from_mapping(mapping, costs)), Fraction(0))


@pytest.mark.parametrize("seed", range(8))
def test_no_mapping_is_cheaper_by_more_than_the_tolerance(seed: int) -> None:
    source, target, _ = random_case(seed, most=4)
    rng = random.Random(seed)
    costs = EditCosts(*(rng.uniform(0, 3) if seed % 2 else rng.randint(0, 300) / 100 for _ in range(6)))
    result = ged(source, target, costs=costs)
    least = min(
        exact_cost(NodeMapping(source, target, images), costs) for images in all_images(len(source), len(target))
    )
    assert result.proven
    assert least >= Fraction(result.upper) * (1 - Fraction(result.tolerance)) - Fraction(math.ulp(result.upper))
