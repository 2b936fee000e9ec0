"""Embeddings of node pairs, edges and non-edges alike, and of the pairs with padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphedx.models.batching import GraphBatch, starts


class PairEmbedding(nn.Module):
    """``R(u, v) = f(h_u, h_v, a_uv) + f(h_v, h_u, a_uv)`` with f Linear-ReLU-Linear; the same from both ends.

    The first layer is applied to nodes, not to pairs, and the second to the sum of both directions: both are linear.
    """

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.first = nn.Linear(2 * width + 1, size)
        self.second = nn.Linear(size, size)

    def forward(self, h: Tensor, graphs: GraphBatch) -> Tensor:
        """(rows, size): of each graph its pairs (u, v), then (u, padding) for each node, then (padding, padding)."""
        width = h.shape[1]
        left, right, edge = self.first.weight.split([width, width, 1], dim=1)
        a, b = h @ left.T + self.first.bias, h @ right.T
        zero = self.first.bias.expand(1, -1)
        a, b = torch.cat([a, zero]), torch.cat([b, torch.zeros_like(zero)])  # the last row is padding
        u, v, joined = pair_rows(graphs)
        bond = joined[:, None] * edge.T
        hidden = torch.relu(a[u] + b[v] + bond) + torch.relu(a[v] + b[u] + bond)
        return hidden @ self.second.weight.T + 2 * self.second.bias


def pair_rows(graphs: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
    """Both ends of every row of ``PairEmbedding``, and 1.0 where it is an edge; padding is node ``len(graphs.x)``."""
    padding = len(graphs.x)
    sizes = graphs.sizes
    counts = graphs.pair_counts + sizes + 1
    first = starts(counts)
    u = torch.full((int(first[-1]),), padding, dtype=torch.int64, device=sizes.device)
    v, joined = u.clone(), graphs.x.new_zeros(len(u))
    graph_of_pair = torch.repeat_interleave(torch.arange(len(graphs), device=sizes.device), graphs.pair_counts)
    within = torch.arange(len(graph_of_pair), device=sizes.device) - starts(graphs.pair_counts)[graph_of_pair]
    one, other = _triangle(within, sizes[graph_of_pair])
    row = first[graph_of_pair] + within
    u[row] = graphs.node_starts[graph_of_pair] + one
    v[row] = graphs.node_starts[graph_of_pair] + other
    joined[row] = graphs.adjacency.to(joined.dtype)
    owner = graphs.graph_of_node
    nodes = torch.arange(padding, device=sizes.device)
    u[first[owner] + graphs.pair_counts[owner] + nodes - graphs.node_starts[owner]] = nodes
    return u, v, joined


def _triangle(k: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
    """The k-th pair (u, v), u < v, of n nodes, row by row."""
    # Row u begins at u * (2n - u - 1) / 2; the root below is exact enough for graphs of thousands of nodes, and mended.
    size = (2 * n - 1).double()
    u = ((size - torch.sqrt(size * size - 8 * k.double())) / 2).long()
    u = torch.where(u * (2 * n - u - 1) // 2 > k, u - 1, u)
    u = torch.where((u + 1) * (2 * n - u - 2) // 2 <= k, u + 1, u)
    return u, k - u * (2 * n - u - 1) // 2 + u + 1
