"""ERIC: graphs are compared by vectors at every scale; a penalty while it is trained stands in for matching nodes.

Reference: Zhuo, Tan: Efficient Graph Similarity Computation with Alignment Regularization, NeurIPS 2022.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from graphedx.errors import ModelError
from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch, starts
from graphedx.models.layers.gin import normalised_gin
from graphedx.models.layers.neural_tensor import NeuralTensorNetwork
from graphedx.models.layers.pooling import node_sums
from graphedx.models.layers.propagation import two_layers
from graphedx.models.layers.scores import distance_of

_MOST = 10**6
_SHORT = 1e-3  # vectors shorter than this have no direction to speak of


@dataclass(frozen=True, slots=True, kw_only=True)
class EricConfig(BaselineConfig):
    """Those of the comparison; ``alignment_weight`` is a fixed number where the original learns it."""

    slices: int = 10  # of the neural tensor network
    hidden: int = 16  # of the network that judges all scales
    alignment_weight: float = 1.0

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "slices", "hidden")
        if not (math.isfinite(self.alignment_weight) and self.alignment_weight >= 0):
            raise ModelError(f"alignment_weight must be finite and >= 0, got {self.alignment_weight!r}")


class _EachLayer(nn.Module):
    """A linear layer of its own for each of L layers, and ReLU: (rows, L d) to (rows, L d)."""

    def __init__(self, layers: int, width: int) -> None:
        super().__init__()
        bound = 1 / math.sqrt(width)  # as nn.Linear has it
        self.weight = nn.Parameter(torch.empty(layers, width, width).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(layers * width).uniform_(-bound, bound))

    def forward(self, rows: Tensor) -> Tensor:
        # One product, of zeros for the most part, takes less time than many small ones.
        blocks: Tensor = torch.block_diag(*self.weight)  # type: ignore[no-untyped-call]
        return torch.relu(torch.addmm(self.bias, rows, blocks))


@register("eric", EricConfig)
class Eric(Baseline):
    """Two judges of how similar graphs are: one sees the vectors of all layers, one those of the last.

    ``h_l = relu(norm(MLP_l(2 h_{l-1} + sum of h_{l-1} over neighbours)))``, (nodes, width), ``l = 1 .. L``;
    ``g_l = relu(V_l sum_u relu(W_l h_l[u]))``, (graphs, width), biases left out. With ``e = exp(-(g - g')^2)`` of all
    layers, (L width,), and the neural tensor network NTN,

    ``similarity = m sigmoid(MLP(e)) + (1 - m) sigmoid(MLP(NTN(g_L, g_L')))``, ``0 < m < 1`` learned.

    **The alignment regulariser** is a part of the loss in every step of the training, and no part of the inference. If
    two graphs can be aligned, a node has to the other graph the relation that it has to its own. With
    ``s_l = sum_u h_l[u]`` and ``r(h, s) = log 2 - log(1 + exp(-cos(h, s)))``, the penalty of a pair is the mean of
    ``| r(h_l[u], s_l) - r(h_l[u], s_l') |`` over its layers and the nodes of both graphs, each with its own graph and
    the other. The method's own paper has it on throughout, and we follow that; the reference code of the paper's
    comparison switches it off for good when it first evaluates, after one epoch.

    Where we deviate: the regulariser is taken per layer and node, so that differences do not cancel, and of cosines:
    products with sums over nodes saturate, which leaves nothing to learn from. Its weight and the share m have bounds:
    the original learns both without, and a similarity below 0 is no distance.

    5,930 parameters at four features per node. The GraphEdX paper counts 5,932: it learns a factor for each judge and
    one for the regulariser; here the judges share one, and the regulariser's is a setting.
    """

    output: ClassVar[Literal["distance", "similarity"]] = "similarity"
    config: EricConfig

    def __init__(self, config: EricConfig) -> None:
        super().__init__()
        self.config = config
        width, layers = config.width, config.layers
        inputs = (config.inputs, *(layers - 1) * (width,))
        self.layers = nn.ModuleList(normalised_gin(size, width, eps=1.0) for size in inputs)
        self.inner, self.outer = _EachLayer(layers, width), _EachLayer(layers, width)
        scales, half = layers * width, max(1, layers * width // 2)
        self.by_scales = nn.Sequential(two_layers(scales, half, half), nn.Tanh(), two_layers(half, config.hidden, 1))
        self.tensor = NeuralTensorNetwork(width, config.slices)
        self.by_tensor = two_layers(config.slices, config.slices, 1)
        self.mix = nn.Parameter(torch.zeros(()))

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(graphs, L width)"""
        return self._vectors(self._nodes(graphs, costs), graphs)

    def compare(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor, costs: Tensor) -> Tensor:
        source, target = encoded[pairs[:, 0]], encoded[pairs[:, 1]]  # (K, L width)
        by_scales = self.by_scales(torch.exp(-((source - target) ** 2)))
        last = slice(-self.config.width, None)
        by_tensor = self.by_tensor(self.tensor(source[:, last], target[:, last]))
        share = torch.sigmoid(self.mix)
        similarity = share * torch.sigmoid(by_scales) + (1 - share) * torch.sigmoid(by_tensor)
        return distance_of(similarity.squeeze(1), graphs.sizes, pairs)

    def distances_and_penalty(
        self, graphs: GraphBatch, pairs: Tensor, costs: Tensor, evidence: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        nodes = self._nodes(graphs, costs)
        distances = self.compare(graphs, self._vectors(nodes, graphs), pairs, costs)
        penalty = misalignment(nodes, self.config.layers, graphs, pairs).mean()
        return distances, self.config.alignment_weight * penalty

    def _nodes(self, graphs: GraphBatch, costs: Tensor | None) -> Tensor:
        """(nodes, L width)"""
        h, found = self.inputs(graphs, costs), []
        for layer in self.layers:
            h = torch.relu(layer(h, graphs.edge_index))
            found.append(h)
        return torch.cat(found, 1)

    def _vectors(self, nodes: Tensor, graphs: GraphBatch) -> Tensor:
        vectors: Tensor = self.outer(node_sums(self.inner(nodes), graphs))
        return vectors


def misalignment(nodes: Tensor, layers: int, graphs: GraphBatch, pairs: Tensor) -> Tensor:
    """(K,) how much the relations of nodes (nodes, layers d) to the other graph differ from those to their own.

    From 0 to log 2, and 0 for pairs without nodes; ``Eric`` says what it is. O(d) a layer and node of each pair.
    """
    every = node_sums(nodes, graphs)
    node_ways, graph_ways = _directions(nodes, layers), _directions(every, layers)
    ends, others = pairs.T.flatten(), pairs.flip(1).T.flatten()  # (2 K,)
    counts = graphs.sizes[ends]
    end = torch.repeat_interleave(torch.arange(len(ends), device=ends.device), counts)  # of each node of each pair
    node = torch.arange(len(end), device=ends.device) + (graphs.node_starts[ends] - starts(counts)[:-1])[end]
    own = _relations(node_ways, graph_ways.index_select(0, graphs.graph_of_node), layers)
    cross = _relations(node_ways.index_select(0, node), graph_ways.index_select(0, others[end]), layers)
    differences = (own.index_select(0, node) - cross).abs().mean(1)
    total = differences.new_zeros(len(pairs)).index_add(0, end % max(1, len(pairs)), differences)
    return total / graphs.sizes[pairs].sum(1).clamp(min=1)


def _directions(rows: Tensor, layers: int) -> Tensor:
    """The rows with the vector of each layer at length 1."""
    vectors = rows.view(len(rows), layers, rows.shape[1] // layers)
    return nn.functional.normalize(vectors, dim=2, eps=_SHORT).flatten(1)


def _relations(nodes: Tensor, graphs: Tensor, layers: int) -> Tensor:
    """(rows, layers): the Jensen-Shannon estimator's view of how well nodes and graphs go together, of directions."""
    cosine = (nodes * graphs).view(len(nodes), layers, nodes.shape[1] // layers).sum(2)
    return math.log(2) - nn.functional.softplus(-cosine)
