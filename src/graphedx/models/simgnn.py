"""SimGNN: the similarity of two graphs from their vectors, by a neural tensor network.

Reference: Bai, Ding, Bian, Chen, Sun, Wang: SimGNN: A Neural Network Approach to Fast Graph Similarity Computation,
WSDM 2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call

from graphedx.errors import ModelError
from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.chunks import chunks
from graphedx.models.layers.convolution import GraphConvolutions
from graphedx.models.layers.neural_tensor import NeuralTensorNetwork
from graphedx.models.layers.pooling import AttentionPooling
from graphedx.models.layers.propagation import two_layers
from graphedx.models.layers.rows import padded_rows
from graphedx.models.layers.scores import distance_of

_MOST = 10**6
_NUDGE = 1e-6  # of a bin: similarities that are 1/2 but for rounding lie within one


@dataclass(frozen=True, slots=True, kw_only=True)
class SimGNNConfig(BaselineConfig):
    """The configuration of the GraphEdX paper, which leaves out the histogram of the original."""

    layers: int = 3
    slices: int = 10  # of the neural tensor network
    bins: int = 0  # of the histogram of node similarities; 0 for none, 16 in the original
    hidden: int = 16

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "slices", "hidden")
        if not 0 <= self.bins <= _MOST:
            raise ModelError(f"bins must be between 0 and {_MOST:,}, got {self.bins:,}")

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        return 2


class _Encoded(NamedTuple):
    graph: Tensor  # (graphs, width)
    node: Tensor  # (nodes, width) float64, without gradients; (nodes, 0) if there is no histogram


@register("simgnn", SimGNNConfig)
class SimGNN(Baseline):
    """``s = sigmoid(w . relu(W NTN(g, g')))``, and from the similarity s to the distance.

    X (n, width) are the nodes' vectors after the graph convolutions, g their attention pooling, NTN a neural tensor
    network with ReLU and some ``slices``. No dropout.

    With ``bins`` the histogram of the original is added to the inputs of W: of ``sigmoid(X X'^T)``, in equal bins over
    [0, 1], with sum 1. Both graphs are padded to max(n, n') nodes with zero vectors, whose similarities are 1/2. A
    histogram has no gradient: the convolutions learn through g alone. It has steps, too: rounding that moves a
    similarity to another bin changes the estimate. Therefore similarities are computed in double precision.

    1,773 parameters at four features per node, as in the GraphEdX paper.
    """

    output = "similarity"

    def __init__(self, config: SimGNNConfig) -> None:
        super().__init__()
        self.config: SimGNNConfig = config
        self.nodes = GraphConvolutions(config.inputs, config.width, config.layers)
        self.pooling = AttentionPooling(config.width)
        self.tensor_network = NeuralTensorNetwork(config.width, config.slices)
        self.score = two_layers(config.slices + config.bins, config.hidden, 1)
        linear = self.tensor_network.linear
        for weight in (self.pooling.context.weight, self.tensor_network.bilinear, linear.weight, linear.bias[:, None]):
            nn.init.xavier_uniform_(weight)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> _Encoded:
        x = self.inputs(graphs, costs)
        return _Encoded(self.pooling(self.nodes(x, graphs)[-1], graphs), self._precise(x, graphs))

    def compare(self, graphs: GraphBatch, encoded: _Encoded, pairs: Tensor, costs: Tensor) -> Tensor:
        source, target = encoded.graph[pairs].unbind(1)
        features = self.tensor_network(source, target)
        if self.config.bins:
            histogram = node_histograms(encoded.node, graphs.sizes, pairs, self.config.bins).to(source)
            features = torch.cat([features, histogram], 1)
        return distance_of(torch.sigmoid(self.score(features)[:, 0]), graphs.sizes, pairs)

    def _precise(self, x: Tensor, graphs: GraphBatch) -> Tensor:
        """The node vectors for the histogram."""
        if not self.config.bins:
            return x.new_empty(len(x), 0, dtype=torch.float64)
        with torch.no_grad():
            weights = {name: weight.double() for name, weight in self.nodes.named_parameters()}
            node: Tensor = functional_call(self.nodes, weights, (x.double(), graphs))[-1]
            return node


def node_histograms(rows: Tensor, sizes: Tensor, pairs: Tensor, bins: int) -> Tensor:
    """(K, bins) how the similarities ``sigmoid(x_u . x'_v)`` of the nodes of two graphs are spread; without gradients.

    ``rows`` (nodes, d) are those of all graphs, of these ``sizes``; each histogram sums to 1, or to 0 without any node.
    """
    with torch.no_grad():
        return torch.cat([_histograms(rows, sizes, part, bins) for part in chunks(pairs, sizes)])


def _histograms(rows: Tensor, sizes: Tensor, pairs: Tensor, bins: int) -> Tensor:
    source, target = (padded_rows(rows, sizes, which) for which in pairs.T)
    n, m = sizes[pairs].unbind(1)
    place = (torch.sigmoid(source[0] @ target[0].transpose(1, 2)) * bins).add_(_NUDGE).long().clamp_(max=bins - 1)
    # All cells of the padded tensors that hold no pair of nodes go to a bin of their own, which is dropped.
    place.masked_fill_(~(source[1][:, :, None] & target[1][:, None, :]), bins)
    counts = rows.new_zeros(len(pairs), bins + 1)
    counts.scatter_add_(1, place.flatten(1), rows.new_ones(()).expand(place.flatten(1).shape))
    cells = torch.maximum(n, m) ** 2
    counts[:, int(bins / 2 + _NUDGE)] += cells - n * m
    return counts[:, :bins] / cells.clamp(min=1)[:, None]
