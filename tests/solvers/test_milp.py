"""What F2 and FORI share: points of mappings, certificates, the start, limits, and the thread that HiGHS runs in."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from graphedx import EditCosts, Graph, NodeMapping, StopReason, ged, induced_cost
from graphedx.costs import MAX_COMMON_SUBGRAPH, UNIFORM, UNIT
from graphedx.errors import MethodError
from graphedx.solvers.exact.brute_force import all_images
from graphedx.solvers.milp import f2, fori, highs, solving
from graphedx.solvers.milp.certificate import certify, common_unit, dual_bound
from graphedx.solvers.milp.programme import Programme, point
from solvers.samples import random_case, random_graph

pytest.importorskip("highspy", reason="these methods need HiGHS")

FORMULATIONS = {"f2": f2.F2, "fori": fori.FORI}


@pytest.fixture(params=FORMULATIONS)
def formulation(request: pytest.FixtureRequest) -> solving.Formulation:
    return FORMULATIONS[request.param]


def written(formulation: solving.Formulation, source: Graph, target: Graph, costs: EditCosts) -> Programme:
    return formulation.formulate(source, target, costs.tables(source, target))


def dense(programme: Programme) -> Any:
    matrix = np.zeros((len(programme.limits), len(programme.gains)))
    np.add.at(matrix, (programme.rows, programme.column), programme.values)
    return matrix


@pytest.mark.parametrize("directed", [False, True])
def test_every_mapping_is_a_point_of_the_programme_and_costs_the_same(
    formulation: solving.Formulation, directed: bool
) -> None:
    rng = random.Random(3)
    costs = EditCosts(3, 1, 2, 1, 1, 1)
    source, target = random_graph(rng, 3, directed), random_graph(rng, 4, directed)
    programme = written(formulation, source, target, costs)
    matrix = dense(programme)
    for images in all_images(3, 4):
        solution = point(programme, images)
        assert np.all(matrix @ solution <= programme.limits)
        cost = programme.base + programme.gains @ solution
        assert cost == pytest.approx(induced_cost(NodeMapping(source, target, images), costs))


def test_a_node_pair_that_cannot_pay_off_is_left_out_of_a_point(formulation: solving.Formulation) -> None:
    source, target = Graph(2, [(0, 1)], node_labels="ab"), Graph(2, [(0, 1)], node_labels="ac")
    programme = written(formulation, source, target, MAX_COMMON_SUBGRAPH)
    assert programme.base + programme.gains @ point(programme, (0, 1)) == 4  # b, c and both edges
    assert point(programme, (0, 1))[3] == 0


def test_no_multipliers_prove_more_than_the_distance(formulation: solving.Formulation) -> None:
    for seed in range(12):
        source, target, costs = random_case(seed, most=5)
        programme = written(formulation, source, target, costs)
        truth = ged(source, target, costs=costs).distance
        draw = np.random.default_rng(seed)
        for _ in range(20):
            multipliers = draw.normal(size=len(programme.limits)) * draw.choice([0.1, 1.0, 10.0])
            assert dual_bound(programme, multipliers) <= truth * (1 + 1e-12)


@pytest.mark.parametrize(
    ("costs", "unit"),
    [
        (UNIFORM, 2.0),  # nothing but whole pairs of a deletion and an insertion is ever saved
        (UNIT, 1.0),
        (EditCosts(4, 2, 6, 4, 2, 0), 2.0),
        (EditCosts(0.5, 0.25, 1, 1, 0.75, 1), 0.25),
        (EditCosts(1, 1, 1, 1, math.pi, math.e), 0.0),
        (EditCosts(1e15, 1, 1e-6, 1, 1, 1), 0.0),
        (EditCosts(0, 0, 0, 0, 0, 0), math.inf),
    ],
)
def test_distances_are_whole_units_apart(costs: EditCosts, unit: float) -> None:
    rng = random.Random(1)
    source, target = random_graph(rng, 5, False), random_graph(rng, 6, False)
    assert common_unit(costs.tables(source, target)) == unit


def test_bounds_are_rounded_to_what_a_distance_can_be() -> None:
    assert certify(10.0, 2.0, 4.5, 8.0, finished=True) == (6.0, StopReason.BOUND)
    assert certify(10.0, 2.0, 4.0, 8.0, finished=False) == (4.0, StopReason.TIME)
    assert certify(10.0, 2.0, 6.1, 8.0, finished=False) == (8.0, StopReason.PROVED)
    assert certify(10.5, 2.0, 4.6, 8.5, finished=True) == (4.6, StopReason.BOUND)


def test_without_a_unit_only_a_finished_search_proves_within_its_tolerance() -> None:
    assert certify(10.0, 0.0, 8.0 - 1e-7, 8.0, finished=True) == (8.0, StopReason.PROVED)
    assert certify(10.0, 0.0, 8.0 - 1e-7, 8.0, finished=False) == (8.0 - 1e-7, StopReason.TIME)
    assert certify(10.0, 0.0, -3.0, 8.0, finished=True) == (0.0, StopReason.BOUND)


# -- the relaxation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_relaxation_bounds_the_distance_from_both_sides(formulation: solving.Formulation, seed: int) -> None:
    source, target, costs = random_case(seed)
    result = ged(source, target, costs=costs, method=formulation.name, relax=True)
    truth = ged(source, target, costs=costs).distance
    assert result.lower <= truth * (1 + 1e-12)
    assert truth <= result.upper * (1 + 1e-12)
    assert result.upper == induced_cost(result.mapping, costs)
    assert result.stopped_by is (StopReason.PROVED if result.proven else StopReason.BOUND)
    assert result.nodes == 0


def test_the_mapping_of_the_relaxation_is_taken_where_it_is_cheaper(
    formulation: solving.Formulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = random_graph(random.Random(2), 6, False)
    monkeypatch.setattr(solving, "_start", worst_start)
    assert worst_start(graph, graph, UNIT, math.inf).upper > 0
    assert ged(graph, graph, method=formulation.name, relax=True).upper == 0


def test_a_cutoff_below_the_bound_is_exceeded(formulation: solving.Formulation) -> None:
    source, target = Graph(2), Graph(5)
    result = ged(source, target, method=formulation.name, relax=True, cutoff=1)
    assert result.lower > 1


# -- start and limits -------------------------------------------------------------------------------------------------


def worst_start(source: Graph, target: Graph, costs: EditCosts, deadline: float) -> Any:
    """A start that maps nothing and knows nothing."""
    from graphedx import GedResult

    nowhere = (-1,) * len(source)
    upper = induced_cost(NodeMapping(source, target, nowhere), costs)
    return GedResult(source, target, costs, "refine", 0.0, upper, StopReason.BOUND, nowhere)


@pytest.fixture
def blind_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highs, "relaxation", lambda *_: highs.Outcome(-math.inf, True, None))


@pytest.mark.usefixtures("blind_relaxation")
def test_highs_starts_from_the_mapping_of_the_heuristic(
    formulation: solving.Formulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, costs = random_case(5)
    starts = []

    def spy(programme: Programme, unit: float, start: Any, budget: highs.Budget) -> highs.Outcome:
        starts.append(programme.base + programme.gains @ start)
        return highs.UNFINISHED

    monkeypatch.setattr(highs, "optimum", spy)
    result = ged(source, target, costs=costs, method=formulation.name)
    heuristic = ged(source, target, costs=costs, method=solving.START)
    assert starts == [pytest.approx(heuristic.upper)]
    assert result.upper == heuristic.upper
    assert result.lower < heuristic.lower  # HiGHS has not proved anything
    assert result.stopped_by is StopReason.BOUND


@pytest.mark.parametrize(("time_limit", "stop"), [(None, StopReason.BOUND), (60, StopReason.TIME)])
def test_a_bound_of_the_start_is_no_proof(
    formulation: solving.Formulation, time_limit: float | None, stop: StopReason, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ring = Graph(6, [(i, i + 1) for i in range(5)]), Graph(6, [(i, (i + 1) % 6) for i in range(6)])
    costs = EditCosts(1, 1, 1, 4, 4, 1)
    assert ged(path, ring, costs=costs, method=solving.START).distance == 4
    unfinished = highs.Outcome(-41.0, False, None, nodes=30)
    monkeypatch.setattr(highs, "relaxation", lambda *_: unfinished._replace(finished=True))
    monkeypatch.setattr(highs, "optimum", lambda *_: unfinished)
    result = ged(path, ring, costs=costs, method=formulation.name, time_limit=time_limit)
    assert (result.lower, result.upper, result.stopped_by, result.nodes) == (0.0, 4.0, stop, 30)


def test_a_start_that_the_relaxation_proves_best_needs_no_tree(
    formulation: solving.Formulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ring = Graph(4, [(0, 1), (1, 2), (2, 3)]), Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    monkeypatch.setattr(highs, "optimum", lambda *_: pytest.fail("branch and cut was asked"))
    assert ged(path, ring, method=formulation.name).distance == 1


@pytest.mark.usefixtures("blind_relaxation")
def test_branch_and_cut_alone_finds_the_distance(formulation: solving.Formulation) -> None:
    for seed in range(6):
        source, target, costs = random_case(seed)
        result = ged(source, target, costs=costs, method=formulation.name)
        assert result.distance == pytest.approx(ged(source, target, costs=costs).distance)


def test_a_bad_start_does_not_change_the_distance(
    formulation: solving.Formulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, costs = random_case(7)
    monkeypatch.setattr(solving, "_start", worst_start)
    assert (
        ged(source, target, costs=costs, method=formulation.name).distance == ged(source, target, costs=costs).distance
    )


@pytest.mark.usefixtures("blind_relaxation")
def test_a_solution_worse_than_the_start_is_not_taken(
    formulation: solving.Formulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, costs = random_case(5)
    monkeypatch.setattr(highs, "optimum", lambda programme, *_: highs.Outcome(0.0, False, 0 * programme.gains))
    heuristic = ged(source, target, costs=costs, method=solving.START)
    assert ged(source, target, costs=costs, method=formulation.name).images == heuristic.images


@pytest.mark.parametrize("relax", [False, True])
def test_a_programme_too_large_is_refused_or_left_out(
    formulation: solving.Formulation, relax: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, costs = random_case(5)
    monkeypatch.setattr(solving, "MOST_NONZEROS", 10)
    with pytest.raises(MethodError, match="million coefficients"):
        ged(source, target, costs=costs, method=formulation.name, relax=relax)
    result = ged(source, target, costs=costs, method=formulation.name, relax=relax, time_limit=60)
    assert result.lower <= ged(source, target, costs=costs).distance <= result.upper
    assert result.proven or result.stopped_by is StopReason.TIME


@pytest.mark.parametrize("constant", ["BUILD", "PREPARE"])
def test_what_would_take_longer_than_the_time_left_is_not_begun(
    formulation: solving.Formulation, constant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, costs = random_case(5)
    monkeypatch.setattr(solving, constant, 1.0)
    monkeypatch.setattr(highs, "_loaded", lambda *_, **__: pytest.fail("HiGHS was asked"))
    result = ged(source, target, costs=costs, method=formulation.name, time_limit=10)
    assert result.lower <= ged(source, target, costs=costs).distance <= result.upper
    assert result.proven or result.stopped_by is StopReason.TIME


# -- the thread -------------------------------------------------------------------------------------------------------


class Sleeper:
    """A solver that stops when the test lets it."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.cancelled = False

    def setOptionValue(self, name: str, value: object) -> None: ...

    def run(self) -> None:
        assert self.may_end.wait(60)

    def cancelSolve(self) -> None:
        self.cancelled = True


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    solver = Sleeper()
    yield solver
    solver.may_end.set()


def test_a_solver_that_does_not_stop_is_told_to_and_left_behind(sleeper: Sleeper) -> None:
    now = time.perf_counter()
    assert not highs._run(sleeper, highs.Budget(now, now))
    assert sleeper.cancelled
    following = Sleeper()
    following.may_end.set()
    assert not highs._run(following, highs.Budget(now, now))  # the first is still at work
    sleeper.may_end.set()
    assert highs._run(following, highs.Budget(math.inf, math.inf))
    assert not following.cancelled


def test_what_fails_in_the_thread_is_raised_to_the_caller(sleeper: Sleeper) -> None:
    def fail() -> None:
        raise MemoryError("no room")

    sleeper.run = fail  # type: ignore[method-assign]
    with pytest.raises(MemoryError, match="no room"):
        highs._run(sleeper, highs.Budget(math.inf, math.inf))
