"""Small random graphs, the same in every run."""

import random

from graphedx import Graph


def some_graphs(count: int, *, most_nodes: int = 6, seed: int = 0, directed: bool = False) -> list[Graph]:
    rng = random.Random(seed)
    return [_graph(rng, rng.randint(0, most_nodes), f"g{k}", directed) for k in range(count)]


def hard_graphs(count: int, nodes: int = 40) -> list[Graph]:
    """Dense and without labels: no exact method gets through these in a lifetime."""
    rng = random.Random(7)
    ends = [(i, j) for i in range(nodes) for j in range(i)]
    return [Graph(nodes, rng.sample(ends, len(ends) // 2), name=f"hard{k}") for k in range(count)]


def _graph(rng: random.Random, n: int, name: str, directed: bool) -> Graph:
    ends = [(i, j) for i in range(n) for j in range(n) if (i != j if directed else i < j)]
    edges = [pair for pair in ends if rng.random() < 0.45]
    return Graph(
        n,
        edges,
        node_labels=[rng.choice("abc") for _ in range(n)],
        edge_labels=[rng.choice("xy") for _ in edges],
        directed=directed,
        name=name,
    )
