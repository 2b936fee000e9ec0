"""GREED: every graph is a vector, and the distance of two graphs is that of their vectors.

Reference: Ranjan, Grover, Medya, Chakravarthy, Sabharwal, Ranu: GREED: A Neural Framework for Learning Graph Distance
Functions, NeurIPS 2022.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.nn import GINConv

from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.pooling import node_sums
from graphedx.models.layers.propagation import two_layers
from graphedx.models.layers.scores import cost_guided, euclidean

_MOST = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class GreedConfig(BaselineConfig):
    """Those of the comparison: 10 numbers a node, 64 a graph; ``cost_guided`` makes it what the paper calls GREED*."""

    vector: int = 64
    cost_guided: bool = False  # costs weigh what only one of the vectors has, instead of the Euclidean distance

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "vector")


@register("greed", GreedConfig)
class Greed(Baseline):
    """Layers ``l = 1 .. L`` of a graph isomorphism network, all of them pooled: (graphs, vector).

    ``h_0 = W x + b``, ``a_l = MLP_l(h_{l-1} + sum of h_{l-1} over neighbours)``, ``h_l = relu(a_l)``; every second
    ``a_l`` has the one two layers before it added (``h_0`` at first). Then ``g = MLP(sum_u [h_0, ..., h_L])`` and the
    distance is ``|| g - g' ||_2``, with ``cost_guided`` the score of ``scores.cost_guided``.

    2,464 parameters at four features per node, as in the GraphEdX paper. The distance is a metric on vectors: it is
    symmetric, and 0 for graphs that the network does not distinguish. ``cost_guided`` is neither symmetric nor a
    metric.
    """

    config: GreedConfig

    def __init__(self, config: GreedConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.first = nn.Linear(config.inputs, width)
        self.layers = nn.ModuleList(GINConv(two_layers(width, width, width)) for _ in range(config.layers))
        self.last = two_layers((config.layers + 1) * width, width, config.vector)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(graphs, vector)"""
        known = h = self.first(self.inputs(graphs, costs))
        found = [h]
        for number, layer in enumerate(self.layers, 1):
            h = layer(h, graphs.edge_index)
            if number % 2 == 0:
                known = h = h + known
            h = torch.relu(h)
            found.append(h)
        vectors: Tensor = self.last(node_sums(torch.cat(found, 1), graphs))
        return vectors

    def compare(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor, costs: Tensor) -> Tensor:
        source, target = encoded[pairs[:, 0]], encoded[pairs[:, 1]]
        return cost_guided(source, target, costs) if self.config.cost_guided else euclidean(source, target)
