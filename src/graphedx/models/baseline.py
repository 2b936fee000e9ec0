"""What the baselines of the GraphEdX paper share: their sizes, and costs as input features."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.base import ModelConfig, PairModel, require_counts
from graphedx.models.batching import GraphBatch

COST_FEATURES = (1, 0, 3, 2)
"""Positions of node_ins, node_del, edge_ins and edge_del in a cost vector, in the order of the input features."""
_MOST, _MOST_LAYERS = 10**6, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineConfig(ModelConfig):
    """The sizes of the GraphEdX paper, unless a model has its own: five layers of width 10."""

    width: int = 10
    layers: int = 5
    cost_features: bool = False  # whether the four costs of insertion and deletion are input features of every node

    def __post_init__(self) -> None:
        require_counts(self, _MOST, "features", "width")
        require_counts(self, _MOST_LAYERS, "layers")

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        """2 with cost features, which version 1 added to the constant feature; else 1."""
        return 2 if settings.get("cost_features") else 1

    @property
    def inputs(self) -> int:
        """The number of input features of a node: costs replace the constant feature and are added to labels."""
        labels = self.features if self.features > 1 or not self.cost_features else 0
        return labels + len(COST_FEATURES) * self.cost_features


class Baseline(PairModel, ABC):
    """A model that sees costs as input features at most."""

    config: BaselineConfig

    def inputs(self, graphs: GraphBatch, costs: Tensor | None) -> Tensor:
        """(nodes, config.inputs): the constant 1 or one-hot labels; with ``cost_features`` the four costs.

        Raises:
            ModelError: the batch has other features, or costs are needed and are missing or differ between pairs.
        """
        self.require_features(graphs)
        if not self.config.cost_features:
            return graphs.x
        if costs is None or costs.ndim != 1:
            raise ModelError(f"{self.name} has costs as features of nodes and needs the same ones for all pairs")
        known = costs[list(COST_FEATURES)].to(graphs.x).expand(len(graphs.x), len(COST_FEATURES))
        return known if self.config.features == 1 else torch.cat([graphs.x, known], 1)
