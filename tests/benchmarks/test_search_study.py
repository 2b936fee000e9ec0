"""The study of search remembers what it was told, sums it up, and notices contradictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the study draws a picture")

import graphedx as gx
from matrix.samples import some_graphs
from search_data import EDITED, MEMBER, TOGETHER
from search_scan import Scanned
from studies import search

PLAN = search.Plan(
    most=None,
    queries=4,
    scans=2,
    growth_queries=2,
    sizes=(10, 20),
    time_limit=10.0,
    scan_limit=10.0,
    own_scan_limit=10.0,
    seed=0,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FOLDER", tmp_path)


def answered(seconds: float) -> search.Answer:
    return {"seconds": seconds, "proven": True, "bounded": 9, "searched": 2, "ties": 0, "last": 3.0}


def test_a_stopped_run_goes_on_where_it_was() -> None:
    asked = ("MUV", 20, "uniform", MEMBER, 0, 0)
    search.Journal("searches", forget=False).add(asked, answered(0.5))
    again = search.Journal("searches", forget=False)
    assert asked in again and again[asked]["seconds"] == 0.5 and again[asked]["machine"]
    assert asked not in search.Journal("searches", forget=True)


def test_searches_and_scans_are_measured_once_and_summed_up() -> None:
    index = gx.GraphIndex.build(some_graphs(20))
    asked = search.queries(index, PLAN.queries, PLAN.seed)
    for _ in range(2):
        searches, scans = (search.Journal(name, forget=False) for name in ("searches", "scans"))
        search.search_all("MUV", index, asked, PLAN, searches)
        search.scan_some("MUV", index, asked, PLAN, searches, scans)
    rows = [
        search.Row(*row[: len(search.Row._fields)]) for row in search.search_rows({"MUV": 20}, PLAN, searches, scans)
    ]
    assert [(row.costs, row.queries) for row in rows] == [
        *((costs, kind) for costs in search.COSTS for kind in (MEMBER, EDITED)),
        (search.ALL, search.ALL),
    ]
    *single, every = rows
    for row in single:
        assert (row.graphs, row.count, row.proven, row.scans, row.scan_ended, row.scan_undecided) == (20, 2, 2, 1, 1, 0)
        assert row.scan_median_times == pytest.approx(row.scan_times_slower)
    assert (every.graphs, every.count, every.proven, every.scans) == (20, 8, 8, 4)
    assert min(row.own_scan_median_times for row in single) <= every.own_scan_median_times
    for row in rows:
        assert row.times_fewer_searches >= 1 and row.scan_times_slower > 0
    assert len((search.FOLDER / "searches.jsonl").read_text().splitlines()) == 8


def test_growth_goes_on_by_its_line() -> None:
    journal = search.Journal("searches", forget=False)
    for costs in search.COSTS:
        for graphs in (100, 10_000):
            journal.add((TOGETHER, graphs, costs, MEMBER, 0, 0), answered(0.01 + 2e-6 * graphs))
    rows = [search.GrowthRow(*row[: len(search.GrowthRow._fields)]) for row in growth(journal)]
    beyond = [row for row in rows if row.extrapolated == "yes"]
    assert len(rows) == 6 and [row.graphs for row in beyond] == [search.EXTRAPOLATED] * 2
    assert all(row.seconds_a_graph == pytest.approx(2e-6) for row in beyond)
    assert all(row.seconds_median == pytest.approx(2.01) for row in beyond)


def test_what_does_not_grow_is_not_taken_to_shrink() -> None:
    assert search.extrapolated({100: 0.5, 1000: 0.4, 10_000: 0.2}) == (0.0, 0.5)


def growth(journal: search.Journal) -> list[list[object]]:
    return list(search.growth_rows([100, 10_000], PLAN, journal))


def test_a_scan_that_contradicts_is_noticed() -> None:
    index = gx.GraphIndex.build([gx.Graph(n, name=f"{n} nodes") for n in range(1, 14)])
    hits = index.search(gx.Graph(7), 10)
    distances = np.array([abs(7.0 - n) for n in range(1, 14)])
    search.require_agreement(hits, Scanned(distances, distances, 1.0, True), index, 5.0)
    for wrong in (distances + 1, np.minimum(distances, 5.0)):
        with pytest.raises(SystemExit, match="the scan says"):
            search.require_agreement(hits, Scanned(wrong, wrong, 1.0, True), index, 5.0)
