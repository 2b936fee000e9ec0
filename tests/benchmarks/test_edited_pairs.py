"""Graphs with planted edits: the edits bound the distance, and the same seed gives the same pair."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edited_pairs import edited, molecule, program
from graphedx import Graph, ged
from laws.checking import MANY
from strategies import graphs


@MANY
@given(graph=graphs(most=5), count=st.integers(0, 6), seed=st.integers(0, 9))
def test_the_distance_is_at_most_the_planted_edits(graph: Graph, count: int, seed: int) -> None:
    copy, planted = edited(graph, count, seed)
    assert planted <= count
    assert ged(graph, copy).distance <= planted


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_a_large_graph_gets_as_many_edits_as_asked_for(count: int) -> None:
    graph = program(120, seed=1)
    copy, planted = edited(graph, count, seed=2)
    assert planted == count
    assert copy != graph
    assert edited(graph, count, seed=2) == (copy, planted)
    assert edited(graph, count, seed=3).graph != copy


def test_few_edits_are_the_distance() -> None:
    graph = program(60, seed=0)
    copy, planted = edited(graph, 2, seed=0)
    assert ged(graph, copy).distance == planted


@pytest.mark.parametrize("nodes", [1, 2, 30, 300])
def test_sizes_are_exact_and_graphs_connected(nodes: int) -> None:
    pytest.importorskip("rdkit", reason="molecules come with it")
    for graph in (molecule(nodes, seed=5), program(nodes, seed=5)):
        assert len(graph) == nodes
        assert nx.is_connected(graph.to_networkx().to_undirected())


def test_the_same_seed_gives_the_same_graph() -> None:
    assert program(50, seed=3) == program(50, seed=3)
    assert program(50, seed=3) != program(50, seed=4)
