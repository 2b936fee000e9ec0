"""Graphs at the edge of what is a graph, for every native method."""

from __future__ import annotations

import networkx as nx
import pytest

from graphedx import EditCosts, Graph, StopReason, ged, induced_cost
from graphedx.costs import UNIFORM
from solvers.samples import NATIVE


def graph(plain: nx.Graph, directed: bool = False) -> Graph:
    return Graph(len(plain), list(plain.edges), directed=directed)


EMPTY, NODE, EDGE = Graph(0), Graph(1), Graph(2, [(0, 1)])
STAR, SMALLER_STAR = graph(nx.star_graph(300)), graph(nx.star_graph(290))
COMPLETE = graph(nx.complete_graph(20))
ALONE = Graph(50)
PIECES = graph(nx.disjoint_union_all([nx.cycle_graph(5), nx.path_graph(4), nx.empty_graph(3), nx.cycle_graph(5)]))
FEWER_PIECES = graph(nx.disjoint_union_all([nx.empty_graph(3), nx.cycle_graph(5), nx.path_graph(4)]))
LONG = graph(nx.path_graph(400))

# Under costs of 1 and without labels: the names of the pair, the pair, its distance.
PAIRS = {
    "nothing": (EMPTY, EMPTY, 0),
    "a node from nothing": (EMPTY, NODE, 1),
    "a node": (NODE, NODE, 0),
    "an edge from a node": (NODE, EDGE, 2),
    "a star from nothing": (EMPTY, STAR, 301 + 300),
    "a star and itself": (STAR, STAR, 0),
    "a star and a smaller one": (STAR, SMALLER_STAR, 10 + 10),
    "a star and its nodes": (STAR, Graph(301), 300),
    "a complete graph and itself": (COMPLETE, COMPLETE, 0),
    "a complete graph and a larger one": (COMPLETE, graph(nx.complete_graph(24)), 4 + 276 - 190),
    "a complete graph and no edges": (COMPLETE, Graph(20), 190),
    "nodes without edges": (ALONE, Graph(30), 20),
    "pieces and fewer pieces": (PIECES, FEWER_PIECES, 5 + 5),
    "a node and a long path": (NODE, LONG, 399 + 399),
    "an edge and a long path": (EDGE, LONG, 398 + 398),
    "an arrow and the one back": (Graph(2, [(0, 1)], directed=True), Graph(2, [(1, 0)], directed=True), 0),
    "arrows both ways": (Graph(2, [(0, 1), (1, 0)], directed=True), Graph(2, [(0, 1)], directed=True), 1),
    "a star and its arrows turned around": (
        graph(nx.star_graph(40), directed=True),
        Graph(41, [(i, 40) for i in range(40)], directed=True),
        2 * 39,  # one arrow can stay
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", NATIVE)
def test_bounds_hold_and_exact_methods_are_exact(method: str, name: str) -> None:
    source, target, distance = PAIRS[name]
    for a, b in ((source, target), (target, source)):
        result = ged(a, b, costs=UNIFORM, method=method)
        assert result.lower <= distance <= result.upper == induced_cost(result.mapping, UNIFORM)
        assert result.stopped_by is (StopReason.PROVED if result.lower == result.upper else StopReason.BOUND)
        if method in ("auto", "exact", "anchor_aware"):
            assert result.proven


@pytest.mark.parametrize("method", NATIVE)
def test_edits_that_cost_nothing(method: str) -> None:
    free = EditCosts(0, 0, 0, 0, 0, 0)
    assert ged(STAR, COMPLETE, costs=free, method=method).distance == 0
    no_deletion = EditCosts(0, 1, 0, 1, 1, 1)
    assert ged(COMPLETE, EMPTY, costs=no_deletion, method=method).distance == 0


@pytest.mark.parametrize("method", NATIVE)
def test_a_substitution_that_nobody_would_pay_for(method: str) -> None:
    source, target = (Graph(6, [(0, 1), (1, 2)], node_labels=label * 6) for label in "ab")
    result = ged(source, target, costs=EditCosts(node_sub=1e9), method=method)
    assert result.lower <= 6 + 2 + 6 + 2 <= result.upper
    if method != "hed":  # which has no mapping of its own
        assert result.upper == 16


@pytest.mark.parametrize("method", NATIVE)
def test_every_node_has_its_own_label(method: str) -> None:
    source, target = Graph(60, node_labels=range(60)), Graph(60, node_labels=range(59, -1, -1))
    result = ged(source, target, method=method)
    assert result.lower == 0
    if method != "hed":
        assert result.distance == 0
