"""Every cell of a matrix is what ``ged`` says of its pair, however the work is split."""

import networkx as nx
import numpy as np
import pytest

import graphedx as gx
from graphedx.engine import Progress, work
from graphedx.errors import CostError, GraphError, MethodError
from matrix.samples import hard_graphs, some_graphs

GRAPHS = some_graphs(9)
ASYMMETRIC = gx.EditCosts(3, 1, 2, 1, 1.5, 0.5)
TABLE = gx.EditCosts(node_sub={(a, b): abs(ord(a) - ord(b)) + (a < b) / 2 for a in "abc" for b in "abc" if a != b})
CALLABLE = gx.EditCosts(node_del=lambda label: 1.0 + (label == "a"), node_sub=lambda a, b: 0.25 + (a > b))


def by_hand(rows, columns, costs):
    return np.array([[gx.ged(a, b, costs=costs).distance for b in columns] for a in rows])


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("costs", [gx.EditCosts(), ASYMMETRIC, TABLE, CALLABLE], ids=["unit", "asym", "table", "call"])
def test_each_cell_is_the_distance_of_its_pair(costs, workers):
    matrix = gx.distance_matrix(GRAPHS, costs=costs, workers=workers)
    assert matrix.proven.all()
    np.testing.assert_array_equal(matrix.distances, by_hand(GRAPHS, GRAPHS, costs))


@pytest.mark.parametrize("method", ["auto", "exact", "brute_force"])
def test_others_make_a_rectangle(method):
    rows, columns = some_graphs(3, most_nodes=4, seed=1), some_graphs(4, most_nodes=4, seed=2)
    matrix = gx.distance_matrix(rows, columns, costs=ASYMMETRIC, method=method)
    np.testing.assert_array_equal(matrix.distances, by_hand(rows, columns, ASYMMETRIC))
    assert (matrix.rows, matrix.columns) == (("g0", "g1", "g2"), ("g0", "g1", "g2", "g3"))


def test_directed_graphs():
    graphs = some_graphs(5, directed=True)
    np.testing.assert_array_equal(gx.distance_matrix(graphs).distances, by_hand(graphs, graphs, gx.EditCosts()))


@pytest.mark.parametrize("costs", [gx.EditCosts(), ASYMMETRIC], ids=["mirrored", "both ways"])
def test_every_cell_has_a_mapping_that_costs_what_the_cell_says(costs):
    matrix = gx.distance_matrix(GRAPHS, costs=costs)
    for i, source in enumerate(GRAPHS):
        for j, target in enumerate(GRAPHS):
            result = matrix.result(i, j)
            assert (result.source, result.target) == (source, target)
            assert (result.lower, result.upper) == (matrix.lower[i, j], matrix.upper[i, j])
            assert gx.induced_cost(result.mapping, costs) == result.upper


def test_results_of_a_rectangle_and_from_the_end():
    rows, columns = some_graphs(3, seed=4), some_graphs(2, seed=5)
    matrix = gx.distance_matrix(rows, columns)
    last = matrix.result(-1, -1)
    assert last.source is rows[2] and last.target is columns[1] and last.upper == matrix.upper[2, 1]
    with pytest.raises(IndexError):
        matrix.result(3, 0)


def test_symmetric_costs_solve_each_pair_once(monkeypatch):
    solved = count_pairs(monkeypatch)
    gx.distance_matrix(GRAPHS)
    assert sum(solved) == 9 * 8 // 2
    solved.clear()
    gx.distance_matrix(GRAPHS, costs=ASYMMETRIC)
    assert sum(solved) == 9 * 8


def count_pairs(monkeypatch):
    solved = []

    class Counting(work._kernels.Batch):
        def columns(self, pairs, *question):
            solved.append(len(pairs))
            return super().columns(pairs, *question)

    monkeypatch.setattr(work._kernels, "Batch", Counting)
    return solved


@pytest.mark.parametrize("costs", [gx.EditCosts(), CALLABLE], ids=["unit", "callable"])
def test_a_huge_vocabulary_is_solved_pair_by_pair(monkeypatch, costs):
    monkeypatch.setattr(work, "_MOST_LABELS", 1)
    monkeypatch.setattr(work._kernels, "Batch", None)  # must not be touched
    np.testing.assert_array_equal(gx.distance_matrix(GRAPHS, costs=costs).distances, by_hand(GRAPHS, GRAPHS, costs))


