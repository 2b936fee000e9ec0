"""Collections of graphs: what goes in comes out, and searches find what a full scan finds."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphedx as gx
from graphedx._collection import Collection, Found
from graphedx._kernels import CancelFlag
from graphedx.errors import GraphError, MethodError
from strategies import costs as any_costs
from strategies import graphs

KINDS = st.booleans()


def _many(directed: bool, most: int = 8) -> st.SearchStrategy[list[gx.Graph]]:
    return st.lists(graphs(most=5, directed=directed), max_size=most)


def _scanned(members: list[gx.Graph], query: gx.Graph, costs: gx.EditCosts) -> list[float]:
    return [gx.ged(query, member, costs=costs, method="exact").distance for member in members]


def _agree(found: Found, distances: list[float], last: float) -> None:
    """All within the last distance; two best mappings may add up to sums that differ in the last digit."""
    positions = found.positions.tolist()
    assert list(zip(found.upper.tolist(), positions, strict=True)) == sorted(
        zip(found.upper.tolist(), positions, strict=True)
    )
    assert found.upper.tolist() == pytest.approx([distances[g] for g in positions], rel=1e-12)
    for g, distance in enumerate(distances):
        assert (g in positions) == (distance <= last) or distance == pytest.approx(last, rel=1e-12)


@given(KINDS.flatmap(_many))
def test_graphs_come_out_as_they_went_in(members: list[gx.Graph]) -> None:
    collection = Collection.of(members)
    assert len(collection) == len(members)
    for position, member in enumerate(members):
        found = collection.graph(position)
        assert found.edge_index == member.edge_index and found.directed == member.directed
        assert found.node_labels == member.node_labels and found.edge_labels == member.edge_labels


@settings(max_examples=300)
@given(st.data(), KINDS, any_costs(), st.integers(1, 5), st.sampled_from([1, 3]))
def test_nearest_are_those_of_a_full_scan(
    data: st.DataObject, directed: bool, costs: gx.EditCosts, k: int, workers: int
) -> None:
    members, query = data.draw(_many(directed)), data.draw(graphs(most=5, directed=directed))
    distances = _scanned(members, query, costs)
    found = Collection.of(members).nearest(query, costs, k=k, workers=workers)
    assert found.complete
    last = sorted(distances)[min(k, len(distances)) - 1] if distances else 0.0
    _agree(found, distances, last)
    assert np.array_equal(found.lower, found.upper)
    assert found.searched <= found.bounded <= len(members)
    others = [distance for g, distance in enumerate(distances) if g not in set(found.positions.tolist())]
    assert found.unseen <= min(others, default=float("inf"))


@settings(max_examples=200)
@given(st.data(), KINDS, any_costs(), st.floats(0, 10))
def test_range_has_all_within_the_radius(
    data: st.DataObject, directed: bool, costs: gx.EditCosts, radius: float
) -> None:
    members, query = data.draw(_many(directed)), data.draw(graphs(most=5, directed=directed))
    distances = _scanned(members, query, costs)
    found = Collection.of(members).nearest(query, costs, radius=radius)
    assert found.complete
    _agree(found, distances, radius)


@settings(max_examples=200)
@given(st.data(), KINDS, any_costs())
def test_quick_bounds_are_below_the_distances(data: st.DataObject, directed: bool, costs: gx.EditCosts) -> None:
    members, query = data.draw(_many(directed)), data.draw(graphs(most=5, directed=directed))
    bounds = Collection.of(members).lower_bounds(query, costs)
    for bound, distance in zip(bounds, _scanned(members, query, costs), strict=True):
        assert bound <= distance


@given(st.data(), KINDS, st.sampled_from(["uniform", "non-uniform"]))
def test_quick_bounds_are_distances_that_there_can_be(data: st.DataObject, directed: bool, name: str) -> None:
    """Without labels, a distance changes by whole edges that are deleted here and inserted there."""
    members, query = data.draw(_many(directed)), data.draw(graphs(most=5, directed=directed))
    costs = gx.EditCosts.parse(name)
    step = costs.edge_del + costs.edge_ins
    bounds = Collection.of(members).lower_bounds(query, costs)
    for distance, bound in zip(_scanned(members, query, costs), bounds, strict=True):
        assert bound <= distance and (distance - bound) % step == 0


def test_a_small_bound_is_not_rounded_beyond_a_small_cost() -> None:
    """The unit of costs is that of all of them, also where every bound is far below the least of them."""
    costs = gx.EditCosts(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    path, star = gx.Graph(4, [(0, 1), (1, 2), (2, 3)]), gx.Graph(4, [(0, 1), (0, 2), (0, 3)])
    for query, member in ((path, star), (star, path), (path, gx.Graph(4, [(0, 1), (1, 2)]))):
        found = Collection.of([member]).nearest(query, costs, k=1)
        assert found.upper.tolist() == [gx.ged(query, member, costs=costs).distance]


@given(st.data(), KINDS)
def test_more_graphs_and_fewer_are_the_same_as_a_new_collection(data: st.DataObject, directed: bool) -> None:
    members, more = data.draw(_many(directed)), data.draw(_many(directed))
    extended = Collection.of(members).extended(more)
    gone = data.draw(st.sets(st.integers(0, max(0, len(extended) - 1)), max_size=len(extended)))
    kept = [graph for g, graph in enumerate(members + more) if g not in gone]
    less = extended.without(gone)
    assert [_outline(extended.graph(g)) for g in range(len(extended))] == [_outline(g) for g in members + more]
    assert [_outline(less.graph(g)) for g in range(len(less))] == [_outline(graph) for graph in kept]
    query = data.draw(graphs(most=5, directed=directed))
    costs = gx.EditCosts(1, 2, 1, 1, node_sub=1)
    anew = Collection.of(kept)
    assert np.array_equal(less.nearest(query, costs, k=3).upper, anew.nearest(query, costs, k=3).upper)
    if gone:
        _hold_the_same(less, anew)


def _hold_the_same(one: Collection, other: Collection) -> None:
    """Labels, stars and views, whatever their numbers are."""
    assert set(one.node_labels) == set(other.node_labels) and set(one.edge_labels) == set(other.edge_labels)
    for name in ("graph_ends", "star_ends", "view_ends", "counted_ends"):
        assert len(one.arrays[name]) == len(other.arrays[name])
    assert one.extended([]).arrays["view_bytes"].tobytes() == one.arrays["view_bytes"].tobytes()
    again = one.extended(one.graph(position) for position in range(len(one)))  # nothing new is seen in its own graphs
    for name in ("star_ends", "view_ends"):
        assert np.array_equal(again.arrays[name], one.arrays[name])


def test_stars_that_are_gone_leave_the_numbers_of_the_others_right() -> None:
    """Of so many stars that their numbers take one byte or two, and fewer when some are gone."""
    members = [gx.Graph(n + 1, [(0, k) for k in range(1, n + 1)]) for n in range(1, 400)]
    collection = Collection.of(members)
    for gone in (range(1, 300), [398], [0, 200]):
        kept = [graph for g, graph in enumerate(members) if g not in gone]
        less = collection.without(gone)
        _hold_the_same(less, Collection.of(kept))
        query = kept[len(kept) // 2]
        assert np.array_equal(
            less.lower_bounds(query, gx.EditCosts()), Collection.of(kept).lower_bounds(query, gx.EditCosts())
        )


def test_labels_go_with_the_last_graph_that_has_them() -> None:
    members = [
        gx.Graph(2, [(0, 1)], node_labels="XA", edge_labels="="),
        gx.Graph(2, [(0, 1)], node_labels="AB", edge_labels="-"),
        gx.Graph(1, node_labels="C"),
    ]
    collection = Collection.of(members)
    assert collection.without([2]).node_labels == ("X", "A", "B")
    less = collection.without([0])
    assert (less.node_labels, less.edge_labels) == (("A", "B", "C"), ("-",))
    assert [_outline(less.graph(g)) for g in range(2)] == [_outline(graph) for graph in members[1:]]
    prices = gx.EditCosts(node_ins={"A": 1, "B": 1, "C": 1}, edge_ins={"-": 1})  # of no others
    assert less.nearest(members[2], prices, k=1).positions.tolist() == [1]
    assert (collection.without(range(3)).node_labels, collection.without([0, 1]).edge_labels) == ((), ())


def test_damaged_views_are_refused_when_graphs_come_or_go() -> None:
    collection = Collection.of([_path(n) for n in range(2, 7)])
    for name, value in (("star_bytes", 255), ("view_bytes", 255), ("view_bytes", 100)):
        arrays = {name: array.copy() for name, array in collection.arrays.items()}
        arrays[name][0] = value
        damaged = Collection(arrays, collection.node_labels, collection.edge_labels, directed=False)
        for change in (lambda c: c.without([0]), lambda c: c.extended([_path(9)]), lambda c: c.extended([])):
            with pytest.raises(GraphError, match="damaged"):
                change(damaged)


def _outline(graph: gx.Graph) -> object:
    return graph.node_labels, graph.edge_index, graph.edge_labels


def _path(nodes: int) -> gx.Graph:
    return gx.Graph(nodes, [(i, i + 1) for i in range(nodes - 1)])


def _regular(nodes: int, seed: int) -> gx.Graph:
    """A ring with random chords: hard to tell from others like it."""
    rng = np.random.default_rng(seed)
    ring = {(i, (i + 1) % nodes) for i in range(nodes)}
    order = rng.permutation(nodes)
    chords = {(int(min(a, b)), int(max(a, b))) for a, b in zip(order[::2], order[1::2], strict=True)}
    return gx.Graph(nodes, {(min(e), max(e)) for e in ring} | chords)


def test_when_time_runs_out_what_is_shown_is_certified() -> None:
    members = [_regular(24, seed) for seed in range(60)]
    found = Collection.of(members).nearest(_regular(24, 99), gx.EditCosts(), k=5, time_limit=0.02)
    assert not found.complete and len(found.positions) == 5
    assert (found.lower <= found.upper).all() and found.unseen <= found.upper[-1]
    for position, upper in zip(found.positions[:2].tolist(), found.upper.tolist(), strict=False):
        assert gx.ged(_regular(24, 99), members[position], method="refine").lower <= upper


def test_cancelled_before_it_began() -> None:
    cancel = CancelFlag()
    cancel.set()
    members = [_regular(24, seed) for seed in range(5)]
    found = Collection.of(members).nearest(_regular(24, 99), gx.EditCosts(), k=2, cancel=cancel)
    assert not found.complete


def test_costs_are_evaluated_within_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now, limits = [0.0], []

    class Core:
        def __len__(self) -> int:
            return 1

        def nearest(self, *asked: object) -> tuple[object, ...]:
            limits.append(asked[6])
            return np.empty(0, np.int64), np.empty(0), np.empty(0), False, 0.0, 0, 0

    def slow(label: object) -> float:
        now[0] += 2
        return 1.0

    collection = Collection.of([_path(3)])
    monkeypatch.setattr(collection, "_native", Core())
    monkeypatch.setattr("graphedx._collection.perf_counter", lambda: now[0])
    for limit in (5.0, 1.0, None):
        collection.nearest(_path(2), gx.EditCosts(node_ins=lambda label: slow(label)), k=1, time_limit=limit)
    assert limits == [3.0, 0.0, None]


def test_members_find_themselves_first() -> None:
    members = [_path(n) for n in range(1, 30)]
    collection = Collection.of(members)
    for n in (1, 7, 29):
        found = collection.nearest(_path(n), gx.EditCosts(), k=1)
        assert found.positions.tolist() == [n - 1] and found.upper.tolist() == [0.0]


@pytest.mark.parametrize("given_k", [(None, None), (3, 1.0)])
def test_either_k_or_radius(given_k: tuple[int | None, float | None]) -> None:
    with pytest.raises(TypeError, match="k or radius"):
        Collection.of([_path(3)]).nearest(_path(2), gx.EditCosts(), k=given_k[0], radius=given_k[1])


def test_directions_must_agree() -> None:
    one = gx.Graph(2, [(0, 1)], directed=True)
    with pytest.raises(GraphError, match="all be directed"):
        Collection.of([one, _path(2)])
    with pytest.raises(GraphError, match="query must be"):
        Collection.of([_path(2)]).nearest(one, gx.EditCosts(), k=1)
    assert Collection.of([]).extended([one]).directed


@settings(max_examples=200)
@given(st.data())
def test_damaged_arrays_are_refused_or_read_as_other_graphs(data: st.DataObject) -> None:
    """Whatever is in a file: an error, or some answer; never a crash."""
    collection = Collection.of([_path(n) for n in range(2, 7)])
    arrays = {name: array.copy() for name, array in collection.arrays.items()}
    name = data.draw(st.sampled_from(sorted(arrays)))
    place = data.draw(st.integers(0, len(arrays[name]) - 1))
    largest = int(np.iinfo(arrays[name].dtype).max)
    arrays[name][place] = data.draw(st.one_of(st.integers(0, 300), st.just(largest))) % (largest + 1)
    limit = data.draw(st.sampled_from([0.0, 1.0]))
    try:
        damaged = Collection(arrays, collection.node_labels, collection.edge_labels, directed=False)
        damaged.nearest(_path(4), gx.EditCosts(1, 1, 1, 1, node_sub=1, edge_sub=1), k=2, time_limit=limit)
        for position in range(len(damaged)):
            damaged.graph(position)
    except GraphError:
        pass


def test_the_same_graph_is_found_however_far_apart_costs_are() -> None:
    costs = gx.EditCosts(node_del=1e-40, node_ins=1e-40, edge_del=1e290, edge_ins=1e290, node_sub=1e-40, edge_sub=1)
    members = [gx.Graph(1), gx.Graph(2, [(0, 1)]), gx.Graph(3, [(0, 1)])]
    for position, same in enumerate(members):
        assert Collection.of(members).nearest(same, costs, radius=0.0).positions.tolist() == [position]


def test_costs_without_a_unit_far_below_a_radius() -> None:
    costs = gx.EditCosts(*(1e-6 * root**0.5 for root in (2, 3, 5, 7, 11, 13)))
    rng = random.Random(1)
    pairs = [(i, j) for i in range(6) for j in range(i)]
    query, *members = (
        gx.Graph(6, [pair for pair in pairs if rng.random() < 0.4], node_labels=rng.choices("abc", k=6))
        for _ in range(20)
    )
    found = Collection.of(members).nearest(query, costs, radius=0.5)
    assert found.complete and len(found.positions) == len(members)


@pytest.mark.parametrize("time_limit", [None, 0.0])
def test_labels_that_there_are_not_are_refused_in_time_and_without(time_limit: float | None) -> None:
    whole = Collection.of([gx.Graph(1, node_labels=["a"]), gx.Graph(1, node_labels=["b"])])
    arrays = dict(whole.arrays)
    arrays["graph_bytes"] = arrays["graph_bytes"].copy()
    assert arrays["graph_bytes"][-2] == 1  # the number of "b"
    arrays["graph_bytes"][-2] = 120
    damaged = Collection(arrays, whole.node_labels, whole.edge_labels, directed=False)
    with pytest.raises(GraphError, match="outside the cost tables"):
        damaged.nearest(gx.Graph(1, node_labels=["a"]), gx.EditCosts(), k=2, time_limit=time_limit)


def test_graphs_beyond_what_a_search_can_hold_are_refused_by_number_and_listed_without_time() -> None:
    large = gx.Graph(9000)
    both = Collection.of([gx.Graph(2), large])
    with pytest.raises(MethodError, match="graph 1 of the index 9000"):
        both.nearest(large, gx.EditCosts(2, 2, 1, 1), k=1)
    found = both.nearest(large, gx.EditCosts(2, 2, 1, 1), k=2, time_limit=0)
    bounds = {g: (found.lower[k], found.upper[k]) for k, g in enumerate(found.positions.tolist())}
    assert not found.complete
    assert bounds[0][0] <= 17996 <= bounds[0][1] and bounds[1][0] == 0


def test_large_graphs_need_not_all_be_kept() -> None:
    members = [gx.Graph(n, [(0, 1)]) for n in (3, 2000, 2001, 2002, 2003, 2000, 9)] * 4  # 64 million pairs and more
    found = Collection.of(members).nearest(gx.Graph(3, [(0, 1)]), gx.EditCosts(), radius=2001.0)
    assert found.complete
    assert found.upper.tolist() == [0.0] * 4 + [6.0] * 4 + [1997.0] * 8 + [1998.0] * 4 + [1999.0] * 4 + [2000.0] * 4


def test_distances_that_differ_by_their_rounding_are_equal() -> None:
    costs = gx.EditCosts(0.7, 1.1, 2.3, 0.4, 0.9, 0.3)
    query = gx.Graph(5, [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2)], node_labels="babba")
    one = gx.Graph(5, [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 1)], node_labels="baabb")
    other = gx.Graph(5, [(1, 0), (2, 0), (3, 1), (3, 2), (4, 0), (4, 2), (4, 3)], node_labels="aaaaa")
    found = Collection.of([other, one]).nearest(query, costs, k=1)
    assert found.complete and found.upper.tolist() == pytest.approx([2.7, 2.7], rel=1e-12)
