"""Random labelled pairs and costs for the tests of single methods."""

from __future__ import annotations

import random

from graphedx import EditCosts, Graph


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
