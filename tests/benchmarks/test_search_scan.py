"""The peer of search finds the same nearest graphs, with and without being told how near they are."""

from __future__ import annotations

import time

import graphedx as gx
from graphedx.costs import UNIFORM
from matrix.samples import hard_graphs, some_graphs
from search_data import EDITED, MEMBER, Waiting, queries, subsets
from search_scan import Scanner


def test_a_scan_finds_the_nearest() -> None:
    index = gx.GraphIndex.build(some_graphs(60))
    asked = some_graphs(2, seed=1)
    scanner = Scanner(index, asked, UNIFORM, threads=2)
    for place, query in enumerate(asked):
        hits = index.search(query, 5, costs=UNIFORM)
        near = {hit.id for hit in (*hits, *hits.ties)}
        last = hits[-1].distance
        for cutoff in (last, None):
            scan = scanner.scan(place, 5, cutoff, limit=60)
            assert scan.ended and scan.undecided(last) == 0
            assert {id for id, upper in zip(index.ids, scan.upper, strict=True) if upper <= last} == near


def test_a_scan_ends_at_its_limit() -> None:
    index = gx.GraphIndex.build(hard_graphs(20))
    scan = Scanner(index, hard_graphs(1), UNIFORM, threads=2).scan(0, 3, None, limit=0.3)
    assert not scan.ended and scan.seconds < 3 and scan.undecided(1000) > 0


def test_subsets_grow_and_keep_what_they_had() -> None:
    parts = [gx.GraphIndex.build(some_graphs(9), ids=[f"{name}{k}" for k in range(9)]) for name in "ab"]
    small, middle, large = subsets(parts, (3, 10, 1000), seed=0)
    assert (len(small), len(middle), len(large)) == (3, 10, 18)
    assert set(small.ids) <= set(middle.ids) <= set(large.ids)


def test_more_queries_begin_with_the_same() -> None:
    index = gx.GraphIndex.build(some_graphs(30))
    few, many = queries(index, 4, seed=0), queries(index, 8, seed=0)
    assert [query.kind for query in many] == [MEMBER] * 4 + [EDITED] * 4
    assert set(few) <= set(many)
    assert all(query.graph == index[query.graph.name] for query in many if query.kind == MEMBER)


def test_waiting_for_graphs_is_counted() -> None:
    graphs = some_graphs(3)
    waiting = Waiting(graph for graph in graphs if time.sleep(0.01) is None)
    assert list(waiting) == graphs and waiting.seconds >= 0.03
