"""What the models that the paper compares with have in common: their size, and how costs reach them."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.base import ModelConfig, PairModel, require_counts
from graphedx.models.batching import GraphBatch

COST_FEATURES = 4
_MOST, _MOST_LAYERS = 10**6, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineConfig(ModelConfig):
    """As the paper has them, unless a model says otherwise: five layers of ten numbers a node."""

    width: int = 10
    layers: int = 5
    cost_features: bool = (
        False  # whether every node has the costs of deleting and inserting nodes and edges as features
    )

    def __post_init__(self) -> None:
        require_counts(self, _MOST, "features", "width")
        require_counts(self, _MOST_LAYERS, "layers")

    @property
    def inputs(self) -> int:
        """How many numbers a node comes with."""
        return self.features + COST_FEATURES * self.cost_features


class Baseline(PairModel, ABC):
    """A model that knows of costs only what features say."""

    config: BaselineConfig

    def inputs(self, graphs: GraphBatch, costs: Tensor | None) -> Tensor:
        """(nodes, config.inputs): labels, and the four costs where the model was made for them."""
        self.require_features(graphs)
        if not self.config.cost_features:
            return graphs.x
        if costs is None or costs.ndim != 1:
            raise ModelError(f"{self.name} has costs as features of nodes and needs the same ones for all pairs")
        known = costs[:COST_FEATURES].to(graphs.x).expand(len(graphs.x), COST_FEATURES)
        return torch.cat([graphs.x, known], 1)
