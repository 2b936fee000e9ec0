"""An index finds what a full scan finds, whatever the graphs, labels, costs and directions."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphedx as gx
from graphedx.costs import LABELLED, PRESETS, UNIFORM
from graphedx.datasets import Dataset
from graphedx.errors import CostError, GraphError, IdError, MethodError, NotProvenError
from matrix.samples import hard_graphs, some_graphs
from search.reference import assert_true_of, full_scan, nearest
from strategies import costs, graphs

TRIANGLE = gx.Graph(3, [(0, 1), (1, 2), (0, 2)], name="triangle")
PATH = gx.Graph(3, [(0, 1), (1, 2)], name="path")


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[gx.Graph], gx.Graph, gx.EditCosts]:
    directed = draw(st.booleans())
    members = draw(st.lists(graphs(most=4, directed=directed), max_size=8))
    return members, draw(graphs(most=4, directed=directed)), draw(costs())


@settings(max_examples=100, deadline=None)
@given(searches(), st.integers(1, 10))
def test_search_is_a_full_scan(search: tuple[list[gx.Graph], gx.Graph, gx.EditCosts], k: int) -> None:
    members, query, prices = search
    index = gx.GraphIndex.build(members)
    distances = full_scan(members, query, prices)
    hits = index.search(query, k, costs=prices, workers=1)
    first, ties = nearest(distances, k) if members else ([], [])
    assert hits.complete
    assert [hit.id for hit in hits] == [str(position) for position in first]
    assert {hit.id for hit in hits.ties} == {str(position) for position in ties}
    assert [hit.distance for hit in (*hits, *hits.ties)] == [distances[position] for position in (*first, *ties)]
    if members:
        assert_true_of(hits, distances, index.ids)


@settings(max_examples=60, deadline=None)
@given(searches(), st.data())
def test_range_is_a_full_scan(search: tuple[list[gx.Graph], gx.Graph, gx.EditCosts], data: st.DataObject) -> None:
    members, query, prices = search
    distances = full_scan(members, query, prices)
    radius = data.draw(st.sampled_from([0.0, 2.5, *distances]))  # a distance itself is within
    hits = gx.GraphIndex.build(members).range(query, radius, costs=prices, workers=1)
    order = sorted(range(len(members)), key=lambda position: (distances[position], position))
    assert hits.complete and hits.ties == () and (hits.k, hits.radius) == (None, radius)
    assert [hit.id for hit in hits] == [str(position) for position in order if distances[position] <= radius]


@settings(max_examples=40, deadline=None)
@given(searches())
def test_the_edit_path_of_a_hit_costs_its_distance(search: tuple[list[gx.Graph], gx.Graph, gx.EditCosts]) -> None:
    members, query, prices = search
    for hit in gx.GraphIndex.build(members).search(query, 3, costs=prices, workers=1):
        path = hit.edit_path()
        assert path.cost == pytest.approx(hit.distance, rel=1e-12, abs=1e-12)
        assert gx.ged(path.apply(query), hit.graph, costs=PRESETS["isomorphism"]).distance == 0
        assert hit.graph.name == hit.id


@settings(max_examples=40, deadline=None)
@given(searches(), st.data())
def test_adding_and_removing_is_building_anew(
    search: tuple[list[gx.Graph], gx.Graph, gx.EditCosts], data: st.DataObject
) -> None:
    members, query, prices = search
    ids = [f"graph {k}" for k in range(len(members))]
    cut = data.draw(st.integers(0, len(members)))
    gone = data.draw(st.sets(st.sampled_from(ids)) if ids else st.just(set()))
    index = gx.GraphIndex.build(members[:cut], ids=ids[:cut])
    assert index.add(members[cut:], ids=ids[cut:]) == ids[cut:]
    index.remove(gone)
    left = [k for k in range(len(members)) if ids[k] not in gone]
    anew = gx.GraphIndex.build([members[k] for k in left], ids=[ids[k] for k in left])
    assert index.ids == anew.ids and len(index) == len(left)
    one, other = asdict(index.info()), asdict(anew.info())
    assert {key for key in one if one[key] != other[key]} <= ({"directed"} if not left else set())
    assert (
        index.search(query, 3, costs=prices).to_dict()["hits"] == anew.search(query, 3, costs=prices).to_dict()["hits"]
    )
    assert all(index[id] == anew[id] for id in anew.ids)


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("directed", [False, True])
def test_presets_on_more_graphs(preset: str, directed: bool) -> None:
    members = some_graphs(60, directed=directed)
    index = gx.GraphIndex.build(members)
    for query in some_graphs(3, seed=1, directed=directed):
        distances = full_scan(members, query, PRESETS[preset])
        hits = index.search(query, 7, costs=PRESETS[preset])
        first, ties = nearest(distances, 7)
        assert hits.ids == tuple(f"g{k}" for k in first)
        assert {hit.id for hit in hits.ties} == {f"g{k}" for k in ties}


def nearly_the_same(count: int, seed: int) -> list[gx.Graph]:
    """A graph of ten nodes, and others with most of its edges: near misses that are worth preparing for."""
    rng = random.Random(seed)
    pairs = list(combinations(range(10), 2))
    first = rng.sample(pairs, 11)
    members = []
    for k in range(count):
        kept = rng.sample(first, 11 - k % 5)
        others = rng.sample([pair for pair in pairs if pair not in kept], rng.randrange(5))
        members.append(gx.Graph(10, kept + others, node_labels=[rng.choice("CCCCN") for _ in range(10)]))
    return members


@pytest.mark.parametrize("prices", [UNIFORM, LABELLED, gx.EditCosts(3, 1, 2, 1, 0.5, 0)], ids=str)
def test_near_misses_are_told_from_hits(prices: gx.EditCosts) -> None:
    query, *members = nearly_the_same(200, seed=4)
    index = gx.GraphIndex.build(members, ids=[f"g{k}" for k in range(len(members))])
    distances = full_scan(members, query, prices)
    hits = index.search(query, 5, costs=prices)
    first, ties = nearest(distances, 5)
    assert hits.complete and hits.ids == tuple(f"g{k}" for k in first)
    assert {hit.id for hit in hits.ties} == {f"g{k}" for k in ties}
    radius = sorted(distances)[60]
    within = index.range(query, radius, costs=prices)
    assert within.complete and set(within.ids) == {f"g{k}" for k, far in enumerate(distances) if far <= radius}


def test_a_time_limit_leaves_what_is_proven() -> None:
    members = [*hard_graphs(6), *some_graphs(6)]
    index = gx.GraphIndex.build(members)
    query = hard_graphs(7)[-1]
    hits = index.search(query, 9, costs=UNIFORM, time_limit=0.3)
    assert not hits.complete and hits.ties == () and len(hits) <= 9
    assert all(hit.lower <= hit.upper for hit in hits)
    unproven = next(hit for hit in hits if not hit.exact)
    with pytest.raises(NotProvenError, match=r"lies in \[.*raise time_limit"):
        unproven.distance  # noqa: B018
    path = unproven.edit_path(time_limit=0.1)
    assert path.cost >= unproven.lower
    assert "certain" in repr(hits) and json.loads(hits.to_json())["complete"] is False


def test_no_time_at_all_is_still_true() -> None:
    members = some_graphs(30)
    index = gx.GraphIndex.build(members)
    distances = full_scan(members, TRIANGLE, UNIFORM)
    for hits in (
        index.search(TRIANGLE, 5, costs=UNIFORM, time_limit=0),
        index.range(TRIANGLE, 3, costs=UNIFORM, time_limit=0),
    ):
        assert_true_of(hits, distances, index.ids)


def test_ids_are_names_if_all_have_different_ones_else_numbers() -> None:
    assert gx.GraphIndex.build([TRIANGLE, PATH]).ids == ("triangle", "path")
    assert gx.GraphIndex.build([TRIANGLE, TRIANGLE]).ids == ("0", "1")
    assert gx.GraphIndex.build([TRIANGLE, gx.Graph(1)]).ids == ("0", "1")
    assert gx.GraphIndex.build([gx.Graph(1, name="two\nlines")]).ids == ("0",)
    index = gx.GraphIndex.build([TRIANGLE, PATH], ids=["2", "b"])
    assert index.add([gx.Graph(1), gx.Graph(2)]) == ["3", "4"]  # 2 is taken
    assert index.add([gx.Graph(1, name="c")]) == ["c"]
    assert list(index) == ["2", "b", "3", "4", "c"]


@pytest.mark.parametrize(
    ("ids", "word"),
    [
        (["a", "a"], "'a' is given twice"),
        (["a"], "2 graphs need as many ids, got 1"),
        (["a", 3], "3 is of type int"),
        (["a", ""], "is empty"),
        (["a", "b\nc"], "has another line"),
        (["a", "\ud800"], "half a character"),
        ("ab", "a list of texts"),
        (["a", "there"], "has a graph 'there' already"),
    ],
)
def test_bad_ids_are_refused_and_nothing_is_added(ids: list[str], word: str) -> None:
    index = gx.GraphIndex.build([PATH], ids=["there"])
    with pytest.raises(IdError, match=word):
        index.add([TRIANGLE, PATH], ids=ids)
    assert index.ids == ("there",) and index.info().graphs == 1


def test_ids_that_are_not_there() -> None:
    index = gx.GraphIndex.build([PATH])
    assert "path" in index and "other" not in index and 3 not in index
    with pytest.raises(LookupError, match="no graph 'other'"):
        index["other"]
    with pytest.raises(IdError, match="no graph 'other'"):
        index.remove(["path", "other"])
    with pytest.raises(IdError, match="twice"):
        index.remove(["path", "path"])
    with pytest.raises(IdError, match="list of texts"):
        index.remove("path")
    assert len(index) == 1
    with pytest.raises(IdError, match="already"):
        index.add([PATH])


def test_bad_questions_are_refused() -> None:
    index = gx.GraphIndex.build([PATH])
    for k in (0, -1, 2.5, True, None, "3"):
        with pytest.raises(MethodError, match="k must be a whole number >= 1"):
            index.search(PATH, k)
    for radius in (-1, float("nan"), "3", None):
        with pytest.raises(MethodError, match="radius must be a number >= 0"):
            index.range(PATH, radius)
    with pytest.raises(MethodError, match="time_limit"):
        index.search(PATH, time_limit=-1)
    with pytest.raises(MethodError, match="workers"):
        index.search(PATH, workers=0)
    with pytest.raises(CostError, match="must be an EditCosts"):
        index.search(PATH, costs="unit")
    with pytest.raises(GraphError, match="a graph is a graphedx"):
        index.search("path")
    with pytest.raises(GraphError, match="the query is directed but the graphs of the index are undirected"):
        index.search(gx.Graph(2, directed=True))


def test_bad_graphs_are_refused() -> None:
    with pytest.raises(GraphError, match="graphs must be a list of graphs or a dataset, got Graph"):
        gx.GraphIndex.build(PATH)
    with pytest.raises(GraphError, match=r"graphs\[1\]: a graph is"):
        gx.GraphIndex.build([PATH, 3])
    with pytest.raises(GraphError, match=r"graphs\[1\] is directed but those before are undirected"):
        gx.GraphIndex.build([PATH, gx.Graph(1, directed=True)])
    index = gx.GraphIndex.build([PATH])
    with pytest.raises(GraphError, match=r"graphs\[0\] is directed but those before are undirected"):
        index.add([gx.Graph(1, directed=True)])
    index.remove(["path"])
    index.add([gx.Graph(1, directed=True)])  # an empty index takes either
    assert index.info().directed


def test_graphs_come_from_anywhere() -> None:
    dataset = Dataset("small", tuple(some_graphs(5)), (3, 1, 1))
    assert gx.GraphIndex.build(dataset).ids == tuple(f"g{k}" for k in range(5))
    index = gx.GraphIndex.build(graph for graph in [nx.path_graph(4), nx.star_graph(3)])
    [hit] = index.search(nx.path_graph(4), 1)
    assert (hit.id, hit.distance, hit.exact) == ("0", 0, True)


def test_an_empty_index_finds_nothing() -> None:
    index = gx.GraphIndex.build([])
    hits = index.search(gx.Graph(2, directed=True))
    assert hits.complete and len(hits) == 0 and hits.unseen == float("inf")
    assert json.loads(hits.to_json())["unseen"] is None
    assert index.info().bytes_a_graph == 0 and repr(index) == "GraphIndex(0 graphs)"


def test_hits_say_what_they_are() -> None:
    ids = [f"path {k}" for k in range(30)]
    hits = gx.GraphIndex.build([PATH] * 30, ids=ids).search(TRIANGLE, 25)
    assert len(hits) == 25 and hits.ids == tuple(ids[:25]) and hits[:2] == tuple(hits)[:2]
    assert repr(hits).splitlines()[1].split() == ["1", "path", "0"]
    assert "25 nearest of 30 graphs, proven" in repr(hits) and "... and 5 more" in repr(hits)
    assert repr(hits).endswith("5 more as near as the last: path 25, path 26, path 27, path 28, path 29")
    data = json.loads(hits.to_json(indent=1))
    assert data["hits"][0] == {"id": "path 0", "lower": 1.0, "upper": 1.0, "exact": True}
    assert (data["k"], data["radius"], data["graphs"], len(data["ties"])) == (25, None, 30, 5)
    assert gx.GraphIndex.build([PATH]).search(TRIANGLE)[0].edit_path().cost == 1


def test_who_searches_while_others_add_sees_the_old_or_the_new() -> None:
    batch, rounds = 20, 15
    members = [gx.Graph(1, name=f"{k}") for k in range(batch * rounds)]
    index = gx.GraphIndex.build(members[:batch])
    seen: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            hits = index.search(gx.Graph(1), 1, workers=1)
            seen.append(1 + len(hits.ties))
            assert hits.total == seen[-1]

    readers = [threading.Thread(target=look) for _ in range(2)]
    writers = [
        threading.Thread(target=lambda part: [index.add(members[k : k + batch]) for k in part], args=(part,))
        for part in (range(batch, batch * rounds, 2 * batch), range(2 * batch, batch * rounds, 2 * batch))
    ]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join(60)
    done.set()
    for thread in readers:
        thread.join(60)
    assert len(index) == batch * rounds  # neither writer lost what the other one added
    assert seen and all(size % batch == 0 for size in seen)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_answer_the_same(tmp_path: Path, copied: Any) -> None:
    built = gx.GraphIndex.build(some_graphs(20), vectors=True)
    built.save(tmp_path / "i")
    query = some_graphs(1, seed=1)[0]
    for index in (built, gx.GraphIndex.load(tmp_path / "i"), gx.GraphIndex.build([])):
        again = copied(index)
        assert again.ids == index.ids and again.info() == index.info()
        for approximate in (False, True) if index.info().vector_bytes else (False,):
            hits, other = (some.search(query, 3, approximate=approximate) for some in (index, again))
            assert hits.hits == other.hits and hits.ties == other.ties
        again.add([PATH])
        assert "path" in again and "path" not in index  # each goes its own way


def test_hits_can_be_pickled_without_the_index() -> None:
    index = gx.GraphIndex.build(gx.Graph(n, [(k, k + 1) for k in range(n - 1)], name=f"path{n}") for n in range(1, 99))
    hits = index.search(TRIANGLE, 3)
    content = pickle.dumps(hits)
    assert len(content) < len(pickle.dumps(index)) / 5
    for again in (pickle.loads(content), copy.deepcopy(hits)):
        assert again == hits and repr(again) == repr(hits)
        assert [hit.graph for hit in again] == [hit.graph for hit in hits]
        assert [hit.graph.name for hit in again] == list(again.ids)
        assert again[0].edit_path().cost == hits[0].distance
    assert pickle.loads(pickle.dumps(hits[0])) == hits[0] and copy.copy(hits[0]).graph == hits[0].graph


INTERRUPTED = """
import os, signal, sys, threading, time
import graphedx as gx
from matrix.samples import hard_graphs
index = gx.GraphIndex.build(hard_graphs(3))
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    index.search(hard_graphs(4)[-1], 2)
except KeyboardInterrupt:
    print(time.monotonic() - start)
"""


def test_ctrl_c_stops_a_search() -> None:
    paths = os.pathsep.join([str(Path(__file__).parents[1]), str(Path(gx.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 0, done.stderr
    assert 0.4 < float(done.stdout) < 5
