"""Graphs as tensors: a store of many, and the batch that a step needs, each once however often it is paired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphedx import _encoder
from graphedx.errors import GraphError
from graphedx.graph import Graph, Label
from graphedx.models.structure import label_key, structure

MOST_NODES = 5_000
"""Of a graph: the matrices of ``structure`` take a gigabyte then, and their products a minute."""


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Some graphs, one after the other.

    The pairs of a graph are its node pairs u < v in the order (0, 1) (0, 2) (1, 2) (0, 3) ...: ``n * (n - 1) / 2``.
    """

    x: Tensor  # (nodes, F) input features
    label: Tensor  # (nodes,) int64, places in the vocabulary; without one, 0, or keys where ``structural``
    edge_index: Tensor  # (2, 2 edges): both directions, one after the other
    edge_label: Tensor  # (edges,) int64, keys where ``structural``, else 0
    sizes: Tensor  # (graphs,) int64: nodes
    edges: Tensor  # (graphs,) int64: undirected edges
    adjacency: Tensor  # (pairs,) bool
    alike: Tensor  # (nodes,) int64: the first node of its graph, from 0, that messages never tell apart from each

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def node_starts(self) -> Tensor:
        """(graphs + 1,): where each graph's nodes begin."""
        return starts(self.sizes)

    @property
    def pair_counts(self) -> Tensor:
        """(graphs,): unordered pairs of real nodes."""
        return self.sizes * (self.sizes - 1) // 2

    @property
    def graph_of_node(self) -> Tensor:
        """(nodes,): the graph that each node belongs to."""
        return torch.repeat_interleave(torch.arange(len(self), device=self.sizes.device), self.sizes)

    @property
    def degree(self) -> Tensor:
        """(nodes,) float."""
        ones = self.x.new_ones(self.edge_index.shape[1])
        return self.x.new_zeros(len(self.x)).index_add_(0, self.edge_index[1], ones)

    def to(self, device: torch.device | str) -> GraphBatch:
        return GraphBatch(*(getattr(self, name).to(device) for name in self.__slots__))

    def select(self, graphs: Tensor) -> GraphBatch:
        """The batch of these graphs, in this order."""
        which, device = graphs.cpu().numpy(), self.sizes.device
        sizes, edges = self.sizes.cpu().numpy(), self.edges.cpu().numpy()
        pairs, first_node = sizes * (sizes - 1) // 2, _first(sizes)
        nodes, some = _ranges(first_node, sizes, which), 2 * edges[which]
        arcs = _ranges(_first(2 * edges), 2 * edges, which)
        shifts = np.repeat(_first(sizes[which]) - first_node[which], some)
        # Arrays, not tensors, find the places: a call of numpy takes a fraction of the time of one of torch.
        node, arc, shift, edge, pair = (
            torch.from_numpy(places).to(device)
            for places in (nodes, arcs, shifts, arcs[::2] // 2, _ranges(_first(pairs), pairs, which))
        )
        return GraphBatch(
            self.x[node],
            self.label[node],
            self.edge_index[:, arc] + shift,
            self.edge_label[edge],
            self.sizes[graphs],
            self.edges[graphs],
            self.adjacency[pair],
            self.alike[node],
        )


def graph_batch(graphs: Sequence[Graph], vocabulary: Sequence[Label] = (), *, structural: bool = False) -> GraphBatch:
    """Tensors of undirected graphs. With a vocabulary of node labels features are one-hot, else a constant 1.

    Where ``structural``, features tell what a node's surroundings look like, and labels are any, by their keys.

    Raises:
        GraphError: a graph is directed, has more than MOST_NODES, or a label that is not in the vocabulary.
    """
    place = {label: i for i, label in enumerate(vocabulary)}
    edge_labels: list[int] = []
    labels: list[int] = []
    for graph in graphs:
        if graph.directed:
            raise GraphError(f"{graph} is directed; the models take undirected graphs")
        if len(graph) > MOST_NODES:  # all its pairs of nodes are going to be in memory
            raise GraphError(f"{graph} has more than {MOST_NODES:,} nodes, which no model takes; ged does")
        if structural:
            labels += map(label_key, graph.node_labels)
            edge_labels += map(label_key, graph.edge_labels)
            continue
        edge_labels += [0] * graph.num_edges
        try:
            labels += [place[label] for label in graph.node_labels] if place else [0] * len(graph)
        except KeyError as error:
            raise GraphError(f"{graph} has the node label {error.args[0]!r}, which the model does not know") from None
    label = torch.tensor(labels, dtype=torch.int64)
    # The weights are of this type, whatever the caller's default is.
    x = torch.ones(len(labels), 1, dtype=torch.float32)
    if place:
        x = torch.nn.functional.one_hot(label, len(place)).to(torch.float32)
    if structural:
        x = torch.from_numpy(structure(graphs))
    sizes = np.array([len(graph) for graph in graphs], dtype=np.int64)
    edges = np.array([graph.num_edges for graph in graphs], dtype=np.int64)
    flat = chain.from_iterable(chain.from_iterable(graph.edge_index for graph in graphs))
    ends = np.fromiter(flat, dtype=np.int64).reshape(-1, 2)  # places in their graph
    pair_counts = sizes * (sizes - 1) // 2
    first_node, first_pair = (np.repeat(np.cumsum(counts) - counts, edges) for counts in (sizes, pair_counts))
    low, high = ends.min(1), ends.max(1)
    adjacency = np.zeros(pair_counts.sum(), dtype=bool)
    adjacency[first_pair + high * (high - 1) // 2 + low] = True
    placed = ends + first_node[:, None]
    arcs = np.stack([placed, placed[:, ::-1]], 1).reshape(-1, 2).T.copy()
    kinds = np.array(edge_labels, dtype=np.int64)
    # Structure may tell nodes apart that messages do not.
    classes = np.arange(len(labels)) if structural else np.array(labels)
    alike = _encoder.alike_nodes(classes.astype(np.int32), np.concatenate([[0], np.cumsum(sizes)]), arcs)
    return GraphBatch(x, label, *map(torch.from_numpy, (arcs, kinds, sizes, edges, adjacency, alike)))


def join_batches(batches: Sequence[GraphBatch]) -> GraphBatch:
    """The graphs of several batches, one after the other."""
    shifts = starts(torch.tensor([len(batch.x) for batch in batches]))[:-1]
    arcs = [batch.edge_index + shift for batch, shift in zip(batches, shifts, strict=True)]
    rows = {
        name: torch.cat([getattr(batch, name) for batch in batches])
        for name in GraphBatch.__slots__
        if name != "edge_index"
    }
    return GraphBatch(edge_index=torch.cat(arcs, 1), **rows)


def starts(counts: Tensor) -> Tensor:
    """(k + 1,): 0 and the running sums."""
    return torch.nn.functional.pad(torch.cumsum(counts, 0), (1, 0))


def _first(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of them begins that lie one after the other."""
    return np.cumsum(counts) - counts


def _ranges(first: NDArray[np.int64], counts: NDArray[np.int64], which: NDArray[np.int64]) -> NDArray[np.int64]:
    """first[i], first[i] + 1, ... (counts[i] of them) for each i of ``which``, one after the other."""
    some = counts[which]
    return np.repeat(first[which] - _first(some), some) + np.arange(some.sum())
