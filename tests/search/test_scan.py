"""Searches among molecules find what a full scan by the exact method finds; ``benchmarks/check_search.py`` in short."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import graphedx as gx

pytest.importorskip("rdkit", reason="the molecules come with it")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import check_search
from check_search import COSTS

QUERIES, GRAPHS, SEED = 5, 100, 1


@cache
def drawn() -> tuple[list[gx.Graph], list[gx.Graph]]:
    members, others = check_search.molecules(GRAPHS, SEED)
    return members, check_search.asked(members, others, QUERIES, SEED)


@pytest.mark.parametrize("costs", COSTS)
def test_search_is_a_full_scan_of_molecules(costs: str) -> None:
    check = check_search.checked(costs, *drawn(), threads=2)
    assert check.wrong == []
    assert check.queries == QUERIES and check.searched < QUERIES * GRAPHS


def test_costs_by_label_are_not_the_same_in_both_directions() -> None:
    costs = COSTS["by label"]
    one, other, *_ = drawn()[0]
    assert not costs.all_numbers
    assert gx.ged(one, other, costs=costs).distance != gx.ged(other, one, costs=costs).distance


def test_a_wrong_answer_is_noticed() -> None:
    members = [gx.Graph(n, name=f"{n} nodes") for n in range(1, 14)]
    hits = gx.GraphIndex.build(members).search(gx.Graph(7), 10)
    distances = np.array([abs(7.0 - n) for n in range(1, 14)])
    ids = [str(graph.name) for graph in members]
    assert list(check_search.disagreements(hits, ids, distances)) == []
    nearer = np.where(distances == 6, 0.0, distances)
    assert next(check_search.disagreements(hits, ids, nearer)).startswith("hits [('7 nodes', 0.0)")
    last = np.sort(distances)[9]
    tied = np.where(distances > last, last, distances)
    assert any(text.startswith("ties") for text in check_search.disagreements(hits, ids, tied))
