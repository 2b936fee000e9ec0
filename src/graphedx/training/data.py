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
from graphedx.models.batching import GraphBatch, join_batches, starts
from graphedx.models.layers.backend import torch_in_one_thread
from graphedx.models.predicting import predict_pairs, select_pairs


@dataclass(frozen=True, slots=True)
class PairData:
    """Graphs, pairs of them by place, and the distance of each pair; costs and evidence of each where they differ."""

    graphs: GraphBatch
    ends: Tensor  # (K, 2) int64
    distances: Tensor  # (K,) float32
    costs: Tensor | None = None  # (K, 6)
    evidence: Tensor | None = None  # (K, E), as the model's ``evidence`` has it

    def __post_init__(self) -> None:
        if len(self.ends) != len(self.distances):
            raise ModelError(f"{len(self.ends)} pairs need as many distances, got {len(self.distances)}")
        if not bool(torch.isfinite(self.distances).all()):
            raise ModelError("distances to learn from must be finite numbers")
        if self.costs is not None and self.costs.shape != (len(self), 6):
            raise ModelError(f"{len(self)} pairs need as many rows of six costs, got {tuple(self.costs.shape)}")
        if self.evidence is not None and len(self.evidence) != len(self):
            raise ModelError(f"{len(self)} pairs need as many rows of evidence, got {len(self.evidence)}")

    def __len__(self) -> int:
        return len(self.ends)

    def to(self, device: torch.device | str) -> PairData:
        moved = (None if part is None else part.to(device) for part in (self.costs, self.evidence))
        return PairData(self.graphs.to(device), self.ends.to(device), self.distances.to(device), *moved)

    def batch(self, pairs: Tensor, costs: Tensor) -> tuple[GraphBatch, Tensor, Tensor, Tensor | None]:
        """What a model takes: the graphs that occur, each once, the pairs as places among them, costs and evidence."""
        graphs, places = select_pairs(self.graphs, self.ends[pairs])
        evidence = None if self.evidence is None else self.evidence[pairs]
        return graphs, places, costs if self.costs is None else self.costs[pairs], evidence

    def with_its_graphs(self) -> PairData:
        """The same pairs, and no graphs that are in none of them: a batch with all others has nothing to select."""
        graphs, places = select_pairs(self.graphs, self.ends)
        return PairData(graphs, places, self.distances, self.costs, self.evidence)

    def with_evidence(self, model: PairModel, costs: Tensor) -> PairData:
        """The same, with what the model wants to know of every pair before it is trained."""
        if self.evidence is not None:
            return self
        with torch_in_one_thread():
            found = model.evidence(self.graphs, self.ends, costs if self.costs is None else self.costs)
        return PairData(self.graphs, self.ends, self.distances, self.costs, found)


def pair_data(
    graphs: Sequence[Graph],
    ends: ArrayLike,
    distances: ArrayLike,
    vocabulary: Sequence[Label] = (),
    *,
    kind: type[PairModel] = PairModel,
) -> PairData:
    """From graphs, pairs of them by place, and distances, as this kind of model takes them."""
    return PairData(
        kind.batch(graphs, vocabulary),
        torch.as_tensor(np.array(ends, dtype=np.int64)).reshape(-1, 2),
        torch.as_tensor(np.array(distances, dtype=np.float32)),
    )


def joined(parts: Sequence[PairData]) -> PairData:
    """The pairs of several sources, one at least; all or none of them bring costs, and evidence, of their own."""
    first = starts(torch.tensor([len(data.graphs) for data in parts]))[:-1]
    costs, evidence = ([getattr(data, name) for data in parts] for name in ("costs", "evidence"))
    return PairData(
        join_batches([data.graphs for data in parts]),
        torch.cat([data.ends + shift for data, shift in zip(parts, first, strict=True)]),
        torch.cat([data.distances for data in parts]),
        *(None if some[0] is None else torch.cat(some) for some in (costs, evidence)),
    )


def predict(model: PairModel, data: PairData, costs: Tensor) -> Tensor:
    """(K,) the model's guesses, without gradients."""
    return predict_pairs(model, data.graphs, data.ends, costs if data.costs is None else data.costs, data.evidence)
