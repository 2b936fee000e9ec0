"""Time limits on graphs that are too large for them: the answer is late perhaps, but it holds."""

from __future__ import annotations

import pytest

from graphedx import EditCosts, GedResult, Graph, StopReason, ged, induced_cost
from solvers.samples import NATIVE, large_graph

PAIRS = {
    "60 nodes, sparse": (large_graph(60, 0.05, 1, labels=3), large_graph(60, 0.05, 2, labels=3)),
    "60 nodes, dense": (large_graph(60, 0.5, 1, labels=2), large_graph(58, 0.5, 2, labels=2)),
    "200 nodes, sparse": (large_graph(200, 0.015, 1, labels=3), large_graph(190, 0.015, 2, labels=3)),
    "200 nodes, dense": (large_graph(200, 0.5, 1), large_graph(200, 0.5, 2)),
    "80 nodes, directed": (
        large_graph(80, 0.1, 1, labels=2, directed=True),
        large_graph(80, 0.1, 2, labels=2, directed=True),
    ),
}
COSTS = {"unit": EditCosts(), "general": EditCosts(1.7, 0.4, 1.1, 0.3, 2.9, 0.35)}
HAVE_AN_END = ("hed", "branch", "branch_tight", "bipartite", "ipfp", "refine", "beam", "large")


def check(result: GedResult) -> None:
    assert 0 <= result.lower <= result.upper == induced_cost(result.mapping, result.costs)
    reasons = {StopReason.TIME} | ({StopReason.BOUND} if result.method in HAVE_AN_END else set())
    assert result.stopped_by in ({StopReason.PROVED} if result.proven else reasons)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("limit", [0, 0.001, 0.02])
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", NATIVE)
def test_an_answer_that_came_too_early_holds(method: str, name: str, limit: float, costs: str) -> None:
    source, target = PAIRS[name]
    check(ged(source, target, costs=COSTS[costs], method=method, time_limit=limit))


@pytest.mark.parametrize("method", NATIVE)
def test_a_graph_and_itself_are_never_said_to_differ(method: str) -> None:
    for source, _ in PAIRS.values():
        for limit in (0, 0.001, 0.02):
            result = ged(source, source, method=method, time_limit=limit)
            check(result)
            assert result.lower == 0


@pytest.mark.parametrize("method", NATIVE)
def test_bounds_of_all_limits_fit_together(method: str) -> None:
    source, target = PAIRS["60 nodes, sparse"]
    results = [ged(source, target, method=method, time_limit=limit) for limit in (0, 0.0003, 0.001, 0.003, 0.01)]
    assert max(result.lower for result in results) <= min(result.upper for result in results)


@pytest.mark.parametrize("method", HAVE_AN_END)
def test_a_method_that_ends_by_itself_does_not_blame_the_clock(method: str) -> None:
    source, target = Graph(8, [(0, 1), (1, 2), (2, 0)]), Graph(8, [(0, 1), (1, 2), (2, 3), (4, 5)])
    result = ged(source, target, method=method, time_limit=60)
    assert result.stopped_by in (StopReason.BOUND, StopReason.PROVED)
