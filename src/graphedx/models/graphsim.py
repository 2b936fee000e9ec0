"""GraphSim: the similarities of all pairs of nodes as images, at several scales, and a network that looks at images.

Reference: Bai, Ding, Gu, Sun, Wang: Learning-based Efficient Graph Similarity Computation via Multi-Scale Convolutional
Set Matching, AAAI 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, pad

from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.convolution import GraphConvolutions
from graphedx.models.layers.image_convolution import ImageConvolution
from graphedx.models.layers.rows import padded_rows
from graphedx.models.layers.scores import distance_of

_MOST, _MOST_NODES = 10**6, 1000
KERNELS, WINDOWS = (10, 6, 4, 2), (3, 3, 3, 2)  # of the convolutions, and of the maxima after them
MOST_CELLS = 2**21
"""Of images at a time, all channels of all scales: 400 pairs of graphs of at most 20 nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSimConfig(BaselineConfig):
    """The inner sizes are those with which the model has about as many weights as in the paper."""

    layers: int = 3  # of graph convolutions; each is a scale
    max_nodes: int = 20  # images have this size
    channels: int = 4  # of the first two convolutions of images; the other two have twice as many

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "channels")
        require_counts(self, _MOST_NODES, "max_nodes")


@register("graphsim", GraphSimConfig)
class GraphSim(Baseline):
    """``s = sigmoid(MLP([CNN_1(X_1 X'_1^T), ..., CNN_L(X_L X'_L^T)]))``, and from the similarity s to the distance.

    X_l (n, width) are the nodes' vectors after l graph convolutions. The matrix of their dot products is padded with
    zeros to ``max_nodes`` rows and columns, and is an image. Each scale l has a network of its own: four times
    convolution, relu and maximum, with kernels of 10, 6, 4 and 2, over windows of 3, 3, 3 and 2, and the maximum of
    what is left.

    Differences from the original: it orders nodes by breadth-first search, where nodes that tie come in any order, so
    that a graph whose nodes are renumbered may get another guess. Here the most central nodes come first, by
    ``centrality``, and nodes that tie have the same vectors. Images are padded, and not resized: all have one size.

    6,265 parameters at one feature a node; the GraphEdX paper says 6,331.
    """

    output = "similarity"

    def __init__(self, config: GraphSimConfig) -> None:
        super().__init__()
        self.config: GraphSimConfig = config
        self.nodes = GraphConvolutions(config.inputs, config.width, config.layers)
        channels = (1, config.channels, config.channels, 2 * config.channels, 2 * config.channels)
        self.images = nn.ModuleList(
            ImageConvolution(config.layers, *sizes) for sizes in zip(channels, channels[1:], KERNELS, strict=False)
        )
        self.similarity = nn.Sequential(
            nn.Linear(channels[-1] * config.layers, 2 * config.width),
            nn.ReLU(),
            nn.Linear(2 * config.width, config.width),
            nn.ReLU(),
            nn.Linear(config.width, 1),
        )

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(nodes, layers * width): the vectors of every scale, the most central node of each graph first."""
        self.require_size(int(graphs.sizes.max()) if len(graphs) else 0)
        x = self.inputs(graphs, costs)
        # One round more than layers: a layer divides by the degrees of neighbours.
        order = torch.argsort(centrality(graphs, self.config.layers + 1), descending=True, stable=True)
        order = order[torch.argsort(graphs.graph_of_node[order], stable=True)]
        return torch.cat(self.nodes(x, graphs), 1)[order]

    def compare(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor, costs: Tensor) -> Tensor:
        cells = self.config.layers * self.config.channels * self.config.max_nodes**2
        parts = torch.split(pairs, max(1, MOST_CELLS // cells))
        features = torch.cat([self._features(encoded, graphs.sizes, part) for part in parts])
        return distance_of(torch.sigmoid(self.similarity(features)[:, 0]), graphs.sizes, pairs)

    def _features(self, encoded: Tensor, sizes: Tensor, pairs: Tensor) -> Tensor:
        """(K, layers * 2 channels)"""
        rows = (padded_rows(encoded, sizes, which)[0] for which in pairs.T)  # (K, N, layers width)
        source, target = (side.view(*side.shape[:2], self.config.layers, self.config.width) for side in rows)
        alike = source.permute(2, 0, 1, 3) @ target.permute(2, 0, 3, 1)  # (layers, K, N, N')
        below, beside = (self.config.max_nodes - size for size in alike.shape[2:])
        image = pad(alike, (0, beside, 0, below))[:, :, None]
        for convolution, window in zip(self.images, WINDOWS, strict=True):
            image = torch.relu(convolution(image))
            pooled = max_pool2d(image.flatten(0, 1), window, ceil_mode=True)
            image = pooled.view(*image.shape[:2], *pooled.shape[1:])
        return image.amax((3, 4)).transpose(0, 1).flatten(1)


def centrality(graphs: GraphBatch, rounds: int) -> Tensor:
    """(nodes,) float64: ``c <- c_0 + sum of sqrt(1 + c) over the neighbours``, where c_0 stands for the features.

    It grows with the neighbours, and with theirs. Sums of square roots are the same only by chance if they are not
    those of the same numbers, so that nodes tie which look the same within so many steps, and no others. It does not
    depend on what a model has learned, so that nodes stay in their places while it is trained.
    """
    with torch.no_grad():
        columns = torch.arange(graphs.x.shape[1], device=graphs.x.device, dtype=torch.float64)
        first = graphs.x.double() @ torch.log(2 + columns)
        found = first
        for _ in range(rounds):
            found = first.index_add(0, graphs.edge_index[1], torch.sqrt(1 + found)[graphs.edge_index[0]])
        return found
