"""Guesses of a trained model: for tensors, and for graphs of any library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphedx.convert import as_graph
from graphedx.costs import EditCosts, require_costs
from graphedx.errors import CostError, ModelError
from graphedx.graph import Graph, Label
from graphedx.models.base import PairModel
from graphedx.models.batching import GraphBatch, graph_batch

CHUNK = 16_384
"""Pairs at a time: enough to keep all cores busy, few enough to fit in memory."""


def select_pairs(graphs: GraphBatch, ends: Tensor) -> tuple[GraphBatch, Tensor]:
    """The graphs that occur in these pairs, each once, and the pairs as places among them."""
    chosen, places = torch.unique(ends, return_inverse=True)
    return graphs.select(chosen), places


def predict_pairs(model: PairModel, graphs: GraphBatch, ends: Tensor, costs: Tensor) -> Tensor:
    """(K,) the guesses for pairs (K, 2) of graphs by place, without gradients."""
    model.eval()
    with torch.inference_mode():
        parts = [model(*select_pairs(graphs, some), costs) for some in torch.split(ends, CHUNK) if len(some)]
    return torch.cat(parts) if parts else torch.empty(0)


def cost_tensor(costs: EditCosts) -> Tensor:
    """(6,) float32, in the order of the fields; models know costs that are numbers only."""
    require_costs(costs)
    if not costs.all_numbers:
        raise CostError("models take costs that are numbers, not tables or callables")
    return torch.tensor(cast("tuple[float, ...]", astuple(costs)), dtype=torch.float32)


@dataclass(frozen=True, eq=False)
class Estimator:
    """A trained model, the costs it was trained for, and the node labels that it tells apart.

    What it says is a guess: nothing is proven, and it may lie on either side of the distance.
    """

    model: PairModel = field(repr=False)
    costs: EditCosts
    vocabulary: tuple[Label, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def predict(self, pairs: Iterable[tuple[Any, Any]], *, costs: EditCosts | None = None) -> NDArray[np.float64]:
        """The guessed distance of each pair (source, target) of graphs; each graph is encoded once a chunk.

        Graphs are whatever ``ged`` takes. Without a vocabulary labels are not looked at.

        Raises:
            ModelError: a graph is too large for the model, or it cannot guess for these costs.
        """
        wanted = self.costs if costs is None else costs
        prices = cost_tensor(wanted)
        if wanted != self.costs and not self.model.any_costs:
            raise ModelError(
                f"this model was trained for {self.costs} and cannot guess for {wanted}; train one for those costs"
            )
        graphs, ends = _places(pairs)
        found = predict_pairs(self.model, graph_batch(graphs, self.vocabulary), ends, prices)
        return found.double().numpy()


def _places(pairs: Iterable[tuple[Any, Any]]) -> tuple[Sequence[Graph], Tensor]:
    """The graphs that occur, each object once, and the pairs as places among them."""
    kept: dict[int, tuple[int, Any]] = {}  # the object too, so that no other gets its id meanwhile
    graphs: list[Graph] = []
    ends: list[tuple[int, int]] = []

    def place(thing: Any) -> int:
        if id(thing) not in kept:
            kept[id(thing)] = len(graphs), thing
            graphs.append(as_graph(thing))
        return kept[id(thing)][0]

    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ModelError(f"pairs must be (graph, graph), got {str(pair)[:80]}")
        ends.append((place(pair[0]), place(pair[1])))
    return graphs, torch.tensor(ends, dtype=torch.int64).reshape(-1, 2)
