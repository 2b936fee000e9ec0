"""FORI: the programme itself, agreement with the native search, and a relaxation at least as strong as F2's."""

from __future__ import annotations

import random

import numpy as np
import pytest

from graphedx import EditCosts, Graph, StopReason, ged
from graphedx.costs import MAX_COMMON_SUBGRAPH
from graphedx.solvers.milp.fori import FORI, formulate
from solvers.samples import random_case, random_graph

pytest.importorskip("highspy", reason="FORI needs HiGHS")


def test_an_undirected_edge_pair_has_two_variables_and_each_of_them_four_rows() -> None:
    source, target = Graph(3, [(0, 1), (1, 2)]), Graph(4, [(0, 1), (1, 2), (2, 3)])
    programme = formulate(source, target, EditCosts().tables(source, target))
    assert len(programme.gains) == 3 * 4 + 2 * 2 * 3
    assert set(np.diff(programme.starts)[programme.pairs :]) == {4}
    assert len(programme.limits) == 3 + 4 + 2 * (2 * 4) + 2 * (3 * 3)
    assert len(programme.values) == FORI.nonzeros(source, target)
    assert programme.base == 3 + 2 + 4 + 3


def test_a_directed_edge_pair_has_one_variable() -> None:
    source, target = (Graph(n, [(0, 1)], directed=True) for n in (2, 3))
    programme = formulate(source, target, EditCosts().tables(source, target))
    assert len(programme.gains) == 2 * 3 + 1
    assert len(programme.limits) == 2 + 3 + 4  # rows that no y is in are left out


def test_an_edge_pair_dearer_than_replacing_has_no_variable() -> None:
    source, target = (Graph(2, [(0, 1)], edge_labels=[label]) for label in (1, 2))
    assert len(formulate(source, target, EditCosts(edge_sub=3).tables(source, target)).gains) == 4
    assert len(formulate(source, target, EditCosts(edge_sub=1.5).tables(source, target)).gains) == 6


@pytest.mark.parametrize("seed", range(48))
def test_fori_agrees_with_the_native_search(seed: int) -> None:
    source, target, costs = random_case(seed)
    result, truth = ged(source, target, costs=costs, method="fori"), ged(source, target, costs=costs, method="exact")
    assert result.stopped_by is StopReason.PROVED
    assert result.distance == pytest.approx(truth.distance, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(24))
def test_its_relaxation_is_at_least_as_strong_as_that_of_f2(seed: int) -> None:
    source, target, costs = random_case(seed, most=8)
    weak, strong = (ged(source, target, costs=costs, method=method, relax=True) for method in ("f2", "fori"))
    truth = ged(source, target, costs=costs).distance
    assert weak.lower <= strong.lower + 1e-6
    assert strong.lower <= truth * (1 + 1e-12)
    assert strong.upper >= truth * (1 - 1e-12)


def test_its_relaxation_sees_from_both_sides_what_that_of_f2_sees_from_one() -> None:
    star, path = Graph(6, [(0, i) for i in range(1, 6)]), Graph(6, [(i, i + 1) for i in range(5)])
    bounds = {
        (m, a, b): ged(a, b, method=m, relax=True).lower
        for m in ("f2", "fori")
        for a, b in ((star, path), (path, star))
    }
    assert bounds == {("f2", star, path): 0, ("f2", path, star): 6, ("fori", star, path): 6, ("fori", path, star): 6}


def test_forbidding_substitutions_by_a_huge_cost_spoils_nothing() -> None:
    rng = random.Random(7)
    source, target = random_graph(rng, 6, False), random_graph(rng, 6, False)
    found = ged(source, target, costs=MAX_COMMON_SUBGRAPH, method="fori")
    assert found.distance == ged(source, target, costs=MAX_COMMON_SUBGRAPH).distance
