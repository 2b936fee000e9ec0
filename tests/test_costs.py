"""EditCosts takes numbers, tables and callables, refuses what is no cost, and can be turned around."""

from __future__ import annotations

import math
import pickle
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from graphedx import CostError, EditCosts, Graph, GraphError, GraphIndex, distance_matrix, ged, induced_cost, solvers
from graphedx._kernels import _native_tables
from graphedx.costs import MOST, PRESETS, UNIFORM, UNIT, tables_for_labels
from graphedx.drawing import edit_path_svg
from strategies import costs, number_costs

NAMES = ("node_del", "node_ins", "edge_del", "edge_ins", "node_sub", "edge_sub")
C = Graph(1, node_labels=["C"])
N = Graph(1, node_labels=["N"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "value", [-1, -1e-300, math.nan, math.inf, "much", "3", b"3", None, 1j, 10**400, 1e300, 1e-290]
)
def test_what_is_no_cost_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(CostError, match=name):
        EditCosts(**{name: value})


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, 1e-290])
def test_tables_are_checked_when_they_are_given(value: float) -> None:
    with pytest.raises(CostError, match=r"node_del\['C'\]"):
        EditCosts(node_del={"C": value})
    with pytest.raises(CostError, match="default of node_ins"):
        EditCosts(node_ins=defaultdict(lambda: value))


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "much", 1e-290])
def test_callables_are_checked_when_they_answer(value: Any) -> None:
    with pytest.raises(CostError, match="node_sub"):
        ged(C, N, costs=EditCosts(node_sub=lambda a, b: value))


