"""GraphEdX, the estimator of the paper: a soft alignment of nodes, and what is left over when it is applied.

Reference: Jain, Roy, Meher, Chakrabarti, De: Graph Edit Distance with General Costs Using Neural Set Divergence,
NeurIPS 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.base import ModelConfig, PairModel, register
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.pair_embedding import PairEmbedding
from graphedx.models.layers.propagation import GatedPropagation, two_layers
from graphedx.models.layers.set_terms import EncodedGraphs, SetTerm, set_terms


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdXConfig(ModelConfig):
    """The defaults are those of the published model; ``node_weight`` is tuned there over 0.1 and 1."""

    node_term: SetTerm = SetTerm.ALIGN_DIFF
    edge_term: SetTerm = SetTerm.XOR
    node_weight: float = 1.0
    max_nodes: int = 20  # graphs are padded to this size
    width: int = 10
    pair_size: int = 20
    message: int = 20
    steps: int = 5
    temperature: float = 0.01
    iterations: int = 20

    def __post_init__(self) -> None:
        object.__setattr__(self, "node_term", SetTerm(self.node_term))
        object.__setattr__(self, "edge_term", SetTerm(self.edge_term))


@register("graphedx", GraphEdXConfig)
class GraphEdX(PairModel):
    """``edge_del Δ⊖(R, R' | S) + edge_ins Δ⊕(R, R' | S) + λ (node_del Δ⊖(X, X' | P) + node_ins Δ⊕(X, X' | P))``.

    X are embeddings of nodes, R of node pairs, P is the soft alignment of nodes, S that of node pairs which follows,
    λ is ``node_weight``.
    """

    def __init__(self, config: GraphEdXConfig) -> None:
        super().__init__()
        self.config: GraphEdXConfig = config
        self.nodes = GatedPropagation(config.features, config.width, config.message, config.steps)
        self.pairs = PairEmbedding(config.width, config.pair_size)
        self.alignment = two_layers(config.width, config.max_nodes, config.max_nodes)

    def forward(self, graphs: GraphBatch, pairs: Tensor, costs: Tensor) -> Tensor:
        largest = int(graphs.sizes.max()) if len(graphs) else 0
        if largest > self.config.max_nodes:
            raise ModelError(
                f"this model takes graphs of at most {self.config.max_nodes} nodes, got one of {largest}; "
                "train one with a larger max_nodes"
            )
        terms = set_terms(
            self.encode(graphs),
            pairs,
            node_term=self.config.node_term,
            edge_term=self.config.edge_term,
            temperature=self.config.temperature,
            iterations=self.config.iterations,
            padded_nodes=self.config.max_nodes,
        )  # (K, 4)
        return terms @ torch.cat([self.config.node_weight * costs[:2], costs[2:4]])

    def encode(self, graphs: GraphBatch) -> EncodedGraphs:
        """Every graph once, whatever it is compared with."""
        x = self.nodes(graphs)
        pair, pair_pad = self.pairs(x, graphs)
        pad = self.alignment(x.new_zeros(self.config.width))
        return EncodedGraphs(x, self.alignment(x), pad, pair, pair_pad, graphs.adjacency, graphs.node_starts)
