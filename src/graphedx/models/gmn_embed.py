"""GMN-Embed: one vector a graph, and how far two of them are apart.

Reference: Li, Gu, Dullien, Vinyals, Kohli: Graph Matching Networks for Learning the Similarity of Graph Structured
Objects, ICML 2019.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    """Of both graph matching networks; ``cost_guided`` makes the paper's GMN-Embed* and GMN-Match* of them."""

    message: int = 20
    graph_size: int = 10  # of a graph's vector
    cost_guided: bool = False  # the score that costs weigh, in place of the Euclidean distance

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "message", "graph_size")


@register("gmn_embed", GMNConfig)
class GMNEmbed(Baseline):
    """``|| g - g' ||_2`` of the graphs' vectors.

    ``h_u`` (width) starts as an MLP of u's features. Each of ``layers`` steps, which share their weights, is
    ``h_u <- GRU(sum_v W [h_v, h_u, 1], h_u)`` over neighbours v. The graph's vector is the gated sum of its nodes,
    ``g = T sum_u sigmoid(W h_u) * (V h_u)`` (graph_size). Graphs without nodes have ``T 0``, a bias.

    Other than in the original, messages have one linear layer and not two, as in the GraphEdX paper, whose sizes these
    are; features of edges are a constant 1; and the loss is the squared error of the distance, not a margin.

    1,860 parameters at one feature a node; the GraphEdX paper says 2,000.
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
