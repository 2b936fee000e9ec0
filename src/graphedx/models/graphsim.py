"""GraphSim: node similarities at several scales as images, read by convolutional networks.

Reference: Bai, Ding, Gu, Sun, Wang: Learning-based Efficient Graph Similarity Computation via Multi-Scale Convolutional
Set Matching, AAAI 2020.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, pad

from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.convolution import GraphConvolutions
from graphedx.models.layers.image_convolution import ImageConvolution
from graphedx.models.layers.propagation import two_layers
from graphedx.models.layers.rows import padded_rows

_MOST, _MOST_NODES = 10**6, 1000
KERNELS, WINDOWS = (10, 6, 4, 2), (3, 3, 2, 2)  # sizes of the convolutions and of the max-pools
MOST_CELLS = 2**21
"""Cells of the first feature maps, over all scales and channels, that one part of a batch may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSimConfig(BaselineConfig):
    """The configuration of the GraphEdX paper."""

    max_nodes: int = 20  # images have this height and width
    channels: int = 2  # of the first convolution; the next three have 2, 3 and 4 times as many

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "channels")
        require_counts(self, _MOST_NODES, "max_nodes")

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        return 2


@register("graphsim", GraphSimConfig)
class GraphSim(Baseline):
    """``MLP([CNN_1(X_1 X'_1^T), ..., CNN_L(X_L X'_L^T)])``, which is the distance itself.

    X_l (n, width) are the node vectors after l graph convolutions, before the activation. The matrix of their dot
    products is an image, padded with zeros to ``max_nodes`` rows and columns. Each scale l has its own network: four
    times convolution, ReLU and max-pool, with kernels 10, 6, 4, 2, channels 2, 4, 6, 8 and windows 3, 3, 2, 2, then the
    maximum of the remaining cells: a single one up to 32 nodes. The MLP is Linear(40, 10)-ReLU-Linear(10, 1).

    Differences from the original: it takes nodes in the order of the input, so that a renumbered graph may get another
    estimate. Here nodes are sorted by ``centrality``; nodes that tie have the same vectors. No dropout.

    6,331 parameters at four features per node, as in the GraphEdX paper.
    """

    def __init__(self, config: GraphSimConfig) -> None:
        super().__init__()
        self.config: GraphSimConfig = config
        self.nodes = GraphConvolutions(config.inputs, config.width, config.layers)
        channels = (1, *(config.channels * times for times in range(1, len(KERNELS) + 1)))
        self.images = nn.ModuleList(
            ImageConvolution(config.layers, *sizes) for sizes in zip(channels, channels[1:], KERNELS, strict=False)
        )
        self.score = two_layers(channels[-1] * config.layers, config.width, 1)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(nodes, layers * width): the vectors of every scale; the nodes of a graph in order of falling centrality."""
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
        distances: Tensor = self.score(features)[:, 0]
        return distances

    def _features(self, encoded: Tensor, sizes: Tensor, pairs: Tensor) -> Tensor:
        """(K, layers * 4 channels)"""
        rows = (padded_rows(encoded, sizes, which)[0] for which in pairs.T)  # (K, N, layers width)
        source, target = (side.view(*side.shape[:2], self.config.layers, self.config.width) for side in rows)
        alike = source.permute(2, 0, 1, 3) @ target.permute(2, 0, 3, 1)  # (layers, K, N, N')
        below, beside = (self.config.max_nodes - size for size in alike.shape[2:])
        image = pad(alike, (0, beside, 0, below))[:, :, None]
        for convolution, window in zip(self.images, WINDOWS, strict=True):
            image = torch.relu(convolution(image))
            # ReLU makes zeros the least values, so that padding never is a maximum; ceil_mode drops no cell.
            pooled = max_pool2d(image.flatten(0, 1), window, padding=(window - 1) // 2, ceil_mode=True)
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
