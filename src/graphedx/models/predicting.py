"""Guesses of a trained model: for tensors, and for graphs of any library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from math import isqrt
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphedx.convert import as_graph, require_graphs
from graphedx.costs import EditCosts, require_costs
from graphedx.errors import CostError, ModelError
from graphedx.graph import Graph, Label
from graphedx.models.algorithm_1 import MAX_NODES
from graphedx.models.alignment import Alignment
from graphedx.models.base import PairModel
from graphedx.models.batching import GraphBatch, join_batches
from graphedx.models.brackets import snapped
from graphedx.models.layers.backend import on_the_cpu, torch_in_one_thread

CHUNK = 16_384
"""Pairs at a time: enough to keep all cores busy, few enough to fit in memory."""


@contextmanager
def guessing() -> Iterator[None]:
    """What guesses are made in: no gradients, torch in one thread, and none of the caller's default devices.

    What the caller's own code makes, such as an iterator over pairs, is made outside of it.
    """
    with on_the_cpu(), torch.inference_mode(), torch_in_one_thread():
        yield


def select_pairs(graphs: GraphBatch, ends: Tensor) -> tuple[GraphBatch, Tensor]:
    """The graphs that occur in these pairs, each once, and the pairs as places among them."""
    chosen, places = torch.unique(ends, return_inverse=True)
    return graphs if len(chosen) == len(graphs) else graphs.select(chosen), places


@guessing()
def predict_pairs(
    model: PairModel, graphs: GraphBatch, ends: Tensor, costs: Tensor, evidence: Tensor | None = None
) -> Tensor:
    """(K,) the guesses for pairs (K, 2) of graphs by place, without gradients; each graph is encoded once.

    Costs are (6,), or (K, 6) where the model takes any; evidence is what ``model.evidence`` has said of the pairs.
    """
    if not len(ends):
        return torch.empty(0)
    model.eval()
    chosen, places = select_pairs(graphs, ends)
    encoded = model.encode(chosen, costs)
    parts = []
    for first in range(0, len(places), CHUNK):
        at = slice(first, first + CHUNK)
        prices, known = costs if costs.ndim == 1 else costs[at], None if evidence is None else evidence[at]
        parts.append(model.compare_given(chosen, encoded, places[at], prices, known))
    return torch.cat(parts)


def cost_tensor(costs: EditCosts) -> Tensor:
    """(6,) float64, in the order of the fields; models know costs that are numbers only."""
    require_costs(costs)
    if not costs.all_numbers:
        raise CostError("models take costs that are numbers, not tables or callables")
    return torch.tensor(cast("tuple[float, ...]", astuple(costs)), dtype=torch.float64, device="cpu")


@dataclass(frozen=True, eq=False)
class Prepared:
    """Graphs as a model has encoded them, to be compared with many others; ``Estimator.prepare`` makes it."""

    batch: GraphBatch = field(repr=False)
    encoded: Any = field(repr=False)
    model: PairModel = field(repr=False)

    def __len__(self) -> int:
        return len(self.batch)


@dataclass(frozen=True, eq=False)
class Estimator:
    """A trained model, the costs it was trained for, and the node labels that it tells apart.

    What it says is a guess: nothing is proven, and it may lie on either side of the distance. Graphs are whatever
    ``ged`` takes, undirected. Without a vocabulary labels are not looked at, unless the model takes any.
    """

    model: PairModel = field(repr=False)
    costs: EditCosts
    vocabulary: tuple[Label, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def predict(
        self, pairs: Iterable[tuple[Any, Any]], *, costs: EditCosts | None = None, snap: bool = False
    ) -> NDArray[np.float64]:
        """The guessed distance of each pair (source, target) of graphs; each graph object is encoded once.

        Guesses are means: between two distances that are as likely stands the middle, which no edits cost. With
        ``snap`` they are moved to the nearest possible distance: more of them are right, and the others further off.

        Raises:
            GraphError: something is no graph, or one that no model takes: directed, or huge.
            CostError: costs are no numbers.
            ModelError: a graph is too large for the model, it cannot guess for these costs, or it knows no bounds to
                snap to.
        """
        found, evidence = self._guesses(pairs, costs)
        return (self._snapped(found, evidence) if snap else found).numpy()

    def predict_and_snap(
        self, pairs: Iterable[tuple[Any, Any]], *, costs: EditCosts | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """As ``predict``: the guesses, and what they are with ``snap``, for the price of one."""
        found, evidence = self._guesses(pairs, costs)
        return found.numpy(), self._snapped(found, evidence).numpy()

    def prepare(self, graphs: Iterable[Any]) -> Prepared:
        """Encode graphs once for all that they are going to be compared with.

        Raises:
            ModelError: a graph is too large for the model.
        """
        require_graphs(graphs)
        ours = [as_graph(graph) for graph in graphs]
        with guessing():
            batch = self._batch(ours)
            costs = None if self.model.any_costs else cost_tensor(self.costs)
            self.model.eval()
            return Prepared(batch, self.model.encode(batch, costs), self.model)

    def matrix(
        self,
        graphs: Prepared | Iterable[Any],
        others: Prepared | Iterable[Any] | None = None,
        *,
        costs: EditCosts | None = None,
    ) -> NDArray[np.float64]:
        """The guessed distance from each graph to each of the others, or to each of themselves: (n, m).

        Each graph is encoded once, and not at all if it is prepared. All ordered pairs are guessed, a graph with itself
        too: costs need not be the same both ways, and a guess need not be 0.

        Raises:
            ModelError: a graph is too large for the model, the model cannot guess for these costs, or graphs were
                prepared by another one.
        """
        prices = cost_tensor(self._costs(costs))
        rows = self._prepared(graphs)
        columns = rows if others is None else self._prepared(others)
        n, m = len(rows), len(columns)
        found = np.empty((n, m))
        if not found.size:
            return found
        self.model.eval()
        with guessing():
            batch, encoded, first = rows.batch, rows.encoded, 0
            if columns is not rows:
                batch, first = join_batches([rows.batch, columns.batch]), n
                encoded = self.model.joined([rows.encoded, columns.encoded])
            # Blocks, not rows: the fewer graphs there are among the pairs of a chunk, the less is read for each pair.
            height = min(n, isqrt(CHUNK))
            width = CHUNK // height
            for top in range(0, n, height):
                for left in range(0, m, width):
                    block = found[top : top + height, left : left + width]
                    sources = torch.arange(top, top + block.shape[0])
                    targets = torch.arange(left, left + block.shape[1]) + first
                    pairs = torch.cartesian_prod(sources, targets)
                    block[:] = self.model.compare(batch, encoded, pairs, prices).view(block.shape).numpy()
        return found

    def align(self, source: Any, target: Any, *, costs: EditCosts | None = None, pair_plan: bool = False) -> Alignment:
        """How the model aligns the nodes of two graphs, and the edit path that follows from it.

        What the path costs is a proven upper bound of the distance, other than what ``predict`` says. With
        ``pair_plan`` the alignment of node pairs is computed as well, for ``Alignment.algorithm_1``.

        Raises:
            ModelError: the model does not align nodes, a graph is too large for it, or it is not for these costs; or
                graphs are padded to more than MAX_NODES of ``algorithm_1`` nodes, and ``pair_plan`` is requested.
        """
        wanted = self._costs(costs)
        a, b = as_graph(source), as_graph(target)
        prepared = self.prepare([a, b])
        with guessing():
            plan = self.model.soft_alignment(prepared.encoded, 0, 1).double().numpy()
            pairs = self._pair_plan(prepared.encoded, len(plan)) if pair_plan else None
        return Alignment.from_plan(a, b, wanted, plan, pairs)

    def _pair_plan(self, encoded: Any, nodes: int) -> NDArray[np.float64]:
        if nodes > MAX_NODES:
            raise ModelError(f"the plan of node pairs takes padded graphs of at most {MAX_NODES} nodes, got {nodes}")
        return self.model.soft_pair_alignment(encoded, 0, 1).double().numpy()

    def _guesses(self, pairs: Iterable[tuple[Any, Any]], costs: EditCosts | None) -> tuple[Tensor, Tensor | None]:
        """(K,) float64, and the evidence that they rest on."""
        prices = cost_tensor(self._costs(costs))
        graphs, ends = _places(pairs)
        with guessing():
            batch = self._batch(graphs)
            evidence = self.model.evidence(batch, ends, prices)
            return predict_pairs(self.model, batch, ends, prices, evidence).double(), evidence

    def _batch(self, graphs: list[Graph]) -> GraphBatch:
        """Graphs that are too large for the model are refused before their pairs of nodes take memory."""
        self.model.require_size(max(map(len, graphs), default=0))
        return self.model.batch(graphs, self.vocabulary)

    def _snapped(self, distances: Tensor, evidence: Tensor | None) -> Tensor:
        if evidence is None:
            raise ModelError(f"{self.name} knows no possible distances to snap to; bracket does")
        return snapped(distances, evidence)

    def _prepared(self, graphs: Prepared | Iterable[Any]) -> Prepared:
        if not isinstance(graphs, Prepared):
            return self.prepare(graphs)
        if graphs.model is not self.model:
            raise ModelError("these graphs were prepared by another model; prepare them with this one")
        return graphs

    def _costs(self, costs: EditCosts | None) -> EditCosts:
        """Those that are asked for, if the model can guess for them."""
        wanted = self.costs if costs is None else costs
        require_costs(wanted)
        if wanted != self.costs and not self.model.any_costs:
            raise ModelError(
                f"this model was trained for {self.costs} and cannot guess for {wanted}; train one for those costs"
            )
        return wanted


def _places(pairs: Iterable[tuple[Any, Any]]) -> tuple[list[Graph], Tensor]:
    """The graphs that occur, each object once, and the pairs as places among them."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise ModelError(f"pairs must be a list of (graph, graph), got {type(pairs).__name__}")
    things: list[Any] = []  # all of them, so that none gets the id of one that is gone
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ModelError(f"pairs must be (graph, graph), got {str(pair)[:80]}")
        things += pair
    number: dict[int, int] = {}
    ends = [number.setdefault(id(thing), len(number)) for thing in things]
    one_each = {id(thing): thing for thing in things}  # in the order of their numbers
    places = torch.tensor(ends, dtype=torch.int64, device="cpu").reshape(-1, 2)
    return [as_graph(thing) for thing in one_each.values()], places
