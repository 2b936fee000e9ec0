"""Graph convolutions: every layer replaces the vector of a node by a weighted mean over its neighbourhood."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from graphedx.models.batching import GraphBatch


class GraphConvolutions(nn.Module):
    """``X_l = A relu(X_{l-1}) W_l + b_l`` with ``A = D^-1/2 (adjacency + I) D^-1/2``; the inputs X_0 have no relu.

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
        """(nodes, width) of every layer, before the activation."""
        edges, weight = gcn_norm(graphs.edge_index, num_nodes=len(x), dtype=x.dtype)
        found: list[Tensor] = []
        for layer in self.layers:
            found.append(layer(torch.relu(found[-1]) if found else x, edges, weight))
        return found
