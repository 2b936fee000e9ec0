"""Graphs with symmetry, and colour refinement in a few lines to say which of their nodes are alike."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import torch
from hypothesis import strategies as st
from torch import Tensor

from graphedx import Graph
from graphedx.models.batching import GraphBatch, graph_batch
from graphedx.models.layers.set_terms import EncodedGraphs


@st.composite
def symmetric_graphs(draw: st.DrawFn, most: int = 9) -> Graph:
    """Copies of a random graph, in pieces or around a hub, and some nodes of any kind: from none to ``most``."""
    size = draw(st.integers(0, 3))
    copies = draw(st.integers(1, max(1, (most - 2) // max(size, 1)))) if size else 0
    possible = list(combinations(range(size), 2))
    bits = draw(st.integers(0, 2 ** len(possible) - 1))
    edges = [
        (copy * size + u, copy * size + v)
        for copy in range(copies)
        for bit, (u, v) in enumerate(possible)
        if bits >> bit & 1
    ]
    nodes = size * copies
    for _ in range(draw(st.integers(0, 2))):
        joined = draw(st.sampled_from(["all", "none", "firsts", "last"]))
        firsts = range(0, size * copies, size or 1)
        ends = {"all": range(nodes), "none": (), "firsts": firsts, "last": range(nodes)[-1:]}
        edges += [(u, nodes) for u in ends[joined]]
        nodes += 1
    order = draw(st.permutations(range(nodes)))
    labels = draw(st.sampled_from(["C" * nodes, "CN" * nodes]))
    return Graph(nodes, [(order[u], order[v]) for u, v in edges], node_labels=list(labels[:nodes]))


def refined(graph: Graph, by_label: bool = False) -> list[int]:
    """Of each node the first that colour refinement does not tell apart from it."""
    colours: list[object] = list(graph.node_labels) if by_label else [0] * len(graph)
    for _ in range(len(graph)):
        around: list[list[object]] = [[] for _ in colours]
        for u, v in graph.edge_index:
            around[u].append(colours[v])
            around[v].append(colours[u])
        seen = [(colour, tuple(sorted(map(repr, near)))) for colour, near in zip(colours, around, strict=True)]
        colours = [seen.index(one) for one in seen]
    return [colours.index(colour) for colour in colours]


def firsts_of(graph: Graph, alike: list[int]) -> tuple[list[int], list[bool]]:
    """Of each node pair, those with padding last, the place of the first that is alike; and which are edges."""
    n, edges = len(graph), {tuple(sorted(edge)) for edge in graph.edge_index}
    first: dict[tuple[int, int, bool], int] = {}
    places, bits = [], []
    for v in range(1, n + 1):
        for u in range(v):
            joined = (u, v) in edges
            low, high = sorted((alike[u], alike[v] if v < n else n))
            places.append(first.setdefault((low, high, joined), len(places)))
            bits += [joined] if v < n else []
    return places, bits


def encoded_alike(graphs: list[Graph], seed: int) -> tuple[EncodedGraphs, Tensor, Tensor]:
    """Random vectors, the same for alike nodes and pairs; and of all nodes and all pairs the first that is alike."""
    random = torch.Generator().manual_seed(seed)
    nodes, pairs, bits, alike = [], [], [], []
    for graph in graphs:
        of_graph = refined(graph)
        places, edges = firsts_of(graph, of_graph)
        nodes += [len(alike) + first for first in of_graph]
        pairs += [len(pairs) + first for first in places]
        alike += of_graph
        bits += edges
    of_node, of_pair = torch.tensor(nodes, dtype=torch.int64), torch.tensor(pairs, dtype=torch.int64)
    vectors = [
        torch.randn(rows, size, generator=random, dtype=torch.float64) * scale
        for rows, size, scale in ((len(nodes), 4, 0.5), (len(nodes), 6, 0.03), (len(pairs), 9, 0.5))
    ]
    pads = [torch.randn(size, generator=random, dtype=torch.float64) * scale for size, scale in ((6, 0.03), (9, 0.5))]
    found = EncodedGraphs(
        vectors[0][of_node],
        vectors[1][of_node],
        pads[0],
        vectors[2][of_pair],
        pads[1],
        torch.tensor(bits, dtype=torch.bool),
        torch.tensor([0, *(len(graph) for graph in graphs)]).cumsum(0),
        torch.tensor(alike, dtype=torch.int64),
    )
    return found, of_node, of_pair


def batches(graphs: list[Graph], vocabulary: tuple[str, ...] = ()) -> tuple[GraphBatch, GraphBatch]:
    """As it is, and with every node for itself; in double precision."""
    batch = graph_batch(graphs, vocabulary)
    batch = replace(batch, x=batch.x.double())
    alone = [torch.arange(len(graph)) for graph in graphs]
    return batch, replace(batch, alike=torch.cat(alone))
