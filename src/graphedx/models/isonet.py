"""ISONET: edges of two graphs, aligned softly, and what those of the source have that those of the target have not.

Reference: Roy, Velugoti, Chakrabarti, De: Interpretable Neural Subgraph Matching for Graph Retrieval, AAAI 2022.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch, starts
from graphedx.models.layers.propagation import GatedPropagation, two_layers
from graphedx.models.layers.set_terms import AlignBy, AlignmentOptions, EncodedGraphs, SetTerm, set_terms

_MOST = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class ISONETConfig(BaselineConfig):
    """Sizes and temperature are those of the GraphEdX paper."""

    message: int = 20  # of a message, and so of an edge
    alignment: int = 25  # of what edges are aligned by
    temperature: float = 0.01
    iterations: int = 20

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "message", "alignment", "iterations")
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise ModelError(f"temperature must be finite and > 0, got {self.temperature!r}")


class EncodedEdges(NamedTuple):
    """The edges of all graphs, one graph after the other."""

    vector: Tensor  # (edges, message)
    align: Tensor  # (edges, alignment)


@register("isonet", ISONETConfig)
class ISONET(Baseline):
    """``sum relu(E - S E')``, where S aligns the edges E of the source with those of the target, E'.

    Nodes have vectors ``h_u`` (width) after ``layers`` steps of ``h_u <- GRU(sum_v m(v, u), h_u)`` over neighbours v,
    with messages ``m(v, u) = W [h_v, h_u, 1]``. An edge is what would go along it next, both ways:
    ``E_uv = m(u, v) + m(v, u)`` (message). The shorter list of edges is padded with zeros to the length of the other.
    ``S = Sinkhorn(F(E) F(E')^T / temperature)`` with F Linear-ReLU-Linear (alignment), and 0 for F of padding.

    The score is one-sided, as it was made for finding subgraphs: what only the target has costs nothing, unless vectors
    learn to be negative, and the costs of edits have no part in it but as features.

    Other than in the original, lists are padded to the longer of the pair, not to the longest of a dataset, so that
    edges of both graphs are not left over together, and there is no limit to their number; there is no Gumbel noise;
    and the loss is the squared error of the distance, not a ranking loss.

    2,705 parameters at one feature a node; the GraphEdX paper says 2,595.
    """

    def __init__(self, config: ISONETConfig) -> None:
        super().__init__()
        self.config: ISONETConfig = config
        self.nodes = GatedPropagation(config.inputs, config.width, config.message, config.layers)
        self.alignment = two_layers(config.message, config.alignment, config.alignment)

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
        alignment = AlignmentOptions(
            temperature=self.config.temperature, iterations=self.config.iterations, by=AlignBy.PRODUCT
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
