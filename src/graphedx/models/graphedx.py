"""GraphEdX, the estimator of the paper: a soft alignment of nodes, and what is left over when it is applied.

Reference: Jain, Roy, Meher, Chakrabarti, De: Graph Edit Distance with General Costs Using Neural Set Divergence,
NeurIPS 2024.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.base import ModelConfig, PairModel, member, register, require_counts
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.ablations import PUBLISHED_EDGE_FACTOR, Variant, edge_to_edge_terms, max_terms
from graphedx.models.layers.encoded import joined, padded_pair_rows
from graphedx.models.layers.pair_embedding import PairEmbedding, pair_rows
from graphedx.models.layers.propagation import GatedPropagation, two_layers
from graphedx.models.layers.set_terms import (
    AlignmentOptions,
    EncodedGraphs,
    SetTerm,
    alignment_plan,
    independent_terms,
    set_terms,
)
from graphedx.models.layers.sinkhorn import gumbel, sinkhorn
from graphedx.models.layers.substitution import relabelled

_MOST, _MOST_ROUNDS = 10**6, 10**4


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdXConfig(ModelConfig):
    """The defaults are those of the published model; ``node_weight`` is tuned there over 0.1 and 1.

    ``MAX`` and ``MAX_OR`` have terms of their own and use neither ``node_term`` nor ``edge_term``; ``NODE_SWAP`` has no
    ``edge_term``.
    """

    node_term: SetTerm = SetTerm.ALIGN_DIFF
    edge_term: SetTerm = SetTerm.XOR
    variant: Variant = Variant.STANDARD
    node_weight: float = 1.0
    consistency_weight: float = 0.001  # of REG's penalty
    max_edge_factor: float = PUBLISHED_EDGE_FACTOR  # of the edge maxima in MAX and MAX_OR; 1 is consistent
    max_nodes: int = 20  # graphs are padded to this size
    width: int = 10
    pair_size: int = 20
    message: int = 20
    steps: int = 5
    temperature: float = 0.01
    iterations: int = 20
    noise: float = 0.0  # factor of Gumbel noise on the scores of the nodes' alignment, while the model is trained

    def __post_init__(self) -> None:
        require_counts(self, _MOST, "features", "max_nodes", "width", "pair_size", "message")
        require_counts(self, _MOST_ROUNDS, "steps", "iterations")  # which no weights tell
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise ModelError(f"temperature must be finite and > 0, got {self.temperature!r}")
        for name in ("node_weight", "consistency_weight", "max_edge_factor", "noise"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ModelError(f"{name} must be finite and >= 0, got {getattr(self, name)!r}")
        object.__setattr__(self, "node_term", member(SetTerm, self.node_term))
        object.__setattr__(self, "edge_term", member(SetTerm, self.edge_term))
        object.__setattr__(self, "variant", member(Variant, self.variant))
        if self.variant is Variant.EDGE_TO_EDGE and self.edge_term is SetTerm.XOR:
            raise ModelError(
                "edge_to_edge knows no non-edges, so that edge_term xor is always 0; take align_diff or diff_align"
            )

    def to_json(self) -> dict[str, Any]:
        """Leave out settings that have no effect and that older runs do not have, so that those can go on."""
        settings = ModelConfig.to_json(self)  # super() would not find it: a class with slots is made twice
        if not self.noise:
            del settings["noise"]
        if self.variant not in (Variant.MAX, Variant.MAX_OR):
            del settings["max_edge_factor"]
        return settings

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        """2 for MAX and MAX-OR, whose edge maxima had the factor 1 in version 1."""
        return 2 if settings.get("variant") in (Variant.MAX.value, Variant.MAX_OR.value) else 1


@register("graphedx", GraphEdXConfig)
class GraphEdX(PairModel):
    """``edge_del Δ⊖(R, R' | S) + edge_ins Δ⊕(R, R' | S) + λ (node_del Δ⊖(X, X' | P) + node_ins Δ⊕(X, X' | P))``.

    X are embeddings of nodes, R of node pairs, P is the soft alignment of nodes, S that of node pairs which follows,
    λ is ``node_weight``. With labels comes ``node_sub Δ∼``: the alignment of nodes whose labels differ. Labels of edges
    and ``edge_sub`` have no part in it.
    """

    aligns = True

    def __init__(self, config: GraphEdXConfig) -> None:
        super().__init__()
        self.config: GraphEdXConfig = config
        self.nodes = GatedPropagation(config.features, config.width, config.message, config.steps)
        if config.variant is not Variant.NODE_SWAP:  # a part that never learns would only get in the way
            self.pairs = PairEmbedding(config.width, config.pair_size)
        self.alignment = two_layers(config.width, config.max_nodes, config.max_nodes)
        if config.variant is Variant.REG:
            self.pair_alignment = two_layers(config.pair_size, config.max_nodes, config.max_nodes)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> EncodedGraphs:
        self._check(graphs)
        x = self.nodes(graphs)
        pair, pair_pad = self._pair_vectors(x, graphs)
        pad = self.alignment(x.new_zeros(self.config.width))
        bits, offsets = graphs.adjacency, graphs.node_starts
        return EncodedGraphs(x, self.alignment(x), pad, pair, pair_pad, bits, offsets, graphs.alike)

    def compare(self, graphs: GraphBatch, encoded: EncodedGraphs, pairs: Tensor, costs: Tensor) -> Tensor:
        return self._compared(graphs, encoded, pairs, costs)[0]

    def distances_and_penalty(
        self, graphs: GraphBatch, pairs: Tensor, costs: Tensor, evidence: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The penalty is REG's: how far its two alignments of node pairs are apart, on average over the pairs."""
        return self._compared(graphs, self.encode(graphs), pairs, costs)

    def joined(self, encoded: Sequence[EncodedGraphs]) -> EncodedGraphs:
        return joined(encoded)

    def soft_alignment(self, encoded: EncodedGraphs, source: int, target: int) -> Tensor:
        return alignment_plan(encoded, source, target, self._alignment())

    def soft_pair_alignment(self, encoded: EncodedGraphs, source: int, target: int) -> Tensor:
        """REG has a plan of its own for node pairs; in all other variants it follows from the nodes' plan."""
        if self.config.variant is not Variant.REG:
            return PairModel.soft_pair_alignment(self, encoded, source, target)
        with torch.no_grad():
            rows, columns = (
                self.pair_alignment(padded_pair_rows(encoded, graph, self.config.max_nodes))
                for graph in (source, target)
            )
            return sinkhorn(-torch.cdist(rows, columns, p=1) / self.config.temperature, self.config.iterations)

    def _compared(
        self, graphs: GraphBatch, encoded: EncodedGraphs, pairs: Tensor, costs: Tensor
    ) -> tuple[Tensor, Tensor]:
        alignment = self._alignment(self._noise(encoded, pairs))
        terms, apart = self._terms(encoded, pairs, alignment)  # (K, 4), (K,)
        costs = costs.to(terms)
        edge_costs = costs[2:4]
        if self.config.variant is Variant.NODE_SWAP:
            node_costs, edge_costs = edge_costs, torch.zeros_like(edge_costs)
        else:
            node_costs = costs[:2]
        distances = terms @ torch.cat([self.config.node_weight * node_costs, edge_costs])
        if bool(graphs.label.any()) and bool(costs[4]):
            distances = distances + costs[4] * relabelled(encoded, graphs.label, pairs, alignment)
        return distances, self.config.consistency_weight * apart.sum() / max(len(pairs), 1)

    def _check(self, graphs: GraphBatch) -> None:
        self.require_size(int(graphs.sizes.max()) if len(graphs) else 0)
        self.require_features(graphs)

    def _pair_vectors(self, x: Tensor, graphs: GraphBatch) -> tuple[Tensor, Tensor]:
        if self.config.variant is Variant.NODE_SWAP:
            rows = int(graphs.pair_counts.sum()) + len(x)
            return x.new_zeros(rows, 0), x.new_zeros(0)
        pair, pad = self.pairs(x, graphs)
        if self.config.variant is Variant.PAIR_TO_PAIR:
            _, _, joined = pair_rows(graphs)
            return pair * joined[:, None], torch.zeros_like(pad)
        return pair, pad

    def _noise(self, encoded: EncodedGraphs, pairs: Tensor) -> Tensor | None:
        config = self.config
        if not (self.training and config.noise):
            return None
        return config.noise * gumbel(encoded.node.new_empty(len(pairs), config.max_nodes, config.max_nodes))

    def _alignment(self, noise: Tensor | None = None) -> AlignmentOptions:
        config = self.config
        return AlignmentOptions(
            temperature=config.temperature, iterations=config.iterations, padded_nodes=config.max_nodes, noise=noise
        )

    def _terms(self, encoded: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions) -> tuple[Tensor, Tensor]:
        """The four set terms (K, 4), and how far the alignment of node pairs is from that of nodes (K,)."""
        node_term, edge_term, variant = self.config.node_term, self.config.edge_term, self.config.variant
        consistent = encoded.node.new_zeros(len(pairs))
        if variant in (Variant.MAX, Variant.MAX_OR):
            factor = self.config.max_edge_factor
            return max_terms(encoded, pairs, alignment, variant, edge_factor=factor), consistent
        if variant is Variant.EDGE_TO_EDGE:
            return edge_to_edge_terms(encoded, pairs, alignment, node_term, edge_term), consistent
        if variant is Variant.REG:
            by = self.pair_alignment(encoded.pair), self.pair_alignment(encoded.pair_pad)
            return independent_terms(encoded, pairs, alignment, by, node_term=node_term, edge_term=edge_term)
        if variant is Variant.NODE_SWAP:
            edge_term = SetTerm.ALIGN_DIFF  # of nothing
        return set_terms(encoded, pairs, alignment, node_term=node_term, edge_term=edge_term), consistent
