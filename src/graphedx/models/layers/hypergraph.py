"""Hypergraphs of random walks: for every node of a graph, the nodes that a walk from it visits most often."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from graphedx.models.batching import GraphBatch, starts

_SAME = 1e-9  # numbers of visits that differ by less are the same but for rounding
_RESTART, _ROUNDS = 0.1, 10  # of PageRank


class Hypergraphs(NamedTuple):
    """Three matrices of each graph, whose hyperedges are numbered as its nodes: (G, N, N), or all cells one by one.

    With H[e, u] = 1 where node u is in hyperedge e, which has |e| nodes, and D[u] the hyperedges that u is in:
    """

    mean: Tensor  # H[e, u] / |e|: from nodes to hyperedges
    back: Tensor  # H[e, u] / D[u], by (u, e): from hyperedges to nodes
    rank: Tensor  # from what the nodes have at first to the mean PageRank of the nodes of a hyperedge

    def flat(self, sizes: Tensor) -> Hypergraphs:
        """(sum of n^2,) of each: row after row, graph after graph, without padding."""
        at = torch.arange(self.mean.shape[1], device=sizes.device)
        there = at < sizes[:, None]
        place = (there[:, :, None] & there[:, None, :]).flatten().nonzero()[:, 0]
        return Hypergraphs(*(matrix.flatten()[place] for matrix in self))

    def padded(self, sizes: Tensor, which: Tensor) -> Hypergraphs:
        """From flat cells of all graphs to (K, N, N) of the chosen ones (K,), zeros beyond their nodes."""
        chosen, again = torch.unique(which, return_inverse=True)
        n = sizes[chosen][:, None, None]
        at = torch.arange(int(n.max()) if len(n) else 0, device=sizes.device)
        place = starts(sizes**2)[chosen][:, None, None] + at[:, None] * n + at
        place.masked_fill_((at[:, None] >= n) | (at >= n), len(self.mean))
        return Hypergraphs(*(torch.cat([cells, cells.new_zeros(1)])[place][again] for cells in self))


def walk_hypergraphs(graphs: GraphBatch, steps: int) -> Hypergraphs:
    """(G, N, N) hyperedges are those of ``incidence``.

    PageRank is ``x <- 0.9 back mean x + 0.1 x_0``, ten times, which is linear in what it begins with: one matrix.
    """
    with torch.no_grad():
        joined = incidence(graphs, steps).to(graphs.x.dtype)
        mean = joined / joined.sum(2, keepdim=True).clamp_(min=1)
        back = joined.transpose(1, 2) / joined.sum(1)[:, :, None].clamp_(min=1)
        through = (1 - _RESTART) * (back @ mean)
        rank = mean
        for _ in range(_ROUNDS):
            rank = torch.baddbmm(mean, rank, through, beta=_RESTART)
    return Hypergraphs(mean, back, rank)


def incidence(graphs: GraphBatch, steps: int) -> Tensor:
    """(G, N, N) bool: for every node e the nodes, ``steps`` of them, that a walk of so many steps visits most often.

    The expected numbers of visits ``(I + P + ... + P^steps)[e, u]`` decide, so that nothing is drawn; nodes that tie
    with the last one are in, too, and those that cannot be reached are not. Every node is in its own hyperedge.
    """
    size = int(graphs.sizes.max()) if len(graphs) else 0
    there = torch.arange(size, device=graphs.sizes.device) < graphs.sizes[:, None]  # (G, N)
    graph = graphs.graph_of_node[graphs.edge_index[0]]
    tail, head = graphs.edge_index - graphs.node_starts[graph]
    start = torch.diag_embed(there.double())  # in double precision: rounding must not break ties
    step = torch.zeros_like(start)
    step[graph, tail, head] = 1.0
    step /= step.sum(2, keepdim=True).clamp_(min=1)
    visits = start
    for _ in range(steps):
        visits = torch.baddbmm(start, visits, step)
    last = visits.topk(min(steps, size), 2).values[:, :, -1:] if size else visits
    return (visits >= last - _SAME) & (visits > _SAME)