def test_labels_that_never_meet_need_no_cost():
    rows, columns = [gx.Graph(1, node_labels="a")], [gx.Graph(1, node_labels="b")]
    costs = gx.EditCosts(node_del={"a": 1}, node_ins={"b": 1}, node_sub={("a", "b"): 0.5})
    assert gx.distance_matrix(rows, columns, costs=costs).distances == [[0.5]]
    with pytest.raises(CostError, match="no cost for 'b'"):
        gx.distance_matrix(columns, rows, costs=costs)


def test_unproven_is_never_silent():
    matrix = gx.distance_matrix(hard_graphs(2), time_limit=0.05)
    assert (matrix.lower <= matrix.upper).all() and matrix.count(gx.StopReason.TIME) == 2
    np.testing.assert_array_equal(matrix.proven, np.eye(2, dtype=bool))
    with pytest.raises(gx.NotProvenError, match="2 of 4 distances"):
        _ = matrix.distances
    assert repr(matrix) == "DistanceMatrix(2 x 2, 2 of 4 proven)"


def test_cutoff_proves_what_is_below_it():
    truth = gx.distance_matrix(GRAPHS).distances
    matrix = gx.distance_matrix(GRAPHS, cutoff=4)
    assert 0 < np.count_nonzero(truth > 4) < truth.size
    np.testing.assert_array_equal(matrix.upper[truth <= 4], truth[truth <= 4])
    assert matrix.proven[truth <= 4].all() and (matrix.lower[truth > 4] > 4).all()


def test_progress_is_told_from_nothing_to_all():
    news: list[Progress] = []
    gx.distance_matrix(GRAPHS, progress=news.append)
    assert news[0] == (0, 36, 0) and news[-1] == (36, 36, 0)
    assert [n.done for n in news] == sorted({n.done for n in news})


def test_progress_is_silent_where_there_is_no_terminal(capfd):
    gx.distance_matrix(GRAPHS, progress=True)
    assert capfd.readouterr() == ("", "")


def test_other_libraries_graphs_and_generators_will_do():
    matrix = gx.distance_matrix(g for g in (nx.path_graph(3), nx.cycle_graph(3)))
    assert matrix.distances.tolist() == [[0, 1], [1, 0]]
    assert matrix.rows == ("graph 0", "graph 1")


def test_empty_lists():
    assert gx.distance_matrix([]).distances.shape == (0, 0)
    assert gx.distance_matrix(GRAPHS[:2], []).distances.shape == (2, 0)
    assert gx.distance_matrix(GRAPHS[:1]).distances.tolist() == [[0]]


def test_arrays_cannot_be_changed():
    matrix = gx.distance_matrix(GRAPHS[:2])
    for array in (matrix.lower, matrix.upper, matrix.proven, matrix.stops):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"graphs": GRAPHS[1]}, GraphError, "list of graphs"),
        ({"graphs": "file.json"}, GraphError, "list of graphs"),
        ({"graphs": [1]}, GraphError, "got int"),
        ({"graphs": [GRAPHS[1], None]}, GraphError, r"^graphs\[1\]: .* got NoneType"),
        ({"graphs": GRAPHS, "others": [1]}, GraphError, r"^others\[0\]: "),
        ({"graphs": [gx.Graph(1, name="one"), gx.Graph(1, directed=True)]}, GraphError, "'one'.* is not"),
        ({"graphs": GRAPHS, "others": [gx.Graph(1, directed=True)]}, GraphError, "is directed but"),
        ({"graphs": GRAPHS, "method": "guess"}, MethodError, "unknown method 'guess'"),
        ({"graphs": GRAPHS, "workers": 0}, MethodError, "workers must be"),
        ({"graphs": GRAPHS, "workers": 1.5}, MethodError, "workers must be"),
        ({"graphs": GRAPHS, "time_limit": -1}, MethodError, "time_limit must be"),
        ({"graphs": GRAPHS, "cutoff": float("nan")}, MethodError, "cutoff must be"),
    ],
)
def test_bad_input_is_refused(keywords, error, message):
    with pytest.raises(error, match=message):
        gx.distance_matrix(**keywords)


def test_what_a_thread_raises_reaches_the_caller():
    with pytest.raises(MethodError, match="at most 8 nodes"):
        gx.distance_matrix([*GRAPHS, gx.Graph(9)], method="brute_force")
