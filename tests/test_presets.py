"""The presets mean what their docstrings say: each against networkx or an independent brute force."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match

from graphedx import EditCosts, Graph, ged
from graphedx.costs import (
    EDGE_ONLY,
    ISOMORPHISM,
    LABELLED,
    MAX_COMMON_EDGE_SUBGRAPH,
    MAX_COMMON_SUBGRAPH,
    NON_UNIFORM,
    SUBGRAPH_ISOMORPHISM,
    UNIFORM,
)
from strategies import pairs_of_graphs, shuffled

SETTINGS = settings(max_examples=150, deadline=None, derandomize=True)
MATCH = {"node_match": categorical_node_match("label", None), "edge_match": categorical_edge_match("label", None)}
Pair = tuple[Graph, Graph]


def random_graph(rng: random.Random, nodes: int, density: float, directed: bool = False) -> Graph:
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if (i != j if directed else i < j)]
    edges = [pair for pair in pairs if rng.random() < density]
    labels = [rng.choice("CN") for _ in range(nodes)]
    return Graph(nodes, edges, node_labels=labels, edge_labels=[rng.choice((1, 2)) for _ in edges], directed=directed)


def common(source: Graph, target: Graph, labels: bool = True) -> list[tuple[int, int]]:
    """(nodes, edges) of every common subgraph that a one-to-one map of some source nodes to target nodes gives."""
    found = []
    for size in range(min(len(source), len(target)) + 1):
        for kept in combinations(range(len(source)), size):
            for images in permutations(range(len(target)), size):
                image = dict(zip(kept, images, strict=True))
                if labels and any(source.node_labels[i] != target.node_labels[j] for i, j in image.items()):
                    continue
                edges = sum(
                    (image.get(u), image.get(v)) in target.label_between
                    and (not labels or target.label_between[image[u], image[v]] == label)
                    for (u, v), label in zip(source.edge_index, source.edge_labels, strict=True)
                )
                found.append((size, edges))
    return found


@SETTINGS
@given(pair=pairs_of_graphs())
def test_distance_zero_is_isomorphism(pair: Pair) -> None:
    isomorphic = nx.is_isomorphic(*(graph.to_networkx() for graph in pair), **MATCH)
    assert (ged(*pair, costs=ISOMORPHISM).distance == 0) == isomorphic


@SETTINGS
@given(pair=pairs_of_graphs(most=5), data=st.data())
def test_isomorphic_graphs_are_at_distance_zero(pair: Pair, data: st.DataObject) -> None:
    assert ged(pair[0], data.draw(shuffled(pair[0])), costs=ISOMORPHISM).distance == 0


@pytest.mark.parametrize("seed", range(60))
def test_distance_zero_is_subgraph_monomorphism(seed: int) -> None:
    rng = random.Random(seed)
    directed = seed % 3 == 0
    small, large = random_graph(rng, rng.randint(0, 4), 0.5, directed), random_graph(rng, 5, 0.6, directed)
    matcher = nx.algorithms.isomorphism.DiGraphMatcher if directed else nx.algorithms.isomorphism.GraphMatcher
    inside = matcher(large.to_networkx(), small.to_networkx(), **MATCH).subgraph_is_monomorphic()
    assert (ged(small, large, costs=SUBGRAPH_ISOMORPHISM).distance == 0) == inside


def test_both_answers_of_the_subgraph_test_occur() -> None:
    path, triangle = Graph(3, [(0, 1), (1, 2)]), Graph(3, [(0, 1), (1, 2), (2, 0)])
    assert ged(path, triangle, costs=SUBGRAPH_ISOMORPHISM).distance == 0
    assert ged(triangle, path, costs=SUBGRAPH_ISOMORPHISM).distance > 0


@pytest.mark.parametrize("seed", range(40))
def test_max_common_edge_subgraph_counts_common_edges(seed: int) -> None:
    rng = random.Random(seed)
    source, target = (random_graph(rng, rng.randint(0, 4), 0.6, seed % 3 == 0) for _ in range(2))
    most = max(edges for _, edges in common(source, target))
    distance = ged(source, target, costs=MAX_COMMON_EDGE_SUBGRAPH).distance
    assert distance == source.num_edges + target.num_edges - 2 * most


@pytest.mark.parametrize("seed", range(40))
def test_max_common_subgraph_counts_common_nodes_and_edges(seed: int) -> None:
    rng = random.Random(seed)
    source, target = (random_graph(rng, rng.randint(0, 4), 0.6, seed % 3 == 0) for _ in range(2))
    most = max(nodes + edges for nodes, edges in common(source, target))
    size = len(source) + source.num_edges + len(target) + target.num_edges
    assert ged(source, target, costs=MAX_COMMON_SUBGRAPH).distance == size - 2 * most


@pytest.mark.parametrize("costs", [UNIFORM, NON_UNIFORM, EDGE_ONLY], ids=["uniform", "non-uniform", "edge-only"])
@SETTINGS
@given(pair=pairs_of_graphs())
def test_the_papers_regimes_follow_from_the_number_of_common_edges(costs: EditCosts, pair: Pair) -> None:
    source, target = pair
    node_del, node_ins, edge_del, edge_ins = (
        float(cost)
        for cost in (costs.node_del, costs.node_ins, costs.edge_del, costs.edge_ins)  # type: ignore[arg-type]
    )
    c = max(edges for _, edges in common(source, target, labels=False))
    grown = len(target) - len(source)
    nodes = node_del * max(0, -grown) + node_ins * max(0, grown)
    edges = edge_del * (source.num_edges - c) + edge_ins * (target.num_edges - c)
    assert ged(source, target, costs=costs).distance == nodes + edges


def test_the_labelled_regime_charges_for_nodes_but_not_for_edges() -> None:
    one = Graph(2, [(0, 1)], node_labels="CC", edge_labels=[1])
    two = Graph(2, [(0, 1)], node_labels="CN", edge_labels=[2])
    assert ged(one, two, costs=LABELLED).distance == 1
