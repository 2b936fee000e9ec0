"""PairData: pairs of graphs and their distances, as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.graph import Graph, Label
from graphedx.models.base import PairModel
from graphedx.models.batching import GraphBatch, graph_batch
from graphedx.models.predicting import predict_pairs, select_pairs


@dataclass(frozen=True, slots=True)
class PairData:
    """Graphs, pairs of them by place, and the distance of each pair."""

    graphs: GraphBatch
    ends: Tensor  # (K, 2) int64
    distances: Tensor  # (K,) float32

    def __post_init__(self) -> None:
        if len(self.ends) != len(self.distances):
            raise ModelError(f"{len(self.ends)} pairs need as many distances, got {len(self.distances)}")
        if not bool(torch.isfinite(self.distances).all()):
            raise ModelError("distances to learn from must be finite numbers")

    def __len__(self) -> int:
        return len(self.ends)

    def to(self, device: torch.device | str) -> PairData:
        return PairData(self.graphs.to(device), self.ends.to(device), self.distances.to(device))

    def batch(self, pairs: Tensor) -> tuple[GraphBatch, Tensor]:
        """The graphs that occur in these pairs, each once, and the pairs as places among them."""
        return select_pairs(self.graphs, self.ends[pairs])


def pair_data(
    graphs: Sequence[Graph], ends: ArrayLike, distances: ArrayLike, vocabulary: Sequence[Label] = ()
) -> PairData:
    """From graphs, pairs of them by place, and distances; node labels of the vocabulary become one-hot features."""
    return PairData(
        graph_batch(graphs, vocabulary),
        torch.as_tensor(np.array(ends, dtype=np.int64)).reshape(-1, 2),
        torch.as_tensor(np.array(distances, dtype=np.float32)),
    )


def predict(model: PairModel, data: PairData, costs: Tensor) -> Tensor:
    """(K,) the model's guesses, without gradients."""
    return predict_pairs(model, data.graphs, data.ends, costs)
