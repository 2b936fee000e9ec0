"""Message passing as in the paper: messages along edges, summed, into a gated recurrent unit, the same each step."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from graphedx import _encoder
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.backend import Backend, array, goes_native, needs_gradient, threads_of


def two_layers(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Linear, ReLU, Linear."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


class GatedPropagation(nn.Module):
    """Node embeddings after ``steps`` rounds of messages.

    A message is one linear layer of (sender, receiver, 1), as published; it is linear, so the messages that a node
    receives are the layer's own parts applied to the sum of its neighbours and, times its degree, to itself.

    On the CPU all rounds are one call of the native core, forward and backward: there the message layer and the unit's
    input layer, both linear, are one matrix, and nodes that no round so far can tell apart are computed once. The same
    bits for any number of ``threads``.
    """

    def __init__(self, features: int, width: int, message: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.encoder = two_layers(features, width, width)
        self.message = nn.Linear(2 * width + 1, message)
        self.update = nn.GRUCell(message, width)

    def forward(self, graphs: GraphBatch, *, backend: Backend = "auto", threads: int | None = None) -> Tensor:
        """(nodes, width)"""
        if not goes_native(graphs.x, backend):
            return self._rounds(self.encoder(graphs.x), graphs)
        h, kind = self._encoded_kinds(graphs.x)
        weight, bias = self.message.weight, self.message.bias
        constant = weight[:, -1] + bias
        linear = self.update.weight_ih @ torch.cat([weight[:, :-1], constant[:, None]], 1)
        inputs = torch.cat([linear, self.update.bias_ih[:, None]], 1)  # (3 width, 2 width + 2)
        hidden = torch.cat([self.update.weight_hh, self.update.bias_hh[:, None]], 1)  # (3 width, width + 1)
        tensors = (h, inputs, hidden, kind, graphs.node_starts, graphs.edge_index)
        keep = any(map(needs_gradient, (h, inputs, hidden)))
        found: Tensor = _NativeRounds.apply(*tensors, self.steps, threads_of(threads), keep)  # type: ignore[no-untyped-call]
        return found

    def _encoded_kinds(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's output for each kind of equal input rows (kinds, width), and the kind of each node."""
        if x.requires_grad:  # a gradient for every row
            return self.encoder(x), torch.arange(len(x))
        first, kind = map(torch.from_numpy, _encoder.unique_rows(array(x)))
        return self.encoder(x[first]), kind

    def _rounds(self, h: Tensor, graphs: GraphBatch) -> Tensor:
        width = h.shape[1]
        weight = self.message.weight
        sender, receiver, bias = weight[:, :width], weight[:, width:-1], weight[:, -1:]
        source, target = graphs.edge_index
        degree = graphs.degree[:, None]
        for _ in range(self.steps):
            neighbours = torch.zeros_like(h).index_add(0, target, h[source])  # (nodes, width)
            own = h @ receiver.T + bias.T + self.message.bias
            h = self.update(neighbours @ sender.T + degree * own, h)
        return h


class _NativeRounds(torch.autograd.Function):
    """All rounds by the native core, which keeps inner values for its backward pass."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        *tensors, steps, threads, keep = inputs
        h, ctx.kept = _encoder.propagate((*map(array, tensors), steps, threads), keep=keep)
        return torch.from_numpy(h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_h: Tensor) -> tuple[Tensor | None, ...]:
        found = _encoder.propagate_backward(ctx.kept, array(d_h))
        return (*map(torch.from_numpy, found), None, None, None, None, None, None)
