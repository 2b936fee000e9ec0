"""ISONET: a soft alignment of edges, and what the edges of the source have in excess of those of the target.

Reference: Roy, Velugoti, Chakrabarti, De: Interpretable Neural Subgraph Matching for Graph Retrieval, AAAI 2022.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.base import member, register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch, starts
from graphedx.models.layers.propagation import GatedPropagation, two_layers
from graphedx.models.layers.set_terms import AlignBy, AlignmentOptions, EncodedGraphs, SetTerm, set_terms

_MOST = 10**6


class EdgePadding(Enum):
    """The number of edges to which the edge lists of a pair are padded.

    - ``DATASET``: ``max_edges``, as published; a longer list raises it for its pairs;
    - ``PAIR``: the longer list of the pair, so that no padding is aligned with padding.
    """

    DATASET = "dataset"
    PAIR = "pair"


@dataclass(frozen=True, slots=True, kw_only=True)
class ISONETConfig(BaselineConfig):
    """The configuration of the GraphEdX paper."""

    message: int = 20  # of a message, and so of an edge
    max_edges: int = 23  # the most edges of a graph of the dataset; both layers of the alignment network have this size
    padding: EdgePadding = EdgePadding.DATASET
    temperature: float = 0.01
    iterations: int = 20

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "message", "max_edges", "iterations")
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise ModelError(f"temperature must be finite and > 0, got {self.temperature!r}")
        object.__setattr__(self, "padding", member(EdgePadding, self.padding))

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        return 2


class EncodedEdges(NamedTuple):
    """The edges of all graphs, one graph after the other."""

    vector: Tensor  # (edges, message)
    align: Tensor  # (edges, max_edges)


@register("isonet", ISONETConfig)
class ISONET(Baseline):
    """``sum relu(E - S E')``, where S aligns the edges E of the source with those of the target, E'.

    Nodes have vectors ``h_u`` (width) after ``layers`` steps of ``h_u <- GRU(sum_v m(v, u), h_u)`` over neighbours v,
    with messages ``m(v, u) = W [h_v, h_u, 1]``. The vector of an edge is the sum of both messages along it,
    ``E_uv = m(u, v) + m(v, u)`` (message). Both lists of edges are padded with zeros to ``max_edges``.
    ``S = Sinkhorn(F(E) F(E')^T / temperature)`` with F Linear-ReLU-Linear (max_edges), and 0 for F of padding.

    The score is one-sided, as it was designed for subgraph matching: edges that only the target has cost nothing,
    unless vectors learn to be negative. Costs reach it as features only.

    Differences from the original: no Gumbel noise, as in the GraphEdX paper, and the loss is the squared error of the
    distance, not a ranking loss. Graphs of more than ``max_edges`` edges are not refused: the lists of such a pair are
    padded to the longer one.

    2,595 parameters at four features per node and 23 edges, as in the GraphEdX paper.
    """

    def __init__(self, config: ISONETConfig) -> None:
        super().__init__()
        self.config: ISONETConfig = config
        self.nodes = GatedPropagation(config.inputs, config.width, config.message, config.layers)
        self.alignment = two_layers(config.message, config.max_edges, config.max_edges)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> EncodedEdges:
        h = self.nodes(replace(graphs, x=self.inputs(graphs, costs)))
        vector = self._edges(h, graphs)
        return EncodedEdges(vector, self.alignment(vector))

    def compare(self, graphs: GraphBatch, encoded: EncodedEdges, pairs: Tensor, costs: Tensor) -> Tensor:
        vector, align = encoded
        counts = graphs.edges
        # To the set terms edges are what nodes are to GraphEdX; there are no pairs of them to compare.
        edges = EncodedGraphs(
            node=vector,
            align=align,
            align_pad=align.new_zeros(align.shape[1]),
            pair=vector.new_empty(int((counts * (counts + 1) // 2).sum()), 0),
            pair_pad=vector.new_empty(0),
            adjacency=graphs.adjacency.new_zeros(int((counts * (counts - 1) // 2).sum())),
            offsets=starts(counts),
        )
        longer = counts[pairs].amax(1) > self.config.max_edges  # (K,)
        if self.config.padding is EdgePadding.PAIR or bool(longer.all()):
            return self._scores(edges, pairs, 0)
        if not bool(longer.any()):
            return self._scores(edges, pairs, self.config.max_edges)
        parts = self._scores(edges, pairs[~longer], self.config.max_edges), self._scores(edges, pairs[longer], 0)
        return torch.cat(parts)[torch.cat([(~longer).nonzero(), longer.nonzero()])[:, 0].argsort()]

    def _scores(self, edges: EncodedGraphs, pairs: Tensor, size: int) -> Tensor:
        """(K,) with edge lists padded to ``size``, or to the longer list if that is 0."""
        alignment = AlignmentOptions(
            temperature=self.config.temperature,
            iterations=self.config.iterations,
            padded_nodes=size,
            by=AlignBy.PRODUCT,
        )
        of_nothing = SetTerm.ALIGN_DIFF
        return set_terms(edges, pairs, alignment, node_term=SetTerm.ALIGN_DIFF, edge_term=of_nothing)[:, 0]

    def _edges(self, h: Tensor, graphs: GraphBatch) -> Tensor:
        """(edges, message): messages are linear, so both directions of an edge are one product."""
        weight, bias = self.nodes.message.weight, self.nodes.message.bias
        sender, receiver = weight[:, :-1].chunk(2, 1)
        u, v = graphs.edge_index[:, ::2]
        ends = h.index_select(0, u) + h.index_select(0, v)
        return ends @ (sender + receiver).T + 2 * (weight[:, -1] + bias)