@pytest.mark.parametrize("function", [lambda a, b: 1 // 0, lambda a: 1.0])
def test_a_callable_that_fails_is_named_with_the_labels_it_was_given(function: Any) -> None:
    costs = EditCosts(node_sub=function)
    with pytest.raises(CostError, match=r"node_sub\('C', 'N'\) failed: \w+Error"):
        ged(C, N, costs=costs)
    # The diagonal, or either direction, may be the first to fail.
    with pytest.raises(CostError, match=r"node_sub\('[CN]', '[CN]'\) failed: \w+Error"):
        distance_matrix([C, N], costs=costs)


@pytest.mark.parametrize("value", ["unit", (1, 1, 1, 1), {"node_del": 1}, None, 3])
def test_costs_that_are_no_edit_costs_are_refused(value: Any) -> None:
    for compare in (lambda: ged(C, N, costs=value), lambda: distance_matrix([C, N], costs=value)):
        with pytest.raises(CostError, match="costs must be an EditCosts"):
            compare()


def test_the_largest_costs_there_are_can_be_added_up() -> None:
    large = EditCosts(*[MOST] * 6)
    assert ged(Graph(3, [(0, 1)]), Graph(), costs=large).distance == 4 * MOST


@dataclass(frozen=True)
class TableLookup:
    """A callable that cannot be hashed: one of its fields is a dictionary."""

    table: dict[Any, float]

    def __call__(self, a: Any, b: Any) -> float:
        return self.table[a, b]


def test_a_callable_need_not_be_hashable() -> None:
    costs = EditCosts(10, 10, node_sub=TableLookup({("C", "N"): 3}))
    assert ged(C, N, costs=costs).distance == 3


@pytest.mark.parametrize("method", ["auto", "exact", "brute_force", "branch", "f2", "large"])
def test_a_callable_is_evaluated_anew_in_every_call(method: str) -> None:
    weight = {"x": 1.0}
    costs = EditCosts(9, 9, node_sub=lambda a, b: weight["x"], edge_sub=0)
    for value in (1.0, 5.0, 2.0):
        weight["x"] = value
        result = ged(C, N, costs=costs, method=method)
        assert result.upper == value
        assert result.edit_path().cost == value
        assert distance_matrix([C, N], costs=costs, progress=False).upper[0, 1] == value
        assert induced_cost(result.mapping, costs) == value


def test_an_edit_path_of_costs_that_have_changed_is_refused() -> None:
    weight = {"x": 1.0}
    result = ged(C, N, costs=EditCosts(9, 9, node_sub=lambda a, b: weight["x"]))
    weight["x"] = 5.0
    with pytest.raises(CostError, match="now make this mapping cost 5, not 1"):
        result.edit_path()


def test_a_substitution_table_is_keyed_by_pairs() -> None:
    with pytest.raises(CostError, match="pairs of labels"):
        EditCosts(node_sub={"C": 1})
    with pytest.raises(CostError, match="pairs of labels"):
        EditCosts(node_sub=EditCosts(node_del={"C": 1}).node_del)


def test_a_label_that_a_table_lacks_is_an_error_that_names_it() -> None:
    with pytest.raises(CostError, match="node_del has no cost for 'C'"):
        ged(C, N, costs=EditCosts(node_del={"N": 1}))
    with pytest.raises(CostError, match=r"node_sub has no cost for \('C', 'N'\)"):
        ged(C, N, costs=EditCosts(node_sub={("N", "C"): 1}))


def test_a_defaultdict_covers_unlisted_labels() -> None:
    table: defaultdict[Any, float] = defaultdict(lambda: 7.0, {("C", "O"): 1.0})
    assert ged(C, N, costs=EditCosts(10, 10, node_sub=table)).distance == 7


def test_a_table_given_is_copied() -> None:
    table = {"C": 1.0}
    kept = EditCosts(node_del=table)
    table["C"] = 100.0
    assert ged(C, Graph(), costs=kept).distance == 1


EQUAL_LABEL_COSTS = [
    (EditCosts(9, 9, node_sub=lambda a, b: 5), 10),
    (EditCosts(9, 9, node_sub={("C", "C"): 2, ("N", "N"): 4, ("C", "N"): 8, ("N", "C"): 8}), 6),
    (EditCosts(9, 9, node_sub={("C", "N"): 5, ("N", "C"): 5}), 0),
    (EditCosts(9, 9, node_sub=defaultdict(lambda: 7)), 0),
    (EditCosts(9, 9, node_sub=5), 0),
    (EditCosts(9, 9, edge_del=9, edge_ins=9, edge_sub=lambda a, b: 3), 3),
    (EditCosts(9, 9, edge_del=9, edge_ins=9, edge_sub={(1, 1): 4}), 4),
    (EditCosts(1, 1, node_sub=lambda a, b: 5), 6),  # both nodes and the edge are deleted and inserted
]
CN = Graph(2, [(0, 1)], node_labels="CN", edge_labels=[1])


@pytest.mark.parametrize("method", sorted(set(solvers.methods()) - {"neural"}))
@pytest.mark.parametrize(("costs", "distance"), EQUAL_LABEL_COSTS)
def test_equal_labels_cost_what_a_table_or_callable_says(method: str, costs: EditCosts, distance: float) -> None:
    result = ged(CN, CN, costs=costs, method=method)
    assert result.lower <= distance <= result.upper
    assert induced_cost(result.mapping, costs) == result.upper
    path = result.edit_path()
    assert path.cost == sum(operation.cost for operation in path) == result.upper
    assert ged(path.apply(CN), CN).distance == 0
    if result.proven:
        assert result.distance == distance


@pytest.mark.parametrize(("costs", "distance"), EQUAL_LABEL_COSTS[:-1])
def test_a_matrix_has_the_distance_of_a_graph_to_itself(costs: EditCosts, distance: float) -> None:
    matrix = distance_matrix([CN, CN, C], costs=costs, progress=False)
    assert matrix.distances[0, 0] == matrix.distances[1, 1] == matrix.distances[0, 1] == distance
    assert matrix.result(1, 1).distance == matrix.result(1, 0).distance == distance
    assert matrix.result(1, 1).edit_path().cost == distance


@pytest.mark.parametrize(("costs", "distance"), EQUAL_LABEL_COSTS[:-1])
def test_a_search_finds_a_graph_at_the_distance_to_itself(costs: EditCosts, distance: float) -> None:
    index = GraphIndex.build([C, CN, N])
    assert index.search(CN, k=3, costs=costs).hits == index.range(CN, 1000, costs=costs).hits
    assert {hit.id: hit.distance for hit in index.search(CN, k=3, costs=costs)}["1"] == distance


def test_labels_are_compared_as_values_never_element_by_element() -> None:
    # numpy compares its numbers with the elements of a tuple; as labels the two are just different.
    numbers = Graph(2, [(0, 1)], node_labels=[np.int64(1), np.float32(2)], edge_labels=[np.int64(3)])
    tuples = Graph(2, [(0, 1)], node_labels=[(1, 2), (2,)], edge_labels=[(3,)])
    for method in ("auto", "exact", "brute_force", "branch"):
        result = ged(numbers, tuples, method=method)
        assert result.upper == 3 and len(result.edit_path()) == 3
    assert result.edit_path().apply(numbers).node_labels == tuples.node_labels
    assert ged(numbers, Graph(2, [(0, 1)], node_labels=[1, 2.0], edge_labels=[3])).distance == 0
    assert distance_matrix([numbers, tuples], progress=False).upper[0, 1] == 3
    assert edit_path_svg(result.edit_path())
    with pytest.raises(GraphError, match="two labels"):
        Graph(2, [(0, 1)], edge_labels={(0, 1): np.int64(1), (1, 0): (1, 2)})
    with pytest.raises(GraphError, match="not hashable"):
        Graph(2, [(0, 1)], edge_labels={(0, 1): [1], (1, 0): [2]})


def test_a_callable_sees_the_source_label_first() -> None:
    one_way = EditCosts(9, 9, node_sub=lambda a, b: 1 if (a, b) == ("C", "N") else 4)
    assert ged(C, N, costs=one_way).distance == 1
    assert ged(N, C, costs=one_way).distance == 4


@settings(max_examples=200, deadline=None, derandomize=True)
@given(costs=costs())
def test_swapping_twice_gives_the_original_back(costs: EditCosts) -> None:
    assert costs.swapped().swapped() == costs


def test_swapping_trades_deletions_for_insertions_and_turns_substitutions() -> None:
    swapped = EditCosts(1, 2, 3, 4, {("C", "N"): 5}, 6).swapped()
    assert (swapped.node_del, swapped.node_ins, swapped.edge_del, swapped.edge_ins) == (2, 1, 4, 3)
    assert ged(N, C, costs=EditCosts(9, 9, node_sub={("C", "N"): 5}).swapped()).distance == 5


@settings(max_examples=100, deadline=None, derandomize=True)
@given(costs=number_costs())
def test_six_numbers_are_parsed_back(costs: EditCosts) -> None:
    assert EditCosts.parse(",".join(repr(getattr(costs, name)) for name in NAMES)) == costs


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3,1,2,1", (3, 1, 2, 1, 0, 0)), ("3,1,2,1,5", (3, 1, 2, 1, 5, 0)), (" 1, 2,3,4,5,.5 ", (1, 2, 3, 4, 5, 0.5))],
)
def test_substitutions_left_out_are_free(text: str, numbers: tuple[float, ...]) -> None:
    assert EditCosts.parse(text) == EditCosts(*numbers)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_are_parsed_by_name(name: str) -> None:
    assert EditCosts.parse(name) == PRESETS[name]
    assert EditCosts.parse(f" {name.upper().replace('-', '_')} ") == PRESETS[name]


@pytest.mark.parametrize("text", ["", "1,2,3", "1,2,3,4,5,6,7", "cheap", "1,2,3,x", "1,2,3,-4", "1,2,3,nan"])
def test_what_cannot_be_parsed_is_a_cost_error(text: str) -> None:
    with pytest.raises(CostError):
        EditCosts.parse(text)


def test_costs_are_values() -> None:
    assert EditCosts() == UNIT
    assert hash(EditCosts(node_del={"C": 1})) == hash(EditCosts(node_del={"C": 1.0}))
    assert EditCosts(node_del={"C": 1}) != EditCosts(node_del=defaultdict(float, {"C": 1}))
    assert pickle.loads(pickle.dumps(EditCosts(node_sub={("C", "N"): 2}))) == EditCosts(node_sub={("C", "N"): 2})
    with pytest.raises(AttributeError):
        UNIT.node_del = 2  # type: ignore[misc]


def test_a_negative_zero_is_a_zero() -> None:
    assert math.copysign(1, EditCosts(node_del=-0.0).node_del) == 1  # type: ignore[arg-type]


def test_numpy_numbers_are_numbers() -> None:
    assert EditCosts(*np.arange(6)) == EditCosts(0, 1, 2, 3, 4, 5)


def test_tables_are_by_label_class_and_read_only() -> None:
    source = Graph(3, [(0, 1)], node_labels=["C", "N", "C"], edge_labels=["-"])
    target = Graph(2, node_labels=["N", "O"])
    tables = EditCosts(node_del={"C": 1, "N": 2}, node_sub=3).tables(source, target)
    assert tables.node_del.tolist() == [1, 2]
    assert tables.node_sub.tolist() == [[3, 3], [0, 3]]
    assert tables.edge_sub.shape == (1, 0)
    with pytest.raises(ValueError, match="read-only"):
        tables.node_del[0] = 5


def test_a_directed_and_an_undirected_graph_are_not_compared() -> None:
    with pytest.raises(GraphError, match="directed"):
        UNIFORM.tables(Graph(2, directed=True), Graph(2))


def test_all_numbers_tells_tables_apart() -> None:
    assert UNIT.all_numbers
    assert not EditCosts(edge_del={None: 1}).all_numbers


@pytest.mark.parametrize("tables", [tables_for_labels, _native_tables])
def test_tables_are_kept_unless_they_are_large(tables: Any) -> None:
    few, many = tuple(range(50)), tuple(range(20_000))
    assert tables(UNIT, few, few, (), ()) is tables(UNIT, few, few, (), ())
    for labels in ((many, (), (), ()), ((), many, (), ()), ((), (), (), many), (tuple(range(100)),) * 2 + ((), ())):
        assert tables(UNIT, *labels) is not tables(UNIT, *labels)
