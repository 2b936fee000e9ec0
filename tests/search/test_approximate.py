"""Approximate search finds most of what a full scan finds, and what it says of distances holds."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphedx as gx
from graphedx._collection import Collection, Look
from graphedx.costs import LABELLED, NON_UNIFORM, SUBGRAPH_ISOMORPHISM, UNIFORM, UNIT
from graphedx.errors import GraphError
from graphedx.search.approximate import ApproximateSearch
from graphedx.search.vectors import BLOCKS, blocks_for, vectors, vectors_of, weighing
from strategies import costs, graphs

K = 10


def random_tree(draw: random.Random, nodes: int) -> gx.Graph:
    """With a ring or two, and labels: what molecules look like from afar."""
    edges = {(draw.randrange(max(0, v - 4), v), v) for v in range(1, nodes)}
    for _ in range(2):
        edges.add(tuple(sorted(draw.sample(range(nodes), 2))))
    return gx.Graph(
        nodes,
        sorted(edges),
        node_labels=draw.choices("CCCNO", k=nodes),
        edge_labels=draw.choices("---=", k=len(edges)),
    )


@pytest.fixture(scope="module")
def members() -> list[gx.Graph]:
    draw = random.Random(0)
    return [random_tree(draw, draw.randrange(6, 12)) for _ in range(600)]


@pytest.fixture(scope="module")
def collection(members: list[gx.Graph]) -> Collection:
    return Collection.of(members)


@pytest.fixture(scope="module")
def search(collection: Collection) -> ApproximateSearch:
    return ApproximateSearch.of(collection)


@pytest.mark.parametrize("prices", [UNIFORM, LABELLED, UNIT, NON_UNIFORM, SUBGRAPH_ISOMORPHISM])
def test_nine_of_ten_are_among_the_nearest(
    members: list[gx.Graph], collection: Collection, search: ApproximateSearch, prices: gx.EditCosts
) -> None:
    found = []
    for query in (random_tree(random.Random(seed), 9) for seed in range(5)):
        exact = collection.nearest(query, prices, k=K)
        near = search.search(query, prices, k=K, candidates=150)
        assert len(near.positions) == K
        assert not near.complete
        found.append(len(set(near.positions.tolist()) & set(exact.positions.tolist())) / K)
    assert np.mean(found) >= 0.9


def test_bounds_hold(members: list[gx.Graph], search: ApproximateSearch) -> None:
    query = random_tree(random.Random(100), 10)
    for prices in (UNIFORM, UNIT):
        near = search.search(query, prices, k=K, patience=1)
        distances = [gx.ged(query, members[position], costs=prices).distance for position in near.positions]
        assert (near.lower <= distances).all()
        assert (near.upper >= distances).all()
        assert near.upper.tolist() == sorted(near.upper)


@pytest.mark.parametrize("prices", [UNIFORM, UNIT, NON_UNIFORM])
def test_threads_change_nothing(search: ApproximateSearch, prices: gx.EditCosts) -> None:
    for seed in range(4):
        query = random_tree(random.Random(seed), 11)
        alone, together = (search.search(query, prices, k=K, workers=workers) for workers in (1, 3))
        for name in ("positions", "lower", "upper"):
            assert getattr(alone, name).tolist() == getattr(together, name).tolist()


@pytest.mark.parametrize("unit", [0.5, 4.0])
def test_guesses_that_are_far_off_are_made_good(members: list[gx.Graph], collection: Collection, unit: float) -> None:
    """What is found corrects what is likely, so that a curve for molecules does for others."""
    query = random_tree(random.Random(7), 9)
    exact = collection.nearest(query, UNIFORM, k=K)
    looks = [Look(nodes=False, edges=False, rounds=2, weight=0.1)]
    guessed = collection.unlikeness(query, looks, np.arange(len(members)))
    near = collection.nearest(query, UNIFORM, k=K, patience=100, guessed=guessed.tolist(), unit=unit)
    assert np.mean(near.upper <= exact.upper.max()) >= 0.7


def test_costs_of_nothing(members: list[gx.Graph], search: ApproximateSearch) -> None:
    near = search.search(members[0], gx.EditCosts(0, 0, 0, 0, 0, 0), k=K)
    assert near.upper.tolist() == [0.0] * K


def test_labels_that_only_the_query_has(search: ApproximateSearch) -> None:
    query = gx.Graph(3, [(0, 1), (1, 2)], node_labels=["C", "new", "C"], edge_labels=["-", "new"])
    near = search.search(query, UNIT, k=K)
    assert len(near.positions) == K
    assert (near.lower > 0).all()


def test_a_member_finds_itself(members: list[gx.Graph], search: ApproximateSearch) -> None:
    for position in (0, 17, 599):
        near = search.search(members[position], UNIT, k=1)
        assert near.upper[0] == 0
        assert gx.ged(members[position], members[int(near.positions[0])], costs=UNIT).distance == 0


@settings(max_examples=40, deadline=None)
@given(
    st.booleans().flatmap(lambda directed: st.lists(graphs(most=4, directed=directed), min_size=2, max_size=8)),
    costs(),
    st.integers(1, 4),
)
def test_any_graphs_and_costs(some: list[gx.Graph], prices: gx.EditCosts, k: int) -> None:
    query, *others = some
    near = ApproximateSearch.of(Collection.of(others)).search(query, prices, k=k)
    assert len(near.positions) == min(k, len(others))
    for position, lower, upper in zip(near.positions, near.lower, near.upper, strict=True):
        distance = gx.ged(query, others[int(position)], costs=prices).distance
        assert lower <= distance * (1 + 1e-9) + 1e-9
        assert upper >= distance * (1 - 1e-9) - 1e-9


@settings(max_examples=60, deadline=None)
@given(graphs(most=6), st.randoms(use_true_random=False))
def test_vectors_do_not_see_the_order_of_nodes(graph: gx.Graph, draw: random.Random) -> None:
    order = list(graph.nodes)
    draw.shuffle(order)
    labels = dict(zip(graph.nodes, graph.node_labels, strict=True))
    pairs = list(zip(graph.edges, graph.edge_labels, strict=True))
    draw.shuffle(pairs)
    shuffled = gx.Graph(
        order,
        [edge for edge, _ in pairs],
        node_labels=[labels[node] for node in order],
        edge_labels=[label for _, label in pairs],
        directed=graph.directed,
    )
    vocabulary = list(dict.fromkeys(graph.node_labels)), list(dict.fromkeys(graph.edge_labels))
    one, other = (vectors([some], *vocabulary, tuple(BLOCKS)) for some in (graph, shuffled))
    assert (one.sizes == other.sizes).all()
    assert (one.counts == other.counts).all()


def test_vectors_are_the_same_everywhere() -> None:
    path = gx.Graph(3, [(0, 1), (1, 2)], node_labels="CCO")
    found = vectors([path], ["C", "O"], [None], blocks_for(["C", "O"], [None]))
    assert found.sizes.tolist() == [[3, 2]]
    assert found.counts[0, :3].tolist() == [0, 2, 1]  # two nodes of degree 1, one of degree 2
    assert np.flatnonzero(found.counts[0])[:6].tolist() == [1, 2, 17, 57, 86, 118]
    assert found.counts.sum(axis=1).tolist() == [3 * 7]  # each node once in each block


def test_vectors_of_a_collection_are_those_of_its_graphs(members: list[gx.Graph], collection: Collection) -> None:
    labels, positions = (collection.node_labels, collection.edge_labels), range(300, 450)
    blocks = blocks_for(*labels)
    of_graphs = vectors(members[300:450], *labels, blocks)
    for workers in (1, 3):
        of_collection = vectors_of(collection, positions, blocks, workers=workers)
        assert (of_graphs.sizes == of_collection.sizes).all()
        assert (of_graphs.counts == of_collection.counts).all()


def test_a_count_ends_at_255() -> None:
    found = vectors([gx.Graph(300, [])], [None], [None], ("degrees",))
    assert found.counts.max() == 255


def test_vectors_of_graphs_that_are_not_there_are_refused(collection: Collection) -> None:
    with pytest.raises(IndexError):
        vectors_of(collection, [0, len(collection)], ("degrees",), workers=1)


def test_weights_follow_the_costs() -> None:
    plain = weighing(UNIFORM, ["C", "O"], ["-", "="])
    twice = weighing(gx.EditCosts(2, 2, 2, 2, 0, 0), ["C", "O"], ["-", "="])
    assert twice.node == 2 * plain.node
    assert {name: 2 * weight for name, weight in plain.blocks.items()} == pytest.approx(twice.blocks)
    assert "node_labels" in weighing(LABELLED, ["C", "O"], ["-", "="]).blocks
    assert weighing(LABELLED, ["C"], ["-"]).blocks == plain.blocks  # one label tells nothing
    assert weighing(gx.EditCosts(3, 1, 1, 1), ["C"], ["-"]).node_growth == -1


def test_grows_and_shrinks_with_the_collection(members: list[gx.Graph], collection: Collection) -> None:
    begun = Collection.of(members[:400])
    longer = begun.extended(members[400:])
    grown = ApproximateSearch.of(begun).extended(longer)
    whole = ApproximateSearch.of(longer)
    for name, array in whole.arrays.items():
        assert (grown.arrays[name] == array).all()
    shorter = longer.without([0, 5])
    shrunk = grown.without(shorter, [0, 5])
    for name, array in ApproximateSearch.of(shorter).arrays.items():
        assert (shrunk.arrays[name] == array).all()


def test_the_same_from_its_arrays(members: list[gx.Graph], collection: Collection, search: ApproximateSearch) -> None:
    again = ApproximateSearch(collection, search.arrays)
    one, other = (some.search(members[3], UNIT, k=K).positions.tolist() for some in (again, search))
    assert one == other


def test_refuses_vectors_of_something_else(search: ApproximateSearch, members: list[gx.Graph]) -> None:
    with pytest.raises(GraphError, match="do not belong to this collection"):
        ApproximateSearch(Collection.of(members[:5]), search.arrays)


@pytest.mark.parametrize("factor", [1e-280, 1e280])
def test_costs_of_any_size(members: list[gx.Graph], search: ApproximateSearch, factor: float) -> None:
    usual, scaled = (search.candidates(members[5], gx.EditCosts(x, x, x, x, x, x), 50)[0] for x in (1, factor))
    assert set(usual.tolist()) == set(scaled.tolist())


def test_nothing_is_found_among_no_graphs() -> None:
    assert len(ApproximateSearch.of(Collection.of([])).search(gx.Graph(2, [(0, 1)]), UNIT, k=3).positions) == 0


def test_selected_graphs_come_in_the_order_asked_for(members: list[gx.Graph], collection: Collection) -> None:
    chosen = collection.selected(np.array([7, 0, 599]))
    assert [chosen.graph(k).edge_index for k in range(3)] == [collection.graph(k).edge_index for k in (7, 0, 599)]
