"""EGSC, the teacher: at every layer the vectors of two graphs are fused into one, under gates that both of them set.

Reference: Qin, Zhao, Wang, Wang, Zhang, Fu: Slow Learning and Fast Inference: Efficient Graph Similarity Computation
via Knowledge Distillation, NeurIPS 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from graphedx.models.base import register, require_counts
from graphedx.models.baseline import Baseline, BaselineConfig
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.gin import normalised_gin
from graphedx.models.layers.pooling import AttentionPooling
from graphedx.models.layers.propagation import two_layers
from graphedx.models.layers.scores import distance_of

_MOST = 10**6
_REDUCTION = 4  # how much narrower the middle of a gate is


@dataclass(frozen=True, slots=True, kw_only=True)
class EgscConfig(BaselineConfig):
    """Those of the comparison: three layers, as the original has."""

    layers: int = 3
    hidden: int = 10  # before the score

    def __post_init__(self) -> None:
        BaselineConfig.__post_init__(self)
        require_counts(self, _MOST, "hidden")


class Gate(nn.Module):
    """Squeeze and excitation, (rows, d) to (rows, d): ``x + x * squash(MLP(x))``, the MLP narrow in the middle."""

    def __init__(self, width: int, squash: type[nn.Module]) -> None:
        super().__init__()
        self.gate = nn.Sequential(two_layers(width, max(1, width // _REDUCTION), width), squash())

    def forward(self, rows: Tensor) -> Tensor:
        share: Tensor = self.gate(rows)
        return rows + rows * share


class Fusion(nn.Module):
    """The vectors of two graphs (K, d) as one of the pair: gated together, then two layers: (K, d / 2)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate = Gate(2 * width, nn.Sigmoid)
        self.network = two_layers(2 * width, 2 * width, max(1, width // 2))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return torch.relu(self.network(self.gate(torch.cat([source, target], 1))))


@register("egsc", EgscConfig)
class Egsc(Baseline):
    """Vectors of graphs at every layer ``l = 1 .. L``, fused pair by pair, and a network that judges all of them.

    ``h_l = relu(norm(MLP_l((1 + eps_l) h_{l-1} + sum of h_{l-1} over neighbours)))``, (nodes, width), eps learned;
    ``g_l = pool_l(gate(h_l))``, (graphs, width): a gate with tanh, then SimGNN's attention; ``f_l = fusion_l(g_l,
    g_l')``, (pairs, width / 2). Then ``similarity = sigmoid(w relu(W gate([f_L, ..., f_1])))``. Gates are
    ``x + x * sigmoid(MLP(x))``.

    Nodes never see the other graph, so graphs are encoded once; the fusion of every layer's vectors is all the work of
    a pair. Its order matters: guesses are not the same both ways.

    3,648 parameters at four features per node. The GraphEdX paper counts 4,278: 630 of them belong to the published
    attention, which never uses them; they are left out here. There is no student: the GraphEdX paper compares with the
    teacher.
    """

    output: ClassVar[Literal["distance", "similarity"]] = "similarity"
    config: EgscConfig

    def __init__(self, config: EgscConfig) -> None:
        super().__init__()
        self.config = config
        width, layers = config.width, config.layers
        inputs = (config.inputs, *(layers - 1) * (width,))
        self.layers = nn.ModuleList(normalised_gin(size, width, train_eps=True) for size in inputs)
        self.gates = nn.ModuleList(Gate(width, nn.Tanh) for _ in inputs)
        self.pools = nn.ModuleList(AttentionPooling(width) for _ in inputs)
        self.fusions = nn.ModuleList(Fusion(width) for _ in inputs)
        fused = layers * max(1, width // 2)
        self.gate = Gate(fused, nn.Sigmoid)
        self.score = two_layers(fused, config.hidden, 1)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Tensor:
        """(graphs, L, width)"""
        h, found = self.inputs(graphs, costs), []
        for layer, gate, pool in zip(self.layers, self.gates, self.pools, strict=True):
            h = torch.relu(layer(h, graphs.edge_index))
            found.append(pool(gate(h), graphs))
        return torch.stack(found, 1)

    def compare(self, graphs: GraphBatch, encoded: Tensor, pairs: Tensor, costs: Tensor) -> Tensor:
        source, target = encoded[pairs[:, 0]], encoded[pairs[:, 1]]  # (K, L, width)
        fused = [fuse(source[:, place], target[:, place]) for place, fuse in enumerate(self.fusions)]
        similarity = torch.sigmoid(self.score(self.gate(torch.cat(fused[::-1], 1))))
        return distance_of(similarity.squeeze(1), graphs.sizes, pairs)
