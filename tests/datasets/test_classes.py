"""The first graph of every isomorphism class, against networkx and against graphs that refinement cannot tell apart."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, combinations, islice, product
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from networkx.generators.atlas import graph_atlas_g

from graphedx import Graph
from graphedx._kernels import canonical_hashes, isomorphic
from graphedx.datasets.classes import first_of_classes, shared_classes
from strategies import graphs, pairs_of_graphs, shuffled


def by_networkx(a: Graph, b: Graph, labelled: bool) -> bool:
    node_match, edge_match = categorical_node_match("label", None), categorical_edge_match("label", None)
    rules = {"node_match": node_match, "edge_match": edge_match} if labelled else {}
    return bool(nx.is_isomorphic(a.to_networkx(), b.to_networkx(), **rules))


def structure(graph: Any) -> Graph:
    return Graph.from_networkx(graph, node_label=None, edge_label=None)


def renamed(graph: Graph, seed: int) -> Graph:
    """Other names, another order of nodes and of edges, and edges turned around."""
    shuffle = random.Random(seed).sample
    new = dict(zip(graph.nodes, shuffle(range(len(graph)), len(graph)), strict=True))
    label = dict(zip(graph.nodes, graph.node_labels, strict=True))
    nodes = shuffle(graph.nodes, len(graph))
    order = shuffle(range(graph.num_edges), graph.num_edges)
    ends = [(new[u], new[v]) for u, v in graph.edges]
    return Graph(
        [new[node] for node in nodes],
        [ends[e] if graph.directed else ends[e][::-1] for e in order],
        node_labels=[label[node] for node in nodes],
        edge_labels=[graph.edge_labels[e] for e in order],
        directed=graph.directed,
    )


def union(*parts: Any) -> Any:
    return nx.disjoint_union_all(parts)


def shrikhande() -> Any:
    steps = ((1, 0), (0, 1), (1, 1))
    return nx.Graph(((i, j), ((i + x) % 4, (j + y) % 4)) for i, j in product(range(4), repeat=2) for x, y in steps)


def rook() -> Any:
    """As strongly regular as the Shrikhande graph, with the same parameters."""
    return nx.line_graph(nx.complete_bipartite_graph(4, 4))


def chang() -> Any:
    """The line graph of K8, switched at a perfect matching: same parameters, another graph."""
    line = nx.line_graph(nx.complete_graph(8))
    switched = {(0, 1), (2, 3), (4, 5), (6, 7)}
    pairs = combinations(line, 2)
    return nx.Graph((u, v) for u, v in pairs if line.has_edge(u, v) != ((u in switched) != (v in switched)))


def cai_furer_immerman(base: Any, *, twisted: bool) -> Any:
    """Twisted and plain are told apart by no refinement of bounded dimension."""
    graph = nx.Graph()
    for node in base:
        around = list(base[node])
        evens = chain.from_iterable(combinations(around, size) for size in range(0, len(around) + 1, 2))
        graph.add_edges_from(((node, even), (node, other, other in even)) for even in evens for other in around)
    for number, (u, v) in enumerate(base.edges):
        cross = twisted and number == 0
        graph.add_edges_from(((u, v, bit), (v, u, bit != cross)) for bit in (False, True))
    return graph


SHRIKHANDE, ROOK = shrikhande(), rook()
LOOKALIKES = {
    "circles": (union(nx.cycle_graph(3), nx.cycle_graph(3)), nx.cycle_graph(6)),
    "many circles": (union(*[nx.cycle_graph(4)] * 15), union(*[nx.cycle_graph(3)] * 4, *[nx.cycle_graph(6)] * 8)),
    "prism and K33": (nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)),
    "cubic": (nx.random_regular_graph(3, 60, seed=1), nx.random_regular_graph(3, 60, seed=2)),
    "strongly regular": (SHRIKHANDE, ROOK),
    "Chang": (nx.line_graph(nx.complete_graph(8)), chang()),
    "among twins": (
        union(*[SHRIKHANDE] * 6, nx.star_graph(30), nx.complete_bipartite_graph(9, 9)),
        union(*[SHRIKHANDE] * 5, ROOK, nx.star_graph(30), nx.complete_bipartite_graph(9, 9)),
    ),
    "complements": (
        nx.complement(union(*[SHRIKHANDE] * 3, nx.star_graph(9))),
        nx.complement(union(*[SHRIKHANDE] * 2, ROOK, nx.star_graph(9))),
    ),
    **{
        f"CFI over {len(base)} nodes": tuple(cai_furer_immerman(base, twisted=twisted) for twisted in (False, True))
        for base in (nx.complete_graph(4), nx.petersen_graph(), nx.complete_graph(5))
    },
}
SYMMETRIC = {
    "star": nx.star_graph(500),
    "bipartite": nx.complete_bipartite_graph(40, 40),
    "multipartite": nx.complete_multipartite_graph(*[4] * 15),
    "complete": nx.complete_graph(100),
    "edgeless": nx.empty_graph(1000),
    "cube": nx.hypercube_graph(7),
    "torus": nx.grid_2d_graph(12, 12, periodic=True),
    "tree": nx.balanced_tree(3, 6),
    "path": nx.path_graph(5000),
}


@given(pairs_of_graphs(most=5), st.booleans())
def test_it_agrees_with_networkx(pair: tuple[Graph, Graph], labelled: bool) -> None:
    assert isomorphic(*pair, labelled=labelled) == by_networkx(*pair, labelled)


@given(st.data(), st.booleans())
def test_names_and_order_do_not_matter(data: st.DataObject, labelled: bool) -> None:
    graph = data.draw(graphs(most=7))
    copy = data.draw(shuffled(graph))
    assert isomorphic(graph, copy, labelled=labelled)
    first, second = canonical_hashes([graph, copy], labelled=labelled)
    assert first == second
    assert list(first_of_classes([graph, copy], labelled=labelled)) == [graph]


@settings(max_examples=50)
@given(st.lists(graphs(most=4, directed=True), max_size=12), st.booleans())
def test_the_first_of_every_class_stays(some: list[Graph], labelled: bool) -> None:
    expected: list[Graph] = []
    for graph in some:
        if not any(by_networkx(graph, other, labelled) for other in expected):
            expected.append(graph)
    found = list(first_of_classes(some, labelled=labelled))
    assert [id(graph) for graph in found] == [id(graph) for graph in expected]


def test_the_atlas_of_small_graphs_has_no_two_alike() -> None:
    atlas = [structure(graph) for graph in graph_atlas_g()]
    assert len(atlas) == 1253
    copies = [renamed(graph, seed) for seed, graph in enumerate(atlas)]
    found = list(first_of_classes([*atlas, *copies]))
    assert [id(graph) for graph in found] == [id(graph) for graph in atlas]
    assert canonical_hashes(atlas, labelled=False) == canonical_hashes(copies, labelled=False)


@pytest.mark.parametrize("name", LOOKALIKES)
def test_lookalikes_are_told_apart(name: str) -> None:
    a, b = (structure(graph) for graph in LOOKALIKES[name])
    assert len(set(canonical_hashes([a, b], labelled=False))) == 1  # so the test has to do it
    assert not isomorphic(a, b, labelled=False)
    assert isomorphic(a, renamed(a, 1), labelled=False)
    assert isomorphic(b, renamed(b, 2), labelled=False)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_graphs_are_recognised(name: str) -> None:
    graph = structure(SYMMETRIC[name])
    copy = renamed(graph, 3)
    assert isomorphic(graph, copy, labelled=False)
    assert len(set(canonical_hashes([graph, copy], labelled=False))) == 1


def test_empty_graphs_are_all_the_same() -> None:
    assert len(list(first_of_classes([Graph(), Graph(), Graph(1), Graph()]))) == 2
    assert list(first_of_classes([])) == []


def test_directions_count() -> None:
    chain_of_three = Graph(3, [(0, 1), (1, 2)], directed=True)
    fork = Graph(3, [(1, 0), (1, 2)], directed=True)
    joint = Graph(3, [(0, 1), (2, 1)], directed=True)
    one_way = Graph(6, [(i, (i + 1) % 6) for i in range(6)], directed=True)
    two_circles = Graph(6, [(i, i // 3 * 3 + (i + 1) % 3) for i in range(6)], directed=True)
    distinct = [chain_of_three, fork, joint, one_way, two_circles]
    assert list(first_of_classes([*distinct, *(renamed(graph, 4) for graph in distinct)])) == distinct


def test_a_directed_graph_is_never_an_undirected_one() -> None:
    both_ways, edge = Graph(2, [(0, 1), (1, 0)], directed=True), Graph(2, [(0, 1)])
    assert not isomorphic(both_ways, edge, labelled=False)
    assert len(list(first_of_classes([both_ways, edge]))) == 2


def test_labels_count_only_if_asked_for() -> None:
    plain = Graph(3, [(0, 1), (1, 2)])
    some = [
        plain,
        Graph(3, [(0, 1), (1, 2)], node_labels=["C", "C", "O"]),
        Graph(3, [(0, 1), (1, 2)], node_labels=["O", "C", "C"]),
        Graph(3, [(0, 1), (1, 2)], node_labels=["C", "O", "C"]),
        Graph(3, [(0, 1), (1, 2)], edge_labels=[("double", 2), None]),
        Graph(3, [(0, 1), (1, 2)], edge_labels=[None, ("double", 2)]),
    ]
    assert list(first_of_classes(some)) == [plain]
    assert list(first_of_classes(some, labelled=True)) == [some[i] for i in (0, 1, 3, 4)]


def test_labels_within_regular_graphs_count() -> None:
    ring = [(i, (i + 1) % 6) for i in range(6)]
    para = Graph(6, ring, edge_labels=[2, 1, 1, 2, 1, 1])
    meta = Graph(6, ring, edge_labels=[2, 1, 2, 1, 1, 1])
    assert not isomorphic(para, meta, labelled=True)
    assert isomorphic(para, renamed(para, 5), labelled=True)
    assert isomorphic(para, meta, labelled=False)


def test_no_more_is_read_than_needed() -> None:
    def stream() -> Iterator[Graph]:
        yield from (Graph(1), Graph(1), Graph(2), Graph(3))
        raise AssertionError("read too far")

    assert [len(graph) for graph in first_of_classes(stream(), most=3)] == [1, 2, 3]
    assert [len(graph) for graph in islice(first_of_classes(stream()), 3)] == [1, 2, 3]
    assert list(first_of_classes(stream(), most=0)) == []


def test_the_unlabelled_hash_is_the_same_everywhere() -> None:
    some = [Graph(), Graph(3, [(0, 1), (1, 2)]), Graph(2, [(0, 1)], directed=True)]
    assert canonical_hashes(some, labelled=False) == [
        12035550249420947055,
        11771712094150752147,
        16923563318564448416,
    ]


def test_shared_classes_names_every_leak_between_groups() -> None:
    path, star = structure(nx.path_graph(4)), structure(nx.star_graph(3))
    groups = {
        "train": [path, star, renamed(path, 6)],
        "val": [structure(nx.cycle_graph(4)), renamed(star, 7)],
        "test": [renamed(star, 8), renamed(path, 9), Graph()],
    }
    assert shared_classes(groups) == [
        ("train", 0, "test", 1),
        ("train", 1, "val", 1),
        ("train", 1, "test", 0),
        ("train", 2, "test", 1),
        ("val", 1, "test", 0),
    ]
    assert shared_classes({"train": groups["train"]}) == []
    assert shared_classes({}) == []


def test_shared_classes_look_at_labels_if_asked_to() -> None:
    groups = {"train": [Graph(1, node_labels=["C"])], "test": [Graph(1, node_labels=["N"])]}
    assert shared_classes(groups) == [("train", 0, "test", 0)]
    assert shared_classes(groups, labelled=True) == []


# Two large regular graphs: a node has to be tried with all of the other graph, which would take minutes.
ENDLESS = """
import os, signal, threading
from graphedx import Graph
from graphedx.datasets.classes import first_of_classes

n = 10_000
rungs = [(i, n + i) for i in range(n)]
rails = [(i, i + 1) for i in (*range(n - 1), *range(n, 2 * n - 1))]
prism = Graph(2 * n, [*rungs, *rails, (0, n - 1), (n, 2 * n - 1)])
moebius = Graph(2 * n, [*rungs, *rails, (0, 2 * n - 1), (n, n - 1)])
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
list(first_of_classes([prism, moebius]))
"""


def test_ctrl_c_ends_a_comparison() -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{ENDLESS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
