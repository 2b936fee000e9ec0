"""A Graph is simple, immutable and compared by what it says; whatever it cannot be, it refuses in words."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from graphedx import Graph, GraphError, ged
from strategies import graphs


def triangle(**keywords: Any) -> Graph:
    return Graph("abc", [("a", "b"), ("b", "c"), ("c", "a")], **keywords)


def test_a_number_of_nodes_names_them_from_zero() -> None:
    graph = Graph(3, [(0, 2)])
    assert graph.nodes == (0, 1, 2)
    assert graph.edges == ((0, 2),)
    assert (len(graph), graph.num_nodes, graph.num_edges) == (3, 3, 1)


def test_the_empty_graph_is_a_graph() -> None:
    assert bool(Graph())
    assert (Graph().nodes, Graph().edges) == ((), ())


def test_labels_come_by_position_or_by_name() -> None:
    by_position = triangle(node_labels=["C", "N", None], edge_labels=[1, 2, None])
    by_name = triangle(node_labels={"a": "C", "b": "N"}, edge_labels={("b", "a"): 1, ("b", "c"): 2})
    assert by_position == by_name


def test_a_directed_edge_is_labelled_in_its_own_direction_only() -> None:
    both = Graph(2, [(0, 1), (1, 0)], edge_labels={(0, 1): "there"}, directed=True)
    assert both.edge_labels == ("there", None)
    with pytest.raises(GraphError, match="not an edge"):
        Graph(2, [(0, 1)], edge_labels={(1, 0): "back"}, directed=True)


@pytest.mark.parametrize("attribute", ["nodes", "edge_index", "directed", "anything"])
def test_nothing_of_a_graph_can_be_set_or_deleted(attribute: str) -> None:
    graph = triangle()
    with pytest.raises(AttributeError, match="cannot be changed"):
        setattr(graph, attribute, ())
    with pytest.raises(AttributeError, match="cannot be changed"):
        delattr(graph, attribute)
    assert graph == triangle()


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((2, [(0, 0)]), {}, "self-loop at node 0"),
        ((2, [(0, 1), (0, 1)]), {}, "twice"),
        ((2, [(0, 1), (1, 0)]), {}, "twice"),
        ((2, [(0, 2)]), {}, "names 2, which is not a node"),
        ((2, [(5, 1)]), {}, "names 5, which is not a node"),
        ((2, [([], 1)]), {}, "not a node"),
        ((2, [(([],), 1)]), {}, r"names \(\[\],\), which is not a node"),
        ((2, [(1, ({},))]), {}, r"names \(\{\},\), which is not a node"),
        ((2, [(0, 1, 2)]), {}, "an edge is a pair"),
        ((2, [7]), {}, "an edge is a pair"),
        ((["a", "a"],), {}, "'a' is listed twice"),
        (([["a"]],), {}, "not hashable"),
        ((["a", None],), {}, "a node is named None"),
        ((1,), {"name": 5}, "text or None, got int"),
        ((-1,), {}, ">= 0"),
        ((True,), {}, "bool"),
        ((1.5,), {}, "float"),
        ((2,), {"node_labels": ["C"]}, "2 nodes need as many"),
        ((2,), {"node_labels": ["C", []]}, "not hashable"),
        ((2,), {"node_labels": {9: "C"}}, "names 9"),
        ((2, [(0, 1)]), {"edge_labels": []}, "1 edges need as many"),
        ((2, [(0, 1)]), {"edge_labels": [{}]}, "not hashable"),
        ((2, [(0, 1)]), {"edge_labels": {(0, 7): 1}}, "not an edge"),
    ],
)
def test_what_is_not_a_simple_labelled_graph_is_refused(
    arguments: tuple[Any, ...], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        Graph(*arguments, **keywords)


def test_no_name_is_the_empty_one() -> None:
    assert (Graph(1, name=None).name, Graph(1).name) == ("", "")


def test_antiparallel_edges_are_fine_when_directed() -> None:
    assert Graph(2, [(0, 1), (1, 0)], directed=True).num_edges == 2


def test_equality_ignores_order_but_not_names_labels_or_direction() -> None:
    assert triangle() == Graph("cab", [("a", "c"), ("b", "a"), ("c", "b")])
    assert hash(triangle()) == hash(Graph("cab", [("a", "c"), ("b", "a"), ("c", "b")]))
    different = [
        Graph("abd", [("a", "b"), ("b", "d"), ("d", "a")]),
        Graph("abc", [("a", "b"), ("b", "c")]),
        triangle(node_labels={"a": 1}),
        triangle(edge_labels={("a", "b"): 1}),
        triangle(directed=True),
    ]
    assert all(triangle() != other for other in different)
    assert triangle() != "abc"


def test_a_directed_edge_is_not_its_reverse() -> None:
    assert Graph(2, [(0, 1)], directed=True) != Graph(2, [(1, 0)], directed=True)
    assert Graph(2, [(0, 1)]) == Graph(2, [(1, 0)])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(graph=graphs(named=True))
def test_pickling_and_copying_change_nothing(graph: Graph) -> None:
    ged(graph, graph)  # fills whatever a graph keeps for itself
    for twin in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
        assert twin == graph
        assert (twin.nodes, twin.edges, twin.name) == (graph.nodes, graph.edges, graph.name)


def test_classes_number_the_distinct_labels_in_order_of_appearance() -> None:
    graph = triangle(node_labels=["N", "C", "N"])
    assert graph.node_classes == (("N", "C"), (0, 1, 0))


def test_label_between_is_symmetric_only_if_undirected() -> None:
    labels = {("a", "b"): "x"}
    assert triangle(edge_labels=labels).label_between[1, 0] == "x"
    assert (1, 0) not in triangle(edge_labels=labels, directed=True).label_between


def test_unlabelled_keeps_the_structure_only() -> None:
    assert triangle(node_labels="CNO", edge_labels=(1, 2, 3)).unlabelled() == triangle()


def test_the_repr_says_size_direction_and_name() -> None:
    assert repr(triangle(directed=True, name="t")) == "Graph('t', directed, 3 nodes, 3 edges)"


@pytest.mark.parametrize("label", [math.nan, np.float64("nan"), (1, math.nan), np.datetime64("NaT")])
def test_what_does_not_equal_itself_is_no_label(label: Any) -> None:
    with pytest.raises(GraphError, match=r"label of node 0, .* does not equal itself"):
        Graph(1, node_labels=[label])
    with pytest.raises(GraphError, match=r"label of edge \(0, 1\), .* does not equal itself"):
        Graph(2, [(0, 1)], edge_labels=[label])
    with pytest.raises(GraphError, match=r"node name .* does not equal itself"):
        Graph([label])


@pytest.mark.parametrize(
    ("keywords", "complaint"),
    [
        ({"edges": None}, "edges must be pairs of node names, got NoneType"),
        ({"node_labels": 5}, "node_labels must be a mapping or a sequence, got int"),
        ({"edge_labels": 5}, "edge_labels must be a mapping or a sequence, got int"),
    ],
)
def test_what_cannot_be_listed_is_refused_by_name(keywords: Any, complaint: str) -> None:
    with pytest.raises(GraphError, match=complaint):
        Graph(2, **keywords)


def test_an_undirected_edge_has_one_label() -> None:
    both = {(0, 1): "a", (1, 0): "b"}
    with pytest.raises(GraphError, match="two labels for the undirected edge"):
        Graph(2, [(0, 1)], edge_labels=both)
    assert Graph(2, [(0, 1), (1, 0)], edge_labels=both, directed=True).edge_labels == ("a", "b")
