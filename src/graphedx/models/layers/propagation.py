"""Message passing as in the paper: messages along edges, summed, into a gated recurrent unit, the same each step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphedx.models.batching import GraphBatch


def two_layers(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Linear, ReLU, Linear."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


class GatedPropagation(nn.Module):
    """Node embeddings after ``steps`` rounds of messages.

    A message is one linear layer of (sender, receiver, 1), as published; it is linear, so the messages that a node
    receives are the layer's own parts applied to the sum of its neighbours and, times its degree, to itself.
    """

    def __init__(self, features: int, width: int, message: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.encoder = two_layers(features, width, width)
        self.message = nn.Linear(2 * width + 1, message)
        self.update = nn.GRUCell(message, width)

    def forward(self, graphs: GraphBatch) -> Tensor:
        """(nodes, width)"""
        h: Tensor = self.encoder(graphs.x)
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
