"""Embeddings of node pairs, edges and non-edges alike, and of the pairs with padding."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from graphedx import _encoder
from graphedx.models.batching import GraphBatch, starts
from graphedx.models.layers.backend import Backend, array, goes_native, threads_of


class PairEmbedding(nn.Module):
    """``R(u, v) = f(h_u, h_v, a_uv) + f(h_v, h_u, a_uv)`` with f Linear-ReLU-Linear; the same from both ends.

    The first layer is applied to nodes, not to pairs, and the second to the sum of both directions: both are linear.
    On the CPU what lies between and the second layer are one call of the native core, forward and backward, which never
    holds the hidden layer of all pairs. The same bits for any number of ``threads``.
    """

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.first = nn.Linear(2 * width + 1, size)
        self.second = nn.Linear(size, size)

    def forward(
        self, h: Tensor, graphs: GraphBatch, *, backend: Backend = "auto", threads: int | None = None
    ) -> tuple[Tensor, Tensor]:
        """Of each graph the pairs of its nodes, then those with padding (rows, size); and of two paddings (size,)."""
        width = h.shape[1]
        weight, bias = self.first.weight, self.first.bias
        both = torch.cat([weight[:, :width], weight[:, width:-1]])
        ends = nn.functional.linear(h, both, torch.cat([bias, torch.zeros_like(bias)]))  # (nodes, 2 size)
        edge, offset = weight[:, -1], 2 * self.second.bias
        of_padding = 2 * self.second(torch.relu(bias))
        if goes_native(ends, backend):
            tensors = (ends, bias, edge, self.second.weight, offset, graphs.adjacency, graphs.node_starts)
            rows: Tensor = _NativePairs.apply(*tensors, threads_of(threads))  # type: ignore[no-untyped-call]
            return rows, of_padding
        a, b = ends.chunk(2, 1)
        a, b = torch.cat([a, bias[None]]), torch.cat([b, torch.zeros_like(bias[None])])  # the last row is padding
        u, v, joined = pair_rows(graphs)
        bond = joined[:, None] * edge
        hidden = torch.relu(a[u] + b[v] + bond) + torch.relu(a[v] + b[u] + bond)
        return hidden @ self.second.weight.T + offset, of_padding


class _NativePairs(torch.autograd.Function):
    """The rows by the native core, whose backward pass computes the hidden layer again and so keeps its inputs only."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        *tensors, ctx.threads = inputs
        ctx.save_for_backward(*tensors)
        return torch.from_numpy(_encoder.embed_pairs((*map(array, tensors), ctx.threads)))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_rows: Tensor) -> tuple[Tensor | None, ...]:
        tensors = ctx.saved_tensors
        found = _encoder.embed_pairs_backward((*map(array, tensors), ctx.threads), array(d_rows))
        gradients = [torch.from_numpy(one).view(of.shape) for one, of in zip(found, tensors[:5], strict=True)]
        return (*gradients, None, None, None)


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
