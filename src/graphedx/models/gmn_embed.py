"""GMN-Embed: one vector per graph, and the Euclidean distance of two vectors.

Reference: Li, Gu, Dullien, Vinyals, Kohli: Graph Matching Networks for Learning the Similarity of Graph Structured
Objects, ICML 2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.pooling import GatedSum
from graphedx.models.layers.propagation import GatedPropagation
from graphedx.models.layers.scores import cost_guided, euclidean

_MOST = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class GMNConfig(BaselineConfig):
    """The configuration of GMN-Embed and GMN-Match; ``cost_guided`` gives the paper's GMN-Embed* and GMN-Match*."""

    message: int = 20
    graph_size: int = 10  # of a graph's vector
    cost_guided: bool = False  # the score that costs weigh, in place of the Euclidean distance

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "message", "graph_size")

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        return 2


@register("gmn_embed", GMNConfig)
class GMNEmbed(Baseline):
    """``|| g - g' ||_2`` of the graphs' vectors.

    ``h_u`` (width) starts as an MLP of u's features. Each of ``layers`` steps, which share their weights, is
    ``h_u <- GRU(sum_v M [h_v, h_u, 1], h_u)`` over neighbours v. The graph's vector is the gated sum of its nodes,
    ``g = T sum_u sigmoid(W z_u) * (V z_u)`` with ``z_u = relu(U h_u)`` (graph_size). A graph without nodes has
    ``g = T 0``, the bias of T.

    Differences from the original, all as in the GraphEdX paper: messages have one linear layer instead of two, edges
    have the constant feature 1, the sizes are smaller, and the loss is the squared error of the distance.

    2,000 parameters at four features per node, as in the GraphEdX paper.
    """

    def __init__(self, config: GMNConfig) -> None:
        super().__init__()
        self.config: GMNConfig = config
        self.nodes = GatedPropagation(config.inputs, config.width, config.message, config.layers)
        self.pooling = GatedSum(config.width, config.graph_size)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(graphs, graph_size)"""
        h = self.nodes(replace(graphs, x=self.inputs(graphs, costs)))
        vectors: Tensor = self.pooling(h, graphs)
        return vectors

    def compare(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor, costs: Tensor) -> Tensor:
        source, target = encoded[pairs[:, 0]], encoded[pairs[:, 1]]
        return cost_guided(source, target, costs) if self.config.cost_guided else euclidean(source, target)
