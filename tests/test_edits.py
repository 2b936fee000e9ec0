"""Mappings and edit paths: a worked example, the order of edits, and refusals."""

from __future__ import annotations

import json

import pytest

from graphedx import EditCosts, EditPath, Graph, NodeMapping, induced_cost
from graphedx.edits import DeleteEdge, DeleteNode, InsertEdge, InsertNode, SubstituteEdge, SubstituteNode
from graphedx.errors import CostError, MappingError

SOURCE = Graph("abc", [("a", "b"), ("b", "c")], node_labels="CNO", edge_labels=(1, 1))
TARGET = Graph("xya", [("x", "y"), ("y", "a")], node_labels="CCF", edge_labels=(2, 1))
COSTS = EditCosts(node_del=3, node_ins=5, edge_del=7, edge_ins=11, node_sub=0.5, edge_sub=0.25)
MAPPING = NodeMapping(SOURCE, TARGET, (0, 1, -1))  # a -> x, b -> y, c is deleted, target a is inserted


def test_a_mapping_reads_like_a_dictionary_of_names() -> None:
    assert dict(MAPPING) == {"a": "x", "b": "y", "c": None}
    assert MAPPING.insertions == ("a",)
    assert NodeMapping.from_names(SOURCE, TARGET, {"a": "x", "b": "y"}) == MAPPING


def test_the_worked_example_costs_what_its_edits_cost() -> None:
    # relabel b: N -> C, relabel edge ab: 1 -> 2, delete c and bc, insert a and its edge
    assert induced_cost(MAPPING, COSTS) == 0.5 + 0.25 + 3 + 7 + 5 + 11


def test_costs_are_written_to_the_last_digit_but_not_to_the_noise() -> None:
    costs = EditCosts(1234567, 0.1, 0.1, 0.1, 0.1, 0.1)
    lines = str(EditPath.from_mapping(MAPPING, costs)).splitlines()
    assert [line.split()[-1] for line in lines] == ["0.1"] * 5 + ["1234567", "1234567.5"]
    assert repr(costs) == "EditCosts(1234567,0.1,0.1,0.1,0.1,0.1)"


def test_what_is_no_edit_costs_is_refused() -> None:
    for charge in (induced_cost, EditPath.from_mapping):
        with pytest.raises(CostError, match="costs must be an EditCosts, got 'unit'"):
            charge(MAPPING, "unit")  # type: ignore[arg-type]


def test_the_worked_example_has_these_edits_in_this_order() -> None:
    path = EditPath.from_mapping(MAPPING, COSTS)
    assert path.operations == (
        InsertNode("a'", "F", "a", 5),
        SubstituteNode("b", "N", "C", 0.5),
        DeleteEdge("b", "c", 7),
        SubstituteEdge("a", "b", 1, 2, 0.25),
        InsertEdge("b", "a'", 1, 11),
        DeleteNode("c", 3),
    )
    assert path.final_names == {"a": "x", "b": "y", "a'": "a"}
    assert path.apply() == Graph(["a", "b", "a'"], [("a", "b"), ("b", "a'")], node_labels="CCF", edge_labels=(2, 1))


def test_an_edge_dearer_to_relabel_than_to_replace_is_replaced() -> None:
    one, two = (Graph(2, [(0, 1)], edge_labels=[label]) for label in (1, 2))
    path = EditPath.from_mapping(NodeMapping(one, two, (0, 1)), EditCosts(edge_sub=3))
    assert [type(operation) for operation in path] == [DeleteEdge, InsertEdge]
    assert path.cost == 2
    assert path.apply() == two


def test_a_tie_between_relabelling_and_replacing_is_relabelled() -> None:
    one, two = (Graph(2, [(0, 1)], edge_labels=[label]) for label in (1, 2))
    path = EditPath.from_mapping(NodeMapping(one, two, (0, 1)), EditCosts(edge_sub=2))
    assert [type(operation) for operation in path] == [SubstituteEdge]


def test_edge_direction_decides_whether_an_edge_is_kept() -> None:
    forth, back = (Graph(2, [edge], directed=True) for edge in ((0, 1), (1, 0)))
    assert induced_cost(NodeMapping(forth, back, (0, 1)), EditCosts()) == 2
    assert induced_cost(NodeMapping(forth, back, (1, 0)), EditCosts()) == 0


def test_the_sum_is_correctly_rounded() -> None:
    graph = Graph(10)
    assert induced_cost(NodeMapping(graph, Graph(), [-1] * 10), EditCosts(node_del=0.1)) == 1.0


@pytest.mark.parametrize(
    ("images", "message"),
    [((0, 1), "2 images"), ((0, 1, 3), "image 3"), ((0, 1, -2), "image -2"), ((0, 0, -1), "same target node")],
)
def test_what_is_no_partial_injection_is_refused(images: tuple[int, ...], message: str) -> None:
    with pytest.raises(MappingError, match=message):
        NodeMapping(SOURCE, TARGET, images)


def test_names_that_are_not_there_are_refused() -> None:
    with pytest.raises(MappingError, match="'z' is not a node of the source"):
        NodeMapping.from_names(SOURCE, TARGET, {"z": "x"})
    with pytest.raises(MappingError, match="'z' is not a node of the target"):
        NodeMapping.from_names(SOURCE, TARGET, {"a": "z"})


def test_the_whole_path_gives_the_name_of_the_target() -> None:
    source, target = Graph(2, [(0, 1)], name="source"), Graph(3, [(0, 1), (1, 2)], name="target")
    path = EditPath.from_mapping(NodeMapping(source, target, [0, 1]), COSTS)
    assert path.apply().name == path.apply(source).name == "target"
    assert [graph.name for graph in path.steps()] == ["source", "source", "target"]
    nothing = EditPath.from_mapping(NodeMapping(source, source.renamed("same"), [0, 1]), COSTS)
    assert nothing.apply().name == "same"
    assert [graph.name for graph in nothing.steps()] == ["source"]


def test_a_path_does_not_apply_to_another_graph() -> None:
    path = EditPath.from_mapping(MAPPING, COSTS)
    for other in (Graph(), TARGET, Graph("abc", [("a", "b"), ("b", "c")]), Graph(["a'", *"abc"])):
        with pytest.raises(MappingError, match="not the one this path starts from"):
            path.apply(other)


def test_a_path_applies_to_an_equal_graph_with_turned_edges() -> None:
    turned = Graph("abc", [("c", "b"), ("b", "a")], node_labels="CNO", edge_labels=(1, 1))
    path = EditPath.from_mapping(MAPPING, COSTS)
    assert path.apply(turned) == path.apply()


def test_a_path_is_told_in_words_and_in_json() -> None:
    path = EditPath.from_mapping(MAPPING, COSTS)
    assert "relabel node b: N -> C" in str(path)
    assert str(path).splitlines()[-1].split() == ["total", "26.75"]
    told = json.loads(path.to_json())
    assert told["cost"] == 26.75
    assert [operation["op"] for operation in told["operations"]] == [type(o).__name__ for o in path]
    assert told["mapping"] == [["a", "x"], ["b", "y"], ["c", None]]
    assert told["insertions"] == ["a"]


def test_json_has_no_numbers_that_json_does_not_know() -> None:
    source = Graph(1, node_labels=[float("inf")])
    told = EditPath.from_mapping(NodeMapping(source, Graph(1), (0,)), COSTS).to_json(allow_nan=False)
    assert json.loads(told)["operations"][0]["old"] == "inf"
