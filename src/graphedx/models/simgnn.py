"""SimGNN: two graphs by their vectors, and by a histogram of how similar their nodes are.

Reference: Bai, Ding, Bian, Chen, Sun, Wang: SimGNN: A Neural Network Approach to Fast Graph Similarity Computation,
WSDM 2019.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call

from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.chunks import chunks
from graphedx.models.layers.convolution import GraphConvolutions
from graphedx.models.layers.neural_tensor import NeuralTensorNetwork
from graphedx.models.layers.pooling import AttentionPooling
from graphedx.models.layers.rows import padded_rows
from graphedx.models.layers.scores import distance_of

_MOST = 10**6
_NUDGE = 1e-6  # of a bin: similarities that are 1/2 but for rounding lie within one


@dataclass(frozen=True, slots=True, kw_only=True)
class SimGNNConfig(BaselineConfig):
    """The inner sizes are those with which the model has about as many weights as in the paper."""

    layers: int = 3
    slices: int = 8  # of the neural tensor network
    bins: int = 16  # of the histogram
    hidden: int = 16  # relu: some die in training, and of few of them too many

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "slices", "bins", "hidden")


class _Encoded(NamedTuple):
    graph: Tensor  # (graphs, width)
    node: Tensor  # (nodes, width) float64, without gradients


@register("simgnn", SimGNNConfig)
class SimGNN(Baseline):
    """``s = sigmoid(w . relu(W [NTN(g, g'), hist(sigmoid(X X'^T))]))``, and from the similarity s to the distance.

    X (n, width) are the nodes' vectors after the graph convolutions, g their attention pooling, NTN a neural tensor
    network with some ``slices``. The histogram has ``bins`` equal bins over [0, 1] and sums to 1. Both graphs count as
    having max(n, n') nodes: the vectors of those that are not there are zero, so their similarities are 1/2.

    A histogram has no gradient: it is a plain feature, and the convolutions learn through g alone, as published. It has
    steps, too: what rounding moves across the edge of a bin changes the guess. Therefore the similarities are computed
    in double precision, where that does not happen in practice. Nothing else differs from the original but the sizes,
    and that there is no dropout.

    1,775 parameters at one feature a node; the GraphEdX paper says 1,773.
    """

    output = "similarity"

    def __init__(self, config: SimGNNConfig) -> None:
        super().__init__()
        self.config: SimGNNConfig = config
        self.nodes = GraphConvolutions(config.inputs, config.width, config.layers)
        self.pooling = AttentionPooling(config.width)
        self.tensor_network = NeuralTensorNetwork(config.width, config.slices)
        self.hidden = nn.Linear(config.slices + config.bins, config.hidden)
        self.similarity = nn.Linear(config.hidden, 1)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> _Encoded:
        x = self.inputs(graphs, costs)
        with torch.no_grad():
            weights = {name: weight.double() for name, weight in self.nodes.named_parameters()}
            node = functional_call(self.nodes, weights, (x.double(), graphs))[-1]
        return _Encoded(self.pooling(self.nodes(x, graphs)[-1], graphs), node)

    def compare(self, graphs: GraphBatch, encoded: _Encoded, pairs: Tensor, costs: Tensor) -> Tensor:
        source, target = encoded.graph[pairs].unbind(1)
        histogram = node_histograms(encoded.node, graphs.sizes, pairs, self.config.bins).to(source)
        both = torch.cat([self.tensor_network(source, target), histogram], 1)
        similarity = torch.sigmoid(self.similarity(torch.relu(self.hidden(both)))[:, 0])
        return distance_of(similarity, graphs.sizes, pairs)


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
