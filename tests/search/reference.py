"""What a search must find: the distance to every graph, and the nearest read off."""

from __future__ import annotations

from collections.abc import Sequence

from graphedx import EditCosts, Graph, Hits
from graphedx._kernels import Batch


def full_scan(graphs: Sequence[Graph], query: Graph, costs: EditCosts) -> list[float]:
    """The exact distance from the query to every graph."""
    answers = Batch([query, *graphs], costs).solve([(0, k + 1) for k in range(len(graphs))])
    assert all(answer.lower == answer.upper for answer in answers)
    return [answer.upper for answer in answers]


def nearest(distances: Sequence[float], k: int) -> tuple[list[int], list[int]]:
    """The positions of the k nearest, the first of equals first, and of those that are as near as the last of them."""
    order = sorted(range(len(distances)), key=lambda position: (distances[position], position))
    first, rest = order[:k], order[k:]
    return first, [position for position in rest if distances[position] == distances[first[-1]]]


def assert_true_of(hits: Hits, distances: Sequence[float], ids: Sequence[str]) -> None:
    """What the hits claim holds, whether or not they are complete."""
    truth = dict(zip(ids, distances, strict=True))
    listed = [*hits, *hits.ties]
    assert all(hit.lower <= truth[hit.id] <= hit.upper for hit in listed)
    assert [hit.upper for hit in listed] == sorted(hit.upper for hit in listed)
    assert all(truth[id] >= hits.unseen for id in truth.keys() - {hit.id for hit in listed})
    assert hits.total == len(ids) and 0 <= hits.searched <= hits.bounded <= hits.total
    if hits.k is not None:
        assert len(hits) <= hits.k
        last = sorted(truth.values())[min(hits.k, len(ids)) - 1]
        assert all(truth[hit.id] <= last for hit in hits.certain)
    else:
        assert all(truth[hit.id] <= hits.radius for hit in hits.certain)
