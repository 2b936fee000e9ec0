"""Random graphs and costs for the tests of single methods."""

from __future__ import annotations

import random

from graphedx import EditCosts, Graph, solvers

NATIVE = tuple(name for name in sorted(solvers.methods()) if solvers.get(name).native)


def random_graph(rng: random.Random, nodes: int, directed: bool) -> Graph:
    """A random tree and two more edges: about as dense as a molecule; three labels of each kind."""
    edges = {(rng.randrange(i), i) for i in range(1, nodes)}
    while len(edges) < min(nodes + 1, nodes * (nodes - 1) // 2):
        i, j = rng.sample(range(nodes), 2)
        edges.add((i, j) if directed else (min(i, j), max(i, j)))
    ordered = sorted(edges)
    return Graph(
        nodes,
        ordered,
        node_labels=[rng.choice("CNO") for _ in range(nodes)],
        edge_labels=[rng.choice((1, 2, 3)) for _ in ordered],
        directed=directed,
    )


def random_case(seed: int, most: int = 7) -> tuple[Graph, Graph, EditCosts]:
    """Every third pair is directed; costs are whole numbers and decimals in turn."""
    rng = random.Random(seed)
    source, target = (random_graph(rng, rng.randint(3, most), seed % 3 == 0) for _ in range(2))
    draw = (lambda: rng.randint(0, 4)) if seed % 2 else (lambda: round(rng.uniform(0, 3), 3))
    return source, target, EditCosts(*(draw() for _ in range(6)))


def molecule(rng: random.Random, nodes: int) -> Graph:
    """A random tree of degree at most 4 with two rings closed; from 6 nodes on."""
    edges: set[tuple[int, int]] = set()
    degree = [0] * nodes
    while len(edges) < nodes + 1:
        j = len(edges) + 1 if len(edges) < nodes - 1 else rng.randrange(1, nodes)
        i = rng.randrange(j)
        if degree[i] < 4 and degree[j] < 4 and (i, j) not in edges:
            edges.add((i, j))
            degree[i] += 1
            degree[j] += 1
    return Graph(nodes, sorted(edges), node_labels=[rng.choice("CCCNO") for _ in range(nodes)])


def large_graph(nodes: int, density: float, seed: int, *, labels: int = 1, directed: bool = False) -> Graph:
    """Any graph of that density, with so many node and edge labels."""
    rng = random.Random(seed)
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if (i != j if directed else i < j)]
    edges = [pair for pair in pairs if rng.random() < density]
    return Graph(
        nodes,
        edges,
        node_labels=[rng.randrange(labels) for _ in range(nodes)],
        edge_labels=[rng.randrange(labels) for _ in edges],
        directed=directed,
    )


def shuffled_copy(graph: Graph, rng: random.Random) -> Graph:
    """The same graph with its nodes in another order."""
    order = rng.sample(range(len(graph)), len(graph))
    place = {node: position for position, node in enumerate(order)}
    edges = [(place[u], place[v]) for u, v in graph.edge_index]
    labels = [graph.node_labels[node] for node in order]
    return Graph(len(graph), edges, node_labels=labels, edge_labels=graph.edge_labels, directed=graph.directed)
