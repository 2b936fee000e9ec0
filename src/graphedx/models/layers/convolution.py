"""Graph convolutions: every node takes the weighted mean of its surroundings, several times."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from graphedx.models.batching import GraphBatch


class GraphConvolutions(nn.Module):
    """``X_l = relu(A X_{l-1} W_l + b_l)`` with ``A = D^-1/2 (adjacency + I) D^-1/2``; the last layer has no relu.

    Reference: Kipf, Welling: Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017.
    """

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        # A is the same for all layers, and is made once.
        self.layers = nn.ModuleList(
            GCNConv(inputs if layer == 0 else width, width, normalize=False, add_self_loops=False)
            for layer in range(layers)
        )

    def forward(self, x: Tensor, graphs: GraphBatch) -> list[Tensor]:
        """(nodes, width) of every layer."""
        edges, weight = gcn_norm(graphs.edge_index, num_nodes=len(x), dtype=x.dtype)
        found = [x]
        for number, layer in enumerate(self.layers, 1):
            x = layer(found[-1], edges, weight)
            found.append(torch.relu(x) if number < len(self.layers) else x)
        return found[1:]
