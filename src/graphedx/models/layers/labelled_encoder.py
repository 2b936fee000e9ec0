"""LabelledEncoder: graphs as vectors, with labels that the network has never seen."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphedx.models.batching import GraphBatch
from graphedx.models.layers.propagation import two_layers

CODE = 8
"""Labels are signs: so many of each."""

_POOL_SCALE = 4.0  # sums over nodes grow with the graph; this brings those of a small molecule near 1


class LabelledEncoder(nn.Module):
    """Message passing; every layer adds a sum over the nodes to the vector of a graph."""

    def __init__(self, features: int, width: int, layers: int, pooled: int) -> None:
        super().__init__()
        self.nodes = nn.Linear(features + CODE, width)
        self.edges = nn.Linear(CODE, width, bias=False)
        self.messages = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.updates = nn.ModuleList(two_layers(2 * width, width, width) for _ in range(layers))
        self.pools = nn.ModuleList(two_layers(width, width, pooled) for _ in range(layers + 1))

    def forward(self, graphs: GraphBatch, node_labels: bool, edge_labels: bool, salt: int) -> Tensor:
        """(graphs, D); labels count or do not. Another salt gives labels other codes."""
        source, target = graphs.edge_index
        code = codes(graphs.label, salt) if node_labels else graphs.x.new_zeros(len(graphs.x), CODE)
        h = self.nodes(torch.cat([graphs.x, code.to(graphs.x)], 1))
        by_edge = None
        # Where they do not count, too, while it is trained: Adam and DDP want a gradient of every weight.
        if edge_labels or self.training:
            kinds = codes(graphs.edge_label, salt + 1) * edge_labels
            by_edge = self.edges(kinds.to(graphs.x)).repeat_interleave(2, 0)
        graph_of_node = graphs.graph_of_node

        def pooled(layer: int) -> Tensor:
            values: Tensor = self.pools[layer](h)
            return values.new_zeros(len(graphs), values.shape[1]).index_add(0, graph_of_node, values) / _POOL_SCALE

        vectors = [pooled(0)]
        for layer, (message, update) in enumerate(zip(self.messages, self.updates, strict=True)):
            sent = message(h)[source]
            sent = torch.relu(sent if by_edge is None else sent + by_edge)
            h = h + update(torch.cat([h, torch.zeros_like(h).index_add(0, target, sent)], 1))
            vectors.append(pooled(layer + 1))
        return torch.cat(vectors, 1)


def codes(keys: Tensor, salt: int) -> Tensor:
    """(len, CODE) of -1 and 1; of two keys one in 2^CODE times by accident the same. The key 0 (no label) is all 0."""
    mixed = (keys ^ salt) * -7046029254386353131  # wraps around: multiplying by an odd number mixes the bits upwards
    mixed = (mixed ^ (mixed >> 29)) * -4658895280553007687
    bits = (mixed[:, None] >> torch.arange(40, 40 + CODE, device=keys.device)) & 1
    return (2 * bits - 1) * (keys != 0)[:, None]
