"""GMN-Match: as GMN-Embed, with attention between the nodes of the two graphs in every step.

Reference: Li, Gu, Dullien, Vinyals, Kohli: Graph Matching Networks for Learning the Similarity of Graph Structured
Objects, ICML 2019.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from graphedx.models.base import register
from graphedx.models.baseline import Baseline
from graphedx.models.batching import GraphBatch, starts
from graphedx.models.gmn_embed import GMNConfig
from graphedx.models.layers.pooling import GatedSum
from graphedx.models.layers.propagation import two_layers
from graphedx.models.layers.rows import padded_rows
from graphedx.models.layers.scores import cost_guided, euclidean

NODE_PAIRS_AT_ONCE = 2**18
"""Between the graphs of pairs that are propagated together: a step of training on small graphs in one go, and many
pairs of any size in memory that does not grow with their number, if no gradients are kept."""


@register("gmn_match", GMNConfig)
class GMNMatch(Baseline):
    """``|| g - g' ||_2`` of the graphs' vectors, each of which depends on the other graph.

    ``h_u`` (width) starts as an MLP of u's features. In each of ``layers`` steps, which share their weights, u attends
    to all nodes u' of the other graph: ``a_uu' = softmax_u'(h_u . h'_u')``, ``mu_u = h_u - sum_u' a_uu' h'_u'``,
    ``h_u <- GRU([sum_v M [h_v, h_u, 1], mu_u], h_u)`` over neighbours v. If the other graph has no nodes, ``mu_u`` is
    ``h_u``. The graph's vector is the gated sum of its nodes, ``g = T sum_u sigmoid(W z_u) * (V z_u)`` with
    ``z_u = relu(U h_u)`` (graph_size).

    Differences from the original, all as in the GraphEdX paper: messages have one linear layer instead of two, edges
    have the constant feature 1, the sizes are smaller, and the loss is the squared error of the distance.

    2,300 parameters at four features per node, as in the GraphEdX paper.
    """

    interaction: ClassVar[Literal["early", "late"]] = "early"

    def __init__(self, config: GMNConfig) -> None:
        super().__init__()
        self.config: GMNConfig = config
        self.encoder = two_layers(config.inputs, config.width, config.width)
        self.matching = MatchingPropagation(config.width, config.message, config.layers)
        self.pooling = GatedSum(config.width, config.graph_size)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(nodes, width): what nodes are before they have seen any other."""
        h: Tensor = self.encoder(self.inputs(graphs, costs))
        return h

    def compare(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor, costs: Tensor) -> Tensor:
        order, parts = _by_size(graphs.sizes[pairs].amax(1)), []
        for some in order:
            source, target = self._vectors(graphs, encoded, pairs[some]).chunk(2)
            guided = self.config.cost_guided
            parts.append(cost_guided(source, target, costs) if guided else euclidean(source, target))
        return torch.cat(parts)[torch.cat(order).argsort()]

    def _vectors(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor) -> Tensor:
        """(2K, graph_size): of all sources, then of all targets."""
        h, there = self.matching(encoded, graphs, pairs)
        vectors: Tensor = self.pooling.transform((self.pooling.gated(h) * there[..., None]).sum(1))
        return vectors


