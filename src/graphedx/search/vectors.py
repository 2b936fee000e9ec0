"""Graphs as vectors of counts that few edits change little: what approximate search looks at first.

A node's colour is what it sees of the graph within 0, 1, 2 or 3 steps (colour refinement); a vector counts the colours
of all nodes, in bins. An edit changes the colours near it and no others, so the L1 distance of vectors follows that of
graphs. It is no bound: what it misses, nobody looks at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx._collection import Block, Collection, colour_counts
from graphedx.costs import Cost, EditCosts
from graphedx.graph import Graph, Label

_CHUNK = 20_000  # graphs at a time
_SAMPLE = 8  # labels that stand for all others where a cost is no number


BLOCKS: Mapping[str, Block] = {
    "degrees": Block(nodes=False, edges=False, rounds=0, bins=16),
    "plain1": Block(nodes=False, edges=False, rounds=1, bins=64),
    "plain2": Block(nodes=False, edges=False, rounds=2, bins=64),
    "plain3": Block(nodes=False, edges=False, rounds=3, bins=64),
    "node_labels": Block(nodes=True, edges=False, rounds=0, bins=32),
    "nodes1": Block(nodes=True, edges=False, rounds=1, bins=64),
    "nodes2": Block(nodes=True, edges=False, rounds=2, bins=64),
    "edge_labels": Block(nodes=False, edges=True, rounds=0, bins=16),
    "edges1": Block(nodes=False, edges=True, rounds=1, bins=64),
    "edges2": Block(nodes=False, edges=True, rounds=2, bins=64),
    "both1": Block(nodes=True, edges=True, rounds=1, bins=64),
    "both2": Block(nodes=True, edges=True, rounds=2, bins=64),
}


# What a unit of each block adds to the guessed distance, where an edge costs 1. Those of "plain" and "nodes" were
# fitted to rankings of molecules and rounded by hand; those of "edges" and "both" were set like them, and never fitted.
class Fit(NamedTuple):
    """Weights for each view of the labels: structure, with labels of nodes, of edges, of both."""

    sizes: Mapping[str, tuple[float, float]]  # of a node, and of an edge
    blocks: Mapping[str, Mapping[str, float]]


BINNED = Fit(
    sizes={"plain": (1.5, 0.1), "nodes": (0.9, 0.04), "edges": (0.9, 0.04), "both": (0.9, 0.04)},
    blocks={
        "plain": {"degrees": 0.05, "plain1": 0.08, "plain2": 0.08, "plain3": 0.1},
        "nodes": {"plain2": 0.04, "node_labels": 0.3, "nodes1": 0.2, "nodes2": 0.12},
        "edges": {"plain2": 0.04, "edge_labels": 0.3, "edges1": 0.1, "edges2": 0.1},
        "both": {"plain2": 0.04, "node_labels": 0.3, "edge_labels": 0.15, "both1": 0.15, "both2": 0.1},
    },
)
"""For colours in bins, which many colours share."""
WHOLE = Fit(
    sizes={"plain": (0.95, 0.0), "nodes": (0.55, 0.0), "edges": (0.55, 0.0), "both": (0.55, 0.0)},
    blocks={
        "plain": {"plain2": 0.125, "plain3": 0.1},
        "nodes": {"node_labels": 0.16, "nodes1": 0.15, "nodes2": 0.175},
        "edges": {"edge_labels": 0.16, "edges1": 0.15, "edges2": 0.175},
        "both": {"node_labels": 0.16, "edge_labels": 0.16, "both1": 0.1, "both2": 0.15},
    },
)
"""For colours as they are, and a part of the lower bound, which the native search adds."""


class Vectors(NamedTuple):
    """Of many graphs, a row each."""

    sizes: NDArray[np.float32]  # (graphs, 2): nodes and edges
    counts: NDArray[np.uint8]  # (graphs, columns of all blocks that are kept)


def blocks_for(node_labels: Sequence[Label], edge_labels: Sequence[Label]) -> tuple[str, ...]:
    """The blocks worth keeping: a label that all nodes or edges have tells nothing."""
    told = len(node_labels) > 1, len(edge_labels) > 1
    return tuple(name for name, block in BLOCKS.items() if block.nodes <= told[0] and block.edges <= told[1])


def columns_of(blocks: Sequence[str]) -> dict[str, slice]:
    """Where each block lies in ``counts``."""
    ends = np.cumsum([BLOCKS[name].bins for name in blocks]).tolist()
    return {name: slice(end - BLOCKS[name].bins, end) for name, end in zip(blocks, ends, strict=True)}


def vectors(
    graphs: Iterable[Graph], node_labels: Sequence[Label], edge_labels: Sequence[Label], blocks: Sequence[str]
) -> Vectors:
    """Of graphs that are in no collection; the same on every machine, and for every order of nodes and edges."""
    kinds, width = [BLOCKS[name] for name in blocks], sum(BLOCKS[name].bins for name in blocks)
    sizes, counts = [], []
    for graph in graphs:
        sizes.append((graph.num_nodes, graph.num_edges))
        counts.append(colour_counts(graph, node_labels, edge_labels, kinds))
    return Vectors(
        np.array(sizes, dtype=np.float32).reshape(-1, 2), np.array(counts, dtype=np.uint8).reshape(-1, width)
    )


def vectors_of(collection: Collection, positions: Sequence[int], blocks: Sequence[str], *, workers: int) -> Vectors:
    """Of the graphs at these positions, about 3 µs each; the same as ``vectors`` has."""
    kinds, width = [BLOCKS[name] for name in blocks], sum(BLOCKS[name].bins for name in blocks)
    found = Vectors(np.empty((len(positions), 2), np.float32), np.empty((len(positions), width), np.uint8))
    for start in range(0, len(positions), _CHUNK):  # so that Ctrl-C is heard
        some = positions[start : start + _CHUNK]
        rows = slice(start, start + len(some))
        found.sizes[rows], found.counts[rows] = collection.colour_counts(kinds, some, workers=workers)
    return found


class Weighing(NamedTuple):
    """Costs as weights: the guessed distance is the weighted L1 distance, and what growing or shrinking adds."""

    node: float
    edge: float
    blocks: Mapping[str, float]
    node_growth: float  # what inserting a node costs more than the mean of inserting and deleting it
    edge_growth: float
    unit: float  # the cost of an edge, or what stands for it

    def in_units(self) -> Weighing:
        """The same with a unit of 1: costs are any numbers, but rows of weighted vectors hold small ones only."""
        by = 1 / self.unit
        blocks = {name: weight * by for name, weight in self.blocks.items()}
        return Weighing(self.node * by, self.edge * by, blocks, self.node_growth * by, self.edge_growth * by, 1.0)


def weighing(
    costs: EditCosts, node_labels: Sequence[Label], edge_labels: Sequence[Label], fit: Fit = BINNED
) -> Weighing:
    """Weights for these costs: those found for costs of 1, scaled; in between where a label costs less than an edge."""
    node_del, node_ins = (_typical(cost, node_labels, 1) for cost in (costs.node_del, costs.node_ins))
    edge_del, edge_ins = (_typical(cost, edge_labels, 1) for cost in (costs.edge_del, costs.edge_ins))
    node, edge = (node_del + node_ins) / 2, (edge_del + edge_ins) / 2
    relabel_node = min(_typical(costs.node_sub, node_labels, 2), 2 * node + edge)
    relabel_edge = min(_typical(costs.edge_sub, edge_labels, 2), 2 * edge)
    # Colours tell of edges, and of all else a little; nothing may be so much larger than a unit that floats end.
    unit = max(edge, node / 1e6, relabel_node / 1e6) or max(relabel_edge, 1.0)
    by_node = min(1.0, relabel_node / unit) if len(node_labels) > 1 else 0.0
    by_edge = min(1.0, relabel_edge / unit) if len(edge_labels) > 1 else 0.0
    shares = {
        "plain": (1 - by_node) * (1 - by_edge),
        "nodes": by_node * (1 - by_edge),
        "edges": (1 - by_node) * by_edge,
        "both": by_node * by_edge,
    }
    blocks: dict[str, float] = {}
    for view, share in shares.items():
        for name, weight in fit.blocks[view].items():
            if share > 0:
                blocks[name] = blocks.get(name, 0.0) + share * weight * unit
    of_node, of_edge = (sum(share * fit.sizes[view][k] for view, share in shares.items()) for k in (0, 1))
    return Weighing(
        node=of_node * (2 * node + edge) / 3,
        edge=of_edge * edge,
        blocks=blocks,
        node_growth=(node_ins - node_del) / 2,
        edge_growth=(edge_ins - edge_del) / 2,
        unit=unit,
    )


def _typical(cost: Cost, labels: Sequence[Label], arguments: int) -> float:
    """The cost, or its mean over a few labels where it is a table or a callable; tables need not know all of them."""
    if isinstance(cost, float):
        return cost
    some = labels[:_SAMPLE]
    asked: list[Any] = list(some) if arguments == 1 else [(a, b) for a in some for b in some if a != b]
    found = []
    for label in asked:
        try:
            labels_of = label if arguments == 2 else (label,)
            found.append(float(cost[label] if isinstance(cost, Mapping) else cost(*labels_of)))
        except Exception:  # the search itself says what is wrong with it, if it is asked for
            continue
    return float(np.mean(found)) if found else 1.0
