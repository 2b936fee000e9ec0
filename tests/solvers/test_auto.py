"""The default method: the exact search under another name, for as long as nothing better is known."""

from __future__ import annotations

from graphedx import EditCosts, Graph, StopReason, ged

PATH = Graph(6, [(i, i + 1) for i in range(5)], node_labels="CCNOCC")
RING = Graph(6, [(i, (i + 1) % 6) for i in range(6)], node_labels="CNCCOC")


def test_it_is_the_default() -> None:
    assert ged(PATH, RING).method == "auto"


def test_it_says_what_the_exact_search_says() -> None:
    costs = EditCosts(3, 1, 2, 1, 1, 1)
    auto, exact = ged(PATH, RING, costs=costs, method="auto"), ged(PATH, RING, costs=costs, method="exact")
    assert (auto.lower, auto.upper, auto.images) == (exact.lower, exact.upper, exact.images)


def test_it_hands_on_the_cutoff_and_the_time_limit() -> None:
    assert ged(PATH, RING, cutoff=0).lower > 0
    large = Graph(80, [(i, j) for i in range(80) for j in range(i) if (i * j) % 3 == 1])
    other = Graph(80, [(i, j) for i in range(80) for j in range(i) if (i + j) % 3 == 1])
    assert ged(large, other, time_limit=0).stopped_by is StopReason.TIME
