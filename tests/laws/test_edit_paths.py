"""Laws about edit paths: what every method's path must do to the source, and what it must cost."""

from __future__ import annotations

from itertools import pairwise
from math import fsum

import networkx as nx
from hypothesis import given
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match

from graphedx import EditCosts, Graph
from graphedx.edits import DeleteEdge, DeleteNode, InsertEdge, InsertNode, SubstituteEdge, SubstituteNode
from laws.checking import FEW, MANY, solved
from strategies import costs, graphs, pairs_of_graphs

Pair = tuple[Graph, Graph]
ORDER = (InsertNode, SubstituteNode, DeleteEdge, SubstituteEdge, InsertEdge, DeleteNode)


def renamed(graph: Graph, names: dict[object, object]) -> Graph:
    """The same graph under other names."""
    return Graph(
        [names[node] for node in graph.nodes],
        [(names[u], names[v]) for u, v in graph.edges],
        node_labels=graph.node_labels,
        edge_labels=graph.edge_labels,
        directed=graph.directed,
    )


@MANY
@given(pair=pairs_of_graphs(), costs=costs())
def test_the_path_turns_the_source_into_the_target_itself(method: str, pair: Pair, costs: EditCosts) -> None:
    source, target = pair
    path = solved(method, source, target, costs).edit_path()
    assert renamed(path.apply(source), dict(path.final_names)) == target


@FEW
@given(pair=pairs_of_graphs(), costs=costs())
def test_networkx_finds_the_edited_source_isomorphic_to_the_target(method: str, pair: Pair, costs: EditCosts) -> None:
    source, target = pair
    edited = solved(method, source, target, costs).edit_path().apply(source)
    assert nx.is_isomorphic(
        edited.to_networkx(),
        target.to_networkx(),
        node_match=categorical_node_match("label", None),
        edge_match=categorical_edge_match("label", None),
    )


@MANY
@given(pair=pairs_of_graphs(), costs=costs())
def test_the_operations_costs_add_up_to_the_upper_bound(method: str, pair: Pair, costs: EditCosts) -> None:
    result = solved(method, *pair, costs)
    path = result.edit_path()
    assert fsum(operation.cost for operation in path) == path.cost == result.upper


@FEW
@given(pair=pairs_of_graphs(), costs=costs())
def test_nodes_come_first_and_go_last(method: str, pair: Pair, costs: EditCosts) -> None:
    kinds = [ORDER.index(type(operation)) for operation in solved(method, *pair, costs).edit_path()]
    assert kinds == sorted(kinds)


@FEW
@given(graph=graphs(most=4))
def test_nothing_is_edited_between_equal_graphs_if_every_edit_costs(method: str, graph: Graph) -> None:
    assert len(solved(method, graph, graph, EditCosts(1, 1, 1, 1, 1, 1)).edit_path()) == 0


@FEW
@given(pair=pairs_of_graphs(), costs=costs())
def test_every_step_is_a_graph_and_changes_something(method: str, pair: Pair, costs: EditCosts) -> None:
    path = solved(method, *pair, costs).edit_path()
    steps = list(path.steps())
    assert len(steps) == len(path) + 1
    for operation, (before, after) in zip(path, pairwise(steps), strict=True):
        keeps_label = isinstance(operation, SubstituteNode | SubstituteEdge) and operation.old == operation.new
        assert (before == after) == keeps_label
        assert operation.cost > 0 or not keeps_label