class MatchingPropagation(nn.Module):
    """Node vectors of both graphs of each pair after ``steps`` rounds of messages within graphs and looks across.

    Sources and targets of all pairs are one tensor. What comes into the recurrent unit is linear in a node, the sum of
    its neighbours, its degree times it, its degree, and what it sees, so all gates are one product of matrices.
    Features come first: then each gate is one piece of memory.
    """

    def __init__(self, width: int, message: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.message = nn.Linear(2 * width + 1, message)
        self.update = nn.GRUCell(message + width, width)

    def forward(self, rows: Tensor, graphs: GraphBatch, pairs: Tensor) -> tuple[Tensor, Tensor]:
        """(2K, M, width), sources first, zeros where there is no node, and where there is one (2K, M)."""
        which = pairs.T.reshape(-1)
        nodes, there = padded_rows(rows, graphs.sizes, which)
        copies, slots, width = nodes.shape
        half = copies // 2
        adjacency = _adjacency(graphs, which, slots).to(rows)  # (2K, M, M)
        degree = adjacency.sum(2).view(1, -1)
        seen = there[:half, :, None] & there[half:, None, :]
        # Finite, so that who sees no node has a softmax too.
        unseen = rows.new_zeros(seen.shape).masked_fill(~seen, torch.finfo(rows.dtype).min / 2)
        weights, constant, present = self._gates(), torch.ones_like(degree), there.view(-1)
        h = nodes.view(-1, width).T.contiguous()  # (width, 2KM)
        for _ in range(self.steps):
            by_copy = h.view(width, copies, slots).transpose(0, 1)  # (2K, width, M)
            source, target = by_copy[:half], by_copy[half:]
            scores = torch.baddbmm(unseen, source.transpose(1, 2), target)  # (K, M, M)
            from_target = target @ torch.softmax(scores, 2).transpose(1, 2)  # (K, width, M)
            from_source = source @ torch.softmax(scores, 1)
            attended, neighbours = torch.cat([from_target, from_source]), by_copy @ adjacency  # (2K, width, M)
            flat = [part.transpose(0, 1).reshape(width, -1) for part in (neighbours, attended)]
            inputs = torch.cat([h, flat[0], degree * h, degree, flat[1], constant])  # (4 width + 2, 2KM)
            # Padding stays zero: who looks at nothing but padding sees nothing.
            h = _gated_update(weights @ inputs, h) * present
        return h.view(width, copies, slots).permute(1, 2, 0), there

    def _gates(self) -> Tensor:
        """(4 width, 4 width + 2): reset, update, the candidate's input and the candidate's hidden part."""
        unit, width, size = self.update, self.update.hidden_size, self.message.out_features
        constant = self.message.weight[:, -1] + self.message.bias
        message = unit.weight_ih[:, :size] @ torch.cat([self.message.weight[:, :-1], constant[:, None]], 1)
        look = unit.weight_ih[:, size:]  # at h - attended
        hidden, both = unit.weight_hh, 2 * width
        of_node = torch.cat([look[:both] + hidden[:both], look[both:], hidden[both:]])
        of_others = nn.functional.pad(torch.cat([message, -look], 1), (0, 0, 0, width))
        bias = torch.cat([unit.bias_ih[:both] + unit.bias_hh[:both], unit.bias_ih[both:], unit.bias_hh[both:]])
        return torch.cat([of_node, of_others, bias[:, None]], 1)


def _gated_update(gates: Tensor, h: Tensor) -> Tensor:
    """The gated recurrent unit, from all that is linear in it (4 width, N), and h (width, N)."""
    width = len(h)
    reset, update = torch.sigmoid(gates[: 2 * width]).chunk(2)
    candidate = torch.tanh(torch.addcmul(gates[2 * width : 3 * width], reset, gates[3 * width :]))
    return torch.lerp(candidate, h, update)


def _adjacency(graphs: GraphBatch, which: Tensor, slots: int) -> Tensor:
    """(K, M, M) bool: of each chosen graph, in so many slots."""
    slot = torch.arange(slots, device=which.device)
    high, low = torch.maximum(slot[:, None], slot), torch.minimum(slot[:, None], slot)
    real = (low < high) & (high < graphs.sizes[which][:, None, None])
    first = starts(graphs.pair_counts)[which][:, None, None]
    place = torch.where(real, first + high * (high - 1) // 2 + low, len(graphs.adjacency))
    return nn.functional.pad(graphs.adjacency, (0, 1))[place]


def _by_size(largest: Tensor) -> list[Tensor]:
    """Places of pairs (K,) by their larger graph, largest first, in parts that are propagated together."""
    order = largest.argsort(descending=True, stable=True)
    return list(torch.split(order, list(_part_sizes(largest[order].tolist())))) or [order]


def _part_sizes(sizes: list[int]) -> Iterator[int]:
    first = 0
    while first < len(sizes):
        fitting = NODE_PAIRS_AT_ONCE // max(1, sizes[first] ** 2)
        part = min(max(1, fitting), len(sizes) - first)
        yield part
        first += part
