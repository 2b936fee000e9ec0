"""H2MN: hypergraphs of random walks, whose hyperedges are matched across the two graphs at every level.

Reference: Zhang, Bu, Ester, Li, Yao, Yu, Wang: H2MN: Graph Similarity Learning with Hierarchical Hypergraph Matching
Networks, KDD 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from graphedx.errors import ModelError
from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.chunks import chunks
from graphedx.models.layers.convolution import GraphConvolutions
from graphedx.models.layers.hypergraph import Hypergraphs, walk_hypergraphs
from graphedx.models.layers.pooling import AttentionPooling
from graphedx.models.layers.rows import padded_rows

_MOST_STEPS = 100
_SLOPE = 0.2  # negative slope of leaky_relu
_FADE = 1e-2  # weights fall from 1 to 0 within this distance below the score of the last hyperedge that is kept
_EPSILON, _NORM = 1e-6, 1e-12  # added to denominators


@dataclass(frozen=True, slots=True, kw_only=True)
class H2MNConfig(BaselineConfig):
    """The configuration of the GraphEdX paper."""

    layers: int = 3  # levels of the hypergraph
    steps: int = 5  # of a walk, and nodes of a hyperedge
    ratio: float = 0.8  # of the hyperedges that are kept at the last level; the others keep all

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST_STEPS, "steps")
        if not 0 < self.ratio <= 1:
            raise ModelError(f"ratio must be > 0 and at most 1, got {self.ratio!r}")

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        return 2


class _Encoded(NamedTuple):
    graph: Tensor  # (graphs, width) before there are hyperedges
    hyperedge: Tensor  # (nodes, width) of the first level
    score: Tensor  # (nodes, 1)
    hypergraph: Hypergraphs  # flat


class _Level(nn.Module):
    """One level of the hypergraph: convolution, scores of hyperedges, matching, read-out.

    Vectors are columns here, (B, width, N): on a CPU products with small matrices take less time so.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.convolution = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)
        self.perspectives = nn.Parameter(torch.empty(width, width))
        self.pooling = AttentionPooling(width)

    def hyperedges(self, mixed: Tensor, graphs: Hypergraphs) -> tuple[Tensor, Tensor]:
        """(B, width, N) vectors of hyperedges, times their scores (B, N); ``mixed`` are the inputs of the nodes."""
        nodes = leaky_relu(_linear(self.convolution, mixed), _SLOPE)
        mean = nodes @ graphs.mean.transpose(1, 2)
        first = torch.sigmoid((graphs.back * _linear(self.score, mean)).sum(2))  # (B, N) initial values of PageRank
        score = (graphs.rank * first[:, None]).sum(2)
        return _attended(nodes, mean, graphs.mean) * score[:, None], score

    def matched(self, hyperedge: Tensor, weight: Tensor) -> Tensor:
        """(2 K, width, N) each hyperedge against those of the other graph; the K sources come first."""
        unit = hyperedge * torch.rsqrt(hyperedge.square().sum(1, keepdim=True) + _NORM)
        weighted = torch.cat([hyperedge * weight[:, None], weight[:, None]], 1)
        (source, target), (unit_source, unit_target) = weighted.chunk(2), unit.chunk(2)
        similarity = torch.relu(unit_source.transpose(1, 2) @ unit_target)  # (K, N, N)
        sums = torch.cat([target @ similarity.transpose(1, 2), source @ similarity])  # (2 K, width + 1, N)
        other = sums[:, :-1] / (sums[:, -1:] + _EPSILON)
        products = torch.cat([hyperedge * other, hyperedge.square(), other.square()])
        both, own, others = torch.einsum("pd,bdn->bpn", self.perspectives.square(), products).chunk(3)
        return both * torch.rsqrt((own + _EPSILON) * (others + _EPSILON))


def _attended(nodes: Tensor, mean: Tensor, incidence: Tensor) -> Tensor:
    """(B, width, N) attention over the nodes of each hyperedge, by their products with its mean; 0 for padding.

    ``nodes`` and ``mean`` are (B, width, N), ``incidence`` (B, N, N) is positive where a hyperedge has a node.
    """
    member = incidence > 0
    scores = (mean.transpose(1, 2) @ nodes).masked_fill(~member, torch.finfo(nodes.dtype).min / 2)
    return nodes @ (torch.softmax(scores, 2) * member).transpose(1, 2)


def _linear(layer: nn.Linear, columns: Tensor) -> Tensor:
    """A linear layer of columns (B, d, N)."""
    return torch.einsum("od,bdn->bon", layer.weight, columns) + layer.bias[:, None]


