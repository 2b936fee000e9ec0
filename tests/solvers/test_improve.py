"""Local search from a given mapping: never worse than that, and where it ends no move and no trade helps."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphedx as gx
from graphedx import EditCosts, Graph, NodeMapping, StopReason, _native, ged, improve, induced_cost
from graphedx.errors import CostError, GraphError, MappingError, MethodError
from laws.checking import MANY, at_most, close, truth
from solvers.samples import molecule
from solvers.test_refine import neighbours
from strategies import costs as any_costs
from strategies import pairs_of_graphs

PATH = Graph(4, [(0, 1), (1, 2), (2, 3)])


@st.composite
def mappings(draw: st.DrawFn, most: int = 5) -> NodeMapping:
    """Any mapping of two small graphs: from everything deleted to everything mapped."""
    source, target = draw(pairs_of_graphs(most=most))
    places = draw(st.permutations([*range(len(target)), *[-1] * len(source)]))
    return NodeMapping(source, target, places[: len(source)])


@MANY
@given(mappings(), any_costs())
def test_it_is_never_worse_than_the_start_and_says_what_it_costs(start: NodeMapping, costs: EditCosts) -> None:
    result = improve(start, costs=costs)
    assert result.upper <= induced_cost(start, costs)
    assert result.upper == induced_cost(result.mapping, costs)
    assert (result.method, result.source, result.target) == ("improve", start.source, start.target)
    assert improve(start, costs=costs) == result


@MANY
@given(mappings(), any_costs())
def test_no_move_and_no_trade_makes_it_cheaper(start: NodeMapping, costs: EditCosts) -> None:
    result = improve(start, costs=costs)
    for images in neighbours(result):
        assert at_most(result.upper, induced_cost(NodeMapping(start.source, start.target, images), costs))
    again = improve(result.mapping, costs=costs)
    assert close(again.upper, result.upper)


@MANY
@given(mappings(most=4), any_costs())
def test_its_interval_holds_the_distance(start: NodeMapping, costs: EditCosts) -> None:
    result = improve(start, costs=costs)
    distance = truth(start.source, start.target, costs)
    assert at_most(result.lower, distance)
    assert at_most(distance, result.upper)
    assert result.stopped_by is (StopReason.PROVED if result.proven else StopReason.BOUND)


@pytest.mark.parametrize("seed", range(6))
def test_larger_graphs_end_in_a_local_optimum_too(seed: int) -> None:
    rng = random.Random(seed)
    source, target = molecule(rng, 14 + seed), molecule(rng, 20 - seed)
    places = [*range(len(target)), *[-1] * 8]
    start = NodeMapping(source, target, rng.sample(places, len(source)))
    costs = EditCosts(3, 1, 2, 1, 1, 1) if seed % 2 else EditCosts()
    result = improve(start, costs=costs)
    assert result.upper < induced_cost(start, costs)
    for images in neighbours(result):
        assert induced_cost(NodeMapping(source, target, images), costs) >= result.upper


def test_an_optimal_mapping_stays_as_cheap_as_it_is() -> None:
    rng = random.Random(3)
    best = ged(molecule(rng, 10), molecule(rng, 12))
    assert improve(best.mapping).upper == best.distance


def test_where_every_pair_is_dear_and_an_edge_holds_two_nodes_it_climbs_out_to_nothing() -> None:
    # Both nodes stay for the edge between them: deleting either loses it, deleting both pays.
    source, target = Graph(2, [(0, 1)], node_labels="aa"), Graph(2, [(0, 1)], node_labels="bb")
    costs = EditCosts(1, 1, 3, 3, node_sub=6, edge_sub=0)
    start = NodeMapping(source, target, [0, 1])
    assert induced_cost(start, costs) == 12
    assert improve(start, costs=costs).upper == 10


def test_a_forbidden_pair_is_given_up() -> None:
    source, target = Graph(2, [(0, 1)], node_labels="ab"), Graph(2, [(0, 1)], node_labels="ab")
    result = improve(NodeMapping(source, target, [1, 0]), costs=EditCosts(node_sub=1e9))
    assert result.upper == 0


def test_graphs_without_nodes() -> None:
    empty = Graph(0)
    assert improve(NodeMapping(empty, empty, [])).distance == 0
    assert improve(NodeMapping(empty, PATH, [])).distance == 7
    assert improve(NodeMapping(PATH, empty, [-1] * 4)).distance == 7


@pytest.mark.parametrize("thing", [None, [0, 1, 2, 3], "abc"])
def test_only_a_mapping_is_taken(thing: Any) -> None:
    with pytest.raises(MappingError, match=f"NodeMapping is needed.*got {type(thing).__name__}"):
        improve(thing)


def test_costs_and_graphs_must_fit() -> None:
    with pytest.raises(CostError):
        improve(NodeMapping(PATH, PATH, range(4)), costs=3)  # type: ignore[arg-type]
    with pytest.raises(GraphError):
        improve(NodeMapping(PATH, Graph(1, directed=True), [-1, -1, -1, 0]))


def test_graphs_that_fit_in_no_table_are_refused() -> None:
    wide = Graph(8000)
    with pytest.raises(MethodError, match="too much"):
        improve(NodeMapping(wide, wide, range(8000)))


@pytest.mark.parametrize("images", [[0, 1, 2], [0, 1, 2, 4], [0, 1, 2, -2], [0, 1, 2, 2]])
def test_the_core_checks_images_itself(images: list[int]) -> None:
    graph = _native.Graph([0] * 4, PATH.edge_index, [0] * 3, False)
    tables = _native.CostTables([1.0], [1.0], [0.0], [1.0], [1.0], [0.0])
    with pytest.raises(ValueError, match="image"):
        _native.improved(graph, graph, tables, images)


def test_it_is_public() -> None:
    assert gx.improve is improve
    assert "improve" not in gx.methods()
