"""How good and how fast each way to a distance is, on the pairs of the test split, here and now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.api import ged, load_model
from graphedx.costs import EditCosts
from graphedx.datasets import Dataset
from graphedx.datasets.labels import PAPER, LabelTable
from graphedx.evaluation import Errors, errors
from graphedx.graph import Graph
from graphedx.neural import SHIPPED

if TYPE_CHECKING:
    from graphedx.models.predicting import Estimator

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[Graph, Graph]]

_WARM_UP = 20  # pairs; the first ones pay for what is loaded and encoded once


class Way(NamedTuple):
    """Something that says a number for each pair."""

    name: str
    says: str
    numbers: Callable[[Pairs], Any]


class Measured(NamedTuple):
    """What it said of all pairs, how far off that was, and what a pair took of one core."""

    name: str
    says: str
    numbers: Floats
    errors: Errors
    microseconds: float


class Contest(NamedTuple):
    """The pairs of the test split, their proven distances, and what each way makes of them."""

    table: LabelTable
    pairs: Pairs
    constant: float  # mean squared error of always saying the mean of the training distances
    rows: list[Measured]

    def row(self, name: str) -> Measured | None:
        """The first of this name."""
        return next((row for row in self.rows if row.name == name), None)


EXACT, MODEL, MODEL_EDITS = "exact", "graphedx", "graphedx, edits"


def ways(costs: EditCosts, model: Estimator | None) -> list[Way]:
    """All that is compared; one more is one more line."""
    shipped = load_model(SHIPPED) if model else None  # both need PyTorch
    return [
        _solver(EXACT, "distance", "exact", "upper", costs),
        _solver("branch", "lower bound", "branch", "lower", costs),
        _solver("branch", "upper bound", "branch", "upper", costs),
        _solver("ipfp", "upper bound", "ipfp", "upper", costs),
        _solver("beam", "upper bound", "beam", "upper", costs),
        *([Way(SHIPPED, "estimate", lambda pairs: shipped.predict(pairs, costs=costs))] if shipped else []),
        *([Way(MODEL, "estimate", model.predict)] if model else []),
        *(
            [Way(MODEL_EDITS, "upper bound", lambda pairs: [model.align(*pair).upper for pair in pairs])]
            if model
            else []
        ),
    ]


def contest(dataset: Dataset, costs: str, model: Estimator | None) -> Contest:
    """Every way on every pair of the test split, under the costs of this name."""
    prices = PAPER[costs]
    table, graphs = dataset.labels("test", prices), dataset.graphs
    pairs = [(graphs[i], graphs[j]) for i, j in zip(table.source.tolist(), table.target.tolist(), strict=True)]
    mean = float(dataset.labels("train", prices).distances.mean())
    constant = errors(np.full(len(pairs), mean), table.distances).mse
    return Contest(table, pairs, constant, [_measured(way, pairs, table.distances) for way in ways(prices, model)])


def _solver(name: str, says: str, method: str, end: Literal["lower", "upper"], costs: EditCosts) -> Way:
    return Way(name, says, lambda pairs: [getattr(ged(*pair, costs=costs, method=method), end) for pair in pairs])


def _measured(way: Way, pairs: Pairs, truth: Floats) -> Measured:
    """Time is that of the processor, so that neither a second core nor whatever else runs here changes it much."""
    way.numbers(pairs[:_WARM_UP])
    start = process_time()
    numbers = np.asarray(way.numbers(pairs), dtype=np.float64)
    seconds = process_time() - start
    return Measured(way.name, way.says, numbers, errors(numbers, truth), 1e6 * seconds / len(pairs))
