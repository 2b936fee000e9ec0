"""Laws about the numbers: what every method must say of a distance, whatever the graphs and costs."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from graphedx import EditCosts, Graph, StopReason, ged, induced_cost, solvers
from laws.checking import FEW, MANY, at_most, close, solved, truth
from strategies import costs, graphs, label_costs, metric_costs, number_costs, pairs_of_graphs, shuffled

Pair = tuple[Graph, Graph]


@FEW
@given(graph=graphs(), costs=costs())
def test_a_graph_is_at_distance_zero_from_itself_where_equal_labels_are_free(
    method: str, graph: Graph, costs: EditCosts
) -> None:
    assume(costs.free_on_equal_labels(graph.node_labels, graph.edge_labels))
    result = solved(method, graph, graph, costs)
    assert result.lower == 0
    assert induced_cost(result.mapping, costs) == result.upper
    if result.proven:
        assert result.upper == 0


@FEW
@given(pair=pairs_of_graphs(), costs=costs(), data=st.data())
def test_names_and_the_order_of_nodes_and_edges_do_not_matter(
    exact_method: str, pair: Pair, costs: EditCosts, data: Any
) -> None:
    source, target = pair
    renamed = data.draw(shuffled(source)), data.draw(shuffled(target))
    before, after = solved(exact_method, *pair, costs), solved(exact_method, *renamed, costs)
    if before.proven and after.proven:
        assert close(before.distance, after.distance, exact_method)
    assert at_most(before.lower, after.upper, exact_method)
    assert at_most(after.lower, before.upper, exact_method)


@FEW
@given(pair=pairs_of_graphs(), costs=costs())
def test_going_back_costs_what_going_there_costs_under_swapped_costs(
    exact_method: str, pair: Pair, costs: EditCosts
) -> None:
    source, target = pair
    there = solved(exact_method, source, target, costs)
    back = solved(exact_method, target, source, costs.swapped())
    if there.proven and back.proven:
        assert close(there.distance, back.distance, exact_method)
    assert at_most(there.lower, back.upper, exact_method)


@FEW
@given(pair=pairs_of_graphs(most=6), costs=costs())
def test_both_bounds_are_the_same_both_ways(native_method: str, pair: Pair, costs: EditCosts) -> None:
    source, target = pair
    there = solved(native_method, source, target, costs)
    back = solved(native_method, target, source, costs.swapped())
    assert close(there.upper, back.upper)
    assert close(there.lower, back.lower)
    if costs.all_numbers:
        assert (there.upper, there.stopped_by) == (back.upper, back.stopped_by)


@MANY
@given(pair=pairs_of_graphs(), costs=costs())
def test_bounds_enclose_brute_force(method: str, pair: Pair, costs: EditCosts) -> None:
    result = solved(method, *pair, costs)
    distance = truth(*pair, costs)
    assert at_most(result.lower, distance, method)
    assert at_most(distance, result.upper)
    assert result.proven == (result.lower == result.upper)


@MANY
@given(pair=pairs_of_graphs(), costs=costs())
def test_the_mapping_costs_exactly_the_upper_bound(method: str, pair: Pair, costs: EditCosts) -> None:
    result = solved(method, *pair, costs)
    assert induced_cost(result.mapping, costs) == result.upper


@MANY
@given(pair=pairs_of_graphs(), costs=number_costs(numbers=st.integers(0, 4)))
def test_exact_methods_prove_the_distance_under_whole_costs(exact_method: str, pair: Pair, costs: EditCosts) -> None:
    result = solved(exact_method, *pair, costs)
    assert result.stopped_by is StopReason.PROVED
    assert result.distance == truth(*pair, costs)


@MANY
@given(pair=pairs_of_graphs(most=5), costs=costs())
def test_the_default_method_agrees_with_brute_force(pair: Pair, costs: EditCosts) -> None:
    assert close(ged(*pair, costs=costs).distance, truth(*pair, costs))


@MANY
@given(pair=pairs_of_graphs(), costs=label_costs())
def test_costs_by_label_agree_with_brute_force(pair: Pair, costs: EditCosts) -> None:
    assert close(ged(*pair, costs=costs, method="exact").distance, truth(*pair, costs))


@MANY
@given(pair=pairs_of_graphs(), costs=costs(), fraction=st.sampled_from([0.0, 0.5, 0.99, 1.0, 1.01, 2.0]))
def test_a_cutoff_is_proven_or_exceeded(exact_method: str, pair: Pair, costs: EditCosts, fraction: float) -> None:
    distance = truth(*pair, costs)
    cutoff = fraction * distance
    result = solved(exact_method, *pair, costs, cutoff=cutoff)
    assert at_most(result.lower, distance, exact_method)
    assert at_most(distance, result.upper)
    assert induced_cost(result.mapping, costs) == result.upper
    if result.stopped_by is StopReason.BOUND:
        return  # the method's arithmetic cannot tell, and it says so
    if fraction >= 1 and not close(cutoff, distance):
        assert result.proven
    if fraction < 1 and not close(cutoff, distance):
        assert result.lower > cutoff


@FEW
@given(pair=pairs_of_graphs(), costs=costs())
def test_no_time_at_all_still_gives_bounds_that_hold(method: str, pair: Pair, costs: EditCosts) -> None:
    result = solved(method, *pair, costs, time_limit=0)
    distance = truth(*pair, costs)
    assert 0 <= result.lower <= result.upper
    assert at_most(result.lower, distance, method)
    assert at_most(distance, result.upper)
    assert induced_cost(result.mapping, costs) == result.upper
    if result.proven:
        assert close(result.distance, distance, method)


@FEW
@given(pair=pairs_of_graphs(most=5), costs=costs())
def test_the_same_question_gets_the_same_answer(method: str, pair: Pair, costs: EditCosts) -> None:
    again = tuple(
        Graph(g.nodes, g.edges, node_labels=g.node_labels, edge_labels=g.edge_labels, directed=g.directed) for g in pair
    )
    if method == "brute_force" and max(map(len, pair)) > 4:
        return
    first, second = solved(method, *pair, costs), solved(method, *again, costs)
    assert (first.lower, first.upper, first.images) == (second.lower, second.upper, second.images)


@FEW
@given(pair=pairs_of_graphs(), costs=costs(), data=st.data())
def test_options_change_how_well_but_not_whether_it_holds(method: str, pair: Pair, costs: EditCosts, data: Any) -> None:
    defaults = solvers.get(method).options
    options = {
        name: data.draw(st.booleans() if isinstance(default, bool) else st.integers(1, 9))
        for name, default in defaults.items()
    }
    first, second = (solved(method, *pair, costs, **options) for _ in range(2))
    assert (first.lower, first.upper, first.images) == (second.lower, second.upper, second.images)
    distance = truth(*pair, costs)
    assert at_most(first.lower, distance, method)
    assert at_most(distance, first.upper)
    usual, spelt_out = solved(method, *pair, costs), solved(method, *pair, costs, **defaults)
    assert (usual.lower, usual.upper, usual.images) == (spelt_out.lower, spelt_out.upper, spelt_out.images)


@FEW
@given(directed=st.booleans(), costs=metric_costs(), data=st.data())
def test_a_detour_is_never_shorter_under_metric_costs(directed: bool, costs: EditCosts, data: Any) -> None:
    a, b, c = (data.draw(graphs(most=5, directed=directed)) for _ in range(3))
    there, onwards, direct = (ged(*pair, costs=costs).distance for pair in ((a, b), (b, c), (a, c)))
    assert direct <= there + onwards


@FEW
@given(pair=pairs_of_graphs(), costs=number_costs(numbers=st.integers(0, 4)), factor=st.sampled_from([0.5, 2.0, 8.0]))
def test_scaling_the_costs_scales_the_distance(exact_method: str, pair: Pair, costs: EditCosts, factor: float) -> None:
    parts = (costs.node_del, costs.node_ins, costs.edge_del, costs.edge_ins, costs.node_sub, costs.edge_sub)
    scaled = EditCosts(*(factor * part for part in parts if isinstance(part, float)))
    distance = solved(exact_method, *pair, costs).distance
    assert solved(exact_method, *pair, scaled).distance == factor * distance