@register("h2mn", H2MNConfig)
class H2MN(Baseline):
    """``MLP([g_0, g'_0, ..., g_L, g'_L])``, which is the distance itself.

    g_0 is the attention pooling of the nodes' vectors after one graph convolution. Every node e has a hyperedge H[e]:
    those ``steps`` nodes that a random walk from it visits most often. At level l, with D[u] the hyperedges of node u:

        X_l = leaky_relu(D^-1 H^T |e|^-1 M_{l-1} W_l + b_l)                    vectors of nodes; M_0 = H X_0
        c_l = |e|^-1 H PageRank(sigmoid(D^-1 H^T |e|^-1 H X_l w_l + a_l))      scores of hyperedges
        E_l[e] = c_l[e] * sum_u softmax_u(X_l[u] . mean_l[e]) X_l[u]           vectors of hyperedges; over nodes u of e
        O_l = rows of relu(cos(E_l, E'_l)) E'_l, divided by their weights      attention to the other graph
        M_l[e, p] = cos(Q_l[p] * E_l[e], Q_l[p] * O_l[e])                      from ``width`` perspectives p
        g_l = attention pooling of M_l

    The last level keeps a ``ratio`` of the hyperedges, those of the highest scores.

    Differences from the original: it draws one walk per node, here the expected number of visits decides, ties
    included, so that the same graph always gives the same hypergraph. It cuts off at a rank, so that of hyperedges with
    equal scores some are dropped; here those that tie with the last one stay, and the weights of those at most 0.01
    below fade out, so that rounding changes nothing. Its code sorts hyperedges by score without their nodes; here each
    hyperedge keeps its nodes. No dropout.

    3,004 parameters at four features per node, as in the GraphEdX paper.
    """

    interaction = "early"

    def __init__(self, config: H2MNConfig) -> None:
        super().__init__()
        self.config: H2MNConfig = config
        width = config.width
        self.nodes = GraphConvolutions(config.inputs, width, 1)
        self.pooling = AttentionPooling(width)
        self.levels = nn.ModuleList(_Level(width) for _ in range(config.layers))
        sizes = [2 * width * (config.layers + 1), 2 * width, width, max(1, width // 2)]
        hidden = [part for pair in pairwise(sizes) for part in (nn.Linear(*pair), nn.ReLU())]
        self.score = nn.Sequential(*hidden, nn.Linear(sizes[-1], 1))
        for weight in self.parameters():
            nn.init.xavier_uniform_(weight) if weight.ndim > 1 else nn.init.zeros_(weight)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> _Encoded:
        x = leaky_relu(self.nodes(self.inputs(graphs, costs), graphs)[0], _SLOPE)
        parts, hypergraphs = [], []
        for part in chunks(torch.arange(len(graphs), device=x.device), graphs.sizes):
            dense = walk_hypergraphs(graphs if len(part) == len(graphs) else graphs.select(part), self.config.steps)
            rows, there = padded_rows(x, graphs.sizes, part)
            means = rows.transpose(1, 2) @ dense.mean.transpose(1, 2)
            hyperedge, score = self._level(0).hyperedges(means @ dense.back.transpose(1, 2), dense)
            parts.append((hyperedge.transpose(1, 2)[there], score[there][:, None]))
            hypergraphs.append(dense.flat(graphs.sizes[part]))
        hyperedge, score = self.joined(parts)
        return _Encoded(self.pooling(x, graphs), hyperedge, score, self.joined(hypergraphs))

    def compare(self, graphs: GraphBatch, encoded: _Encoded, pairs: Tensor, costs: Tensor) -> Tensor:
        return torch.cat([self._distances(graphs.sizes, encoded, part) for part in chunks(pairs, graphs.sizes)])

    def _distances(self, sizes: Tensor, encoded: _Encoded, pairs: Tensor) -> Tensor:
        which = pairs.T.flatten()  # sources, then targets: (2 K,)
        rows, there = padded_rows(torch.cat([encoded.hyperedge, encoded.score], 1), sizes, which)
        hyperedge, score = rows[:, :, :-1].transpose(1, 2).contiguous(), rows[:, :, -1]
        dense = encoded.hypergraph.padded(sizes, which)
        shrunk = dense.back.transpose(1, 2) * dense.mean.square().sum(2, keepdim=True)  # back^T / |e|
        weight = there.to(hyperedge)
        read = [encoded.graph[which]]
        for number in range(self.config.layers):
            level = self._level(number)
            if number:
                hyperedge, score = level.hyperedges(hyperedge @ shrunk, dense)
            if number == self.config.layers - 1:
                weight = kept(score, sizes[which], self.config.ratio)
            hyperedge = level.matched(hyperedge, weight)
            read.append(level.pooling.padded(hyperedge, weight))
        distances: Tensor = self.score(torch.cat([side for part in read for side in part.chunk(2)], 1))[:, 0]
        return distances

    def _level(self, number: int) -> _Level:
        level = self.levels[number]
        assert isinstance(level, _Level)
        return level


def kept(scores: Tensor, counts: Tensor, ratio: float) -> Tensor:
    """(B, N) 1 for the best of each row (B, N), a ``ratio`` of its first ``counts`` (B,), 0 for all others.

    Those that tie with the last one are kept, too; what is little below it counts in part. There is no gradient.

    >>> kept(torch.tensor([[0.3, 0.5, 0.3, 0.1, 0.9]]), torch.tensor([4]), 0.5)
    tensor([[1., 1., 1., 0., 0.]])
    """
    there = torch.arange(scores.shape[1], device=scores.device) < counts[:, None]
    if not scores.numel():
        return there.to(scores)
    known = scores.detach().masked_fill(~there, -1.0)
    number = torch.ceil(ratio * counts.double() - 1e-9).long()
    last = known.sort(1, descending=True).values.gather(1, (number - 1).clamp(min=0)[:, None])
    return (1 + (known - last) / _FADE).clamp(0, 1) * there
