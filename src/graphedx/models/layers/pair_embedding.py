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

    def forward(self, h: Tensor, graphs: GraphBatch) -> tuple[Tensor, Tensor]:
        """Of each graph the pairs of its nodes, then those with padding (rows, size); and of two paddings (size,)."""
        width = h.shape[1]
        weight = self.first.weight
        left, right, edge = weight[:, :width], weight[:, width:-1], weight[:, -1:]
        a, b = h @ left.T + self.first.bias, h @ right.T
        padding = self.first.bias.expand(1, -1)
        a, b = torch.cat([a, padding]), torch.cat([b, torch.zeros_like(padding)])  # the last row is padding
        u, v, joined = pair_rows(graphs)
        bond = joined[:, None] * edge.T
        hidden = torch.relu(a[u] + b[v] + bond) + torch.relu(a[v] + b[u] + bond)
        of_padding = 2 * self.second(torch.relu(self.first.bias))
        return hidden @ self.second.weight.T + 2 * self.second.bias, of_padding


def pair_rows(graphs: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
    """Both ends of every row of ``PairEmbedding``, and 1.0 where it is an edge; padding is node ``len(graphs.x)``."""
    counts = graphs.sizes * (graphs.sizes + 1) // 2
    owner = torch.repeat_interleave(torch.arange(len(graphs), device=counts.device), counts)
    within = torch.arange(len(owner), device=counts.device) - starts(counts)[owner]
    v = ((1 + torch.sqrt(1 + 8 * within.double())) / 2).long()
    v = torch.where(v * (v - 1) // 2 > within, v - 1, v)  # a root may be off by a hair
    u = within - v * (v - 1) // 2
    padded = v == graphs.sizes[owner]
    first = graphs.node_starts[owner]
    joined = graphs.x.new_zeros(len(owner))
    joined[~padded] = graphs.adjacency.to(joined.dtype)
    return first + u, torch.where(padded, len(graphs.x), first + v), joined
