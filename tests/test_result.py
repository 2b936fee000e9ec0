"""A result that proves nothing says so, and says what would help."""

from __future__ import annotations

import pytest

from graphedx import EditCosts, GedResult, Graph, NotProvenError, StopReason, ged

GRAPH = Graph(2, [(0, 1)])


def result(lower: float, upper: float, stopped_by: StopReason) -> GedResult:
    return GedResult(GRAPH, GRAPH, EditCosts(), "exact", lower, upper, stopped_by, (0, 1))


def test_bounds_that_meet_are_the_distance() -> None:
    assert result(3, 3, StopReason.PROVED).proven
    assert result(3, 3, StopReason.PROVED).distance == 3


@pytest.mark.parametrize(
    ("stopped_by", "remedy"),
    [
        (StopReason.TIME, "raise time_limit"),
        (StopReason.CUTOFF, "raise cutoff"),
        (StopReason.BOUND, "use method='exact'"),
        (StopReason.INTERRUPTED, "raise time_limit"),
        (StopReason.PATIENCE, "set a time_limit of more than a minute, or method='exact',"),
        (StopReason.RUNNING, "wait"),
    ],
)
def test_an_unproven_distance_names_its_bounds_and_a_remedy(stopped_by: StopReason, remedy: str) -> None:
    unproven = result(3, 5, stopped_by)
    assert not unproven.proven
    with pytest.raises(NotProvenError) as caught:
        _ = unproven.distance
    assert str(caught.value) == f"the distance lies in [3, 5]; {remedy} to prove it"


def test_bounds_are_told_to_the_last_digit() -> None:
    with pytest.raises(NotProvenError, match=r"\[1234567, 1234568\.5\]"):
        _ = result(1234567, 1234568.5, StopReason.TIME).distance


def test_only_a_running_result_is_running() -> None:
    assert [reason for reason in StopReason if result(3, 5, reason).running] == [StopReason.RUNNING]


def test_a_result_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        result(3, 5, StopReason.TIME).lower = 5  # type: ignore[misc]


def test_the_mapping_and_the_insertions_are_told_by_name() -> None:
    larger = Graph("xyz", [("x", "y")])
    found = ged(Graph("ab", [("a", "b")]), larger)
    assert {found.mapping["a"], found.mapping["b"]} == {"x", "y"}
    assert found.insertions == ("z",)
    assert found.edit_path().cost == found.distance == 1
