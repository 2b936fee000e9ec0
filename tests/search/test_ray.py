"""The parts of an index on a Ray cluster find what the whole index finds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphedx as gx
from graphedx._collection import Found
from graphedx.costs import UNIFORM
from graphedx.engine.ray_cluster import connected, library
from graphedx.errors import EngineError, FormatError, GraphError, IdError, MethodError, OutputError
from graphedx.search import shards
from graphedx.search.hits import Asked
from graphedx.search.shards import Shard, ShardedIndex, merged, split
from matrix.samples import hard_graphs, some_graphs
from search.reference import assert_true_of, full_scan, nearest

pytest.importorskip("ray")


def without_times(hits: gx.Hits) -> dict[str, object]:
    return {key: value for key, value in hits.to_dict().items() if key not in ("seconds", "bounded", "searched")}


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=4), st.integers(1, 8))
@settings(deadline=None)
def test_the_nearest_of_parts_are_those_of_the_whole(distances: list[list[int]], k: int) -> None:
    def found(some: list[int]) -> Found:
        first, ties = nearest(some, k) if some else ([], [])
        listed = np.array([*first, *ties], dtype=np.int64)
        values = np.array([some[position] for position in listed], dtype=np.float64)
        unseen = min([float(some[p]) for p in {*range(len(some))} - {*listed.tolist()}], default=float("inf"))
        return Found(listed, values, values, True, unseen, len(some), len(some))

    everything = [distance for some in distances for distance in some]
    starts = np.cumsum([0, *map(len, distances)]).tolist()
    together, whole = merged([found(some) for some in distances], starts, k), found(everything)
    assert together.positions.tolist() == whole.positions.tolist() and together.upper.tolist() == whole.upper.tolist()
    assert together.complete and together.unseen <= whole.unseen
    last = whole.upper[-1] if everything else 0
    assert together.unseen > last


@pytest.fixture
def cluster() -> Iterator[None]:
    with connected(library(), None, 2):
        yield


def test_a_cluster_finds_the_same(tmp_path: Path, cluster: None) -> None:
    members = some_graphs(40)
    index = gx.GraphIndex.build(members)
    paths = split(index, tmp_path / "parts", 3)
    assert [len(gx.GraphIndex.load(path)) for path in paths] == [13, 13, 14]
    with ShardedIndex(paths) as parts:
        assert len(parts) == 40 and parts.ids == index.ids
        for query in some_graphs(4, seed=1):
            for costs in (UNIFORM, gx.EditCosts(3, 1, 2, 1, 1, 1)):
                for k in (1, 6, 100):
                    together, whole = parts.search(query, k, costs=costs), index.search(query, k, costs=costs)
                    assert without_times(together) == without_times(whole) | {"unseen": together.to_dict()["unseen"]}
                assert parts.range(query, 4, costs=costs).ids == index.range(query, 4, costs=costs).ids
        hit = parts.search(index["g31"], 1, costs=gx.EditCosts(1, 1, 1, 1, lambda a, b: 2.0 * (a != b), 1))[0]
        assert hit.distance == 0 and hit.graph.name == hit.id and hit.edit_path().cost == 0
        with pytest.raises(GraphError, match="the query is directed"):
            parts.search(gx.Graph(1, directed=True))
        with pytest.raises(MethodError, match="k must be"):
            parts.search(gx.Graph(1), 0)
        query = some_graphs(1, seed=2)[0]
        assert_true_of(
            parts.search(query, 3, costs=UNIFORM, time_limit=0), full_scan(members, query, UNIFORM), parts.ids
        )
    with pytest.raises(EngineError, match="not open"):
        hit.graph  # noqa: B018
    with pytest.raises(IdError, match="two parts have graphs of the same id"), ShardedIndex([paths[0], paths[0]]):
        pass
    with pytest.raises(FormatError, match="no such file"), ShardedIndex([tmp_path / "missing.gxi"]):
        pass


def test_all_searches_of_a_part_can_be_stopped(tmp_path: Path, cluster: None) -> None:
    """Two go on, as many as there can be at a time, and a third waits for them."""
    [path] = split(gx.GraphIndex.build(hard_graphs(2)), tmp_path / "parts", 1)
    asked = Asked.checked(hard_graphs(3)[-1], UNIFORM, k=1)
    with ShardedIndex([path]) as parts:
        [shard] = parts._shards
        found = [shard.nearest.remote(asked, None, number) for number in range(3)]
        for number in range(3):
            shard.stop.options(concurrency_group=shards._STOPPING).remote(number)
        assert [part.complete for part in library().get(found, timeout=60)] == [False] * 3


def test_a_search_is_stopped_by_its_own_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Flag:
        raised = False

        def set(self) -> None:
            self.raised = True

    monkeypatch.setattr(Shard, "_state", None)
    monkeypatch.setattr(shards, "CancelFlag", Flag)
    monkeypatch.setattr(shards, "nearest", lambda state, asked, limit, threads, cancel: asked(cancel))
    shard: Any = Shard(tmp_path)
    shard.stop(1)
    assert shard.nearest(lambda flag: flag.raised, None, 1)  # before it began

    def outer(flag: Flag) -> tuple[bool, bool]:
        def inner(own: Flag) -> tuple[bool, bool]:
            shard.stop(2)
            return flag.raised, own.raised

        return shard.nearest(inner, None, 3)  # type: ignore[no-any-return]

    assert shard.nearest(outer, None, 2) == (True, False)
    assert not shard._flags


def test_what_cannot_be_split(tmp_path: Path) -> None:
    index = gx.GraphIndex.build(some_graphs(3))
    for parts in (0, -1, 1.5, True, None, "2"):
        with pytest.raises(MethodError, match=f"parts must be a whole number >= 1, got {parts!r}"):
            split(index, tmp_path / "parts", parts)  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="3 graphs cannot be split into 4 parts"):
        split(index, tmp_path / "parts", 4)
    assert not (tmp_path / "parts").exists()
    split(index, tmp_path / "parts", 3)
    with pytest.raises(OutputError, match="exists already"):
        split(index, tmp_path / "parts", 2)
    with pytest.raises(MethodError, match="at least one part"):
        ShardedIndex([])


def test_parts_whose_distances_differ_by_rounding_tie() -> None:
    def found(distance: float) -> Found:
        value = np.array([distance])
        return Found(np.array([0]), value, value, True, math.inf, 1, 1)

    assert merged([found(2.7), found(2.6999999999999997)], [0, 1], 1).positions.tolist() == [1, 0]
