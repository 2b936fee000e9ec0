"""A search that is watched: intervals that only tighten, a last word, and no thread left behind."""

from __future__ import annotations

import random
import threading
from itertools import islice, pairwise

import pytest

from graphedx import (
    CostError,
    EditCosts,
    GedResult,
    Graph,
    GraphError,
    NotProvenError,
    StopReason,
    ged,
    ged_stream,
    induced_cost,
)
from graphedx.errors import MethodError
from matrix.samples import hard_graphs
from solvers.samples import NATIVE, large_graph, molecule, random_case

COSTS = EditCosts(3, 1, 2, 1, 1, 1)


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name == "graphedx-stream"}


def check(results: list[GedResult]) -> None:
    """What holds of every stream."""
    assert [result.running for result in results] == [True] * (len(results) - 1) + [False]
    for before, after in pairwise(results):
        assert before.lower <= after.lower <= after.upper <= before.upper
    for before, after in pairwise(results[:-1]):
        assert (before.lower, before.upper) != (after.lower, after.upper)
    for result in results:
        assert induced_cost(result.mapping, result.costs) == result.upper
    assert not threads()


@pytest.mark.parametrize("seed", range(12))
def test_the_last_word_is_what_ged_returns(seed: int) -> None:
    source, target, costs = random_case(seed, most=9)
    results = list(ged_stream(source, target, costs=costs))
    check(results)
    last, alone = results[-1], ged(source, target, costs=costs)
    assert (last.lower, last.upper, last.images, last.stopped_by) == (
        alone.lower, alone.upper, alone.images, alone.stopped_by,
    )  # fmt: skip


def test_the_interval_closes_step_by_step() -> None:
    rng = random.Random(2)
    results = list(ged_stream(molecule(rng, 24), molecule(rng, 25), costs=COSTS))
    check(results)
    assert len(results) > 3
    assert results[-1].stopped_by is StopReason.PROVED
    assert all(not result.proven for result in results[:2])


def test_a_result_that_is_running_says_so() -> None:
    stream = ged_stream(*hard_graphs(2))
    first = next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert first.stopped_by is StopReason.RUNNING
    with pytest.raises(NotProvenError, match=r"the distance lies in \[.*\]; wait to prove it"):
        _ = first.distance


@pytest.mark.parametrize("directed", [False, True])
def test_large_graphs_with_labels(directed: bool) -> None:
    source, target = (large_graph(50, 0.1, seed, labels=3, directed=directed) for seed in (1, 2))
    results = list(ged_stream(source, target, costs=COSTS, time_limit=0.2))
    check(results)
    assert results[0].running
    assert results[-1].stopped_by in (StopReason.TIME, StopReason.PROVED)


def test_leaving_the_loop_stops_the_search() -> None:
    for result in ged_stream(*hard_graphs(2)):  # which would take for ever
        assert result.running
        assert threads()
        break
    assert not threads()


def test_a_stream_that_nobody_reads_never_starts() -> None:
    ged_stream(*hard_graphs(2))
    assert not threads()


def test_several_streams_at_once() -> None:
    source, target = hard_graphs(2)
    one, other = ged_stream(source, target), ged_stream(target, source)
    assert [next(one).upper, next(other).upper] == [next(ged_stream(source, target)).upper] * 2
    del one, other
    assert not threads()


def test_better_intervals_follow_for_as_long_as_there_are_any() -> None:
    results = list(islice(ged_stream(*hard_graphs(2)), 2))
    assert results[-1].upper < results[0].upper
    assert results[-1].lower > results[0].lower
    assert not threads()


@pytest.mark.parametrize("method", sorted({*NATIVE, "brute_force"} - {"auto", "large"}))
def test_other_methods_have_only_a_last_word(method: str) -> None:
    source, target, costs = random_case(5, most=5)
    (only,) = ged_stream(source, target, costs=costs, method=method)
    alone = ged(source, target, costs=costs, method=method)
    assert (only.lower, only.upper, only.images, only.stopped_by) == (
        alone.lower, alone.upper, alone.images, alone.stopped_by,
    )  # fmt: skip


def test_options_and_limits_are_handed_on() -> None:
    source, target = large_graph(30, 0.3, 1), large_graph(30, 0.3, 2)
    (few,) = ged_stream(source, target, method="refine", starts=1)
    assert few.upper == ged(source, target, method="refine", starts=1).upper
    *_, limited = ged_stream(source, target, time_limit=0)
    assert limited.stopped_by is StopReason.TIME
    *_, cut = ged_stream(source, target, cutoff=1)
    assert cut.stopped_by is StopReason.CUTOFF
    assert cut.lower > 1


def test_what_is_asked_wrongly_is_refused_at_once() -> None:
    node = Graph(1)
    with pytest.raises(MethodError, match="unknown method"):
        ged_stream(node, node, method="magic")
    with pytest.raises(MethodError, match="time_limit"):
        ged_stream(node, node, time_limit=-1)
    with pytest.raises(MethodError, match="has no option"):
        ged_stream(node, node, starts=3)
    with pytest.raises(CostError):
        ged_stream(node, node, costs="unit")  # type: ignore[arg-type]
    with pytest.raises(GraphError):
        ged_stream(node, "graph")


def test_errors_of_the_thread_surface_in_the_loop() -> None:
    with pytest.raises(GraphError, match="directed"):
        list(ged_stream(Graph(2), Graph(2, directed=True)))
    with pytest.raises(CostError, match="node_sub has no cost"):
        list(ged_stream(Graph(1, node_labels="a"), Graph(1, node_labels="b"), costs=EditCosts(node_sub={})))
    assert not threads()


def test_an_error_in_the_loop_stops_the_search() -> None:
    with pytest.raises(ZeroDivisionError):
        for _ in ged_stream(*hard_graphs(2)):
            1 / 0  # noqa: B018
    assert not threads()
