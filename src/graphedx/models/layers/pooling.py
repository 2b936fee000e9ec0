"""From the vectors of nodes to one vector a graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphedx.models.batching import GraphBatch
from graphedx.models.layers.propagation import two_layers


def node_sums(rows: Tensor, graphs: GraphBatch) -> Tensor:
    """(graphs, d) the sums of the rows (nodes, d) of each graph."""
    return rows.new_zeros(len(graphs), rows.shape[1]).index_add(0, graphs.graph_of_node, rows)


class AttentionPooling(nn.Module):
    """``sum_u sigmoid(x_u . c) x_u`` where ``c = tanh(W mean_u x_u)`` is what the graph is about.

    Reference: Bai, Ding, Bian, Chen, Sun, Wang: SimGNN: A Neural Network Approach to Fast Graph Similarity Computation,
    WSDM 2019.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.context = nn.Linear(width, width, bias=False)

    def forward(self, rows: Tensor, graphs: GraphBatch) -> Tensor:
        """(graphs, d)"""
        mean = node_sums(rows, graphs) / graphs.sizes.clamp(min=1)[:, None]
        context = torch.tanh(self.context(mean))[graphs.graph_of_node]  # (nodes, d)
        return node_sums(torch.sigmoid((rows * context).sum(1, keepdim=True)) * rows, graphs)

    def padded(self, columns: Tensor, weight: Tensor) -> Tensor:
        """(B, d) the same of columns (B, d, N) of which each counts with a weight (B, N), 0 where there is none."""
        weighted = columns * weight[:, None]
        mean = weighted.sum(2) / weight.sum(1, keepdim=True).clamp(min=1)
        context = torch.tanh(self.context(mean))[:, :, None]  # (B, d, 1)
        return (torch.sigmoid((columns * context).sum(1, keepdim=True)) * weighted).sum(2)


class GatedSum(nn.Module):
    """``T sum_u sigmoid(W z_u) * (V z_u)`` with ``z_u = relu(U x_u)``; U, V, W and T are linear layers with biases.

    References: Li, Tarlow, Brockschmidt, Zemel: Gated Graph Sequence Neural Networks, ICLR 2016; the hidden layer U is
    that of the graph matching networks in the GraphEdX paper.
    """

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.values_and_gates = two_layers(width, width, 2 * size)
        self.transform = nn.Linear(size, size)

    def forward(self, rows: Tensor, graphs: GraphBatch) -> Tensor:
        """(graphs, size)"""
        vectors: Tensor = self.transform(node_sums(self.gated(rows), graphs))
        return vectors

    def gated(self, rows: Tensor) -> Tensor:
        """(..., size) what is summed, of rows (..., width)."""
        return nn.functional.glu(self.values_and_gates(rows))
