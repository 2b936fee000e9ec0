"""``evaluate``: a model's errors on a split whose distances are proven."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from graphedx._files import AnyPath
from graphedx.costs import EditCosts
from graphedx.datasets.dataset import Dataset, as_dataset
from graphedx.errors import ModelError
from graphedx.evaluation.metrics import Errors, Floats, errors


class Guesser(Protocol):
    """What guesses distances under costs that it knows: what ``load_model`` returns."""

    @property
    def costs(self) -> EditCosts: ...
    def predict(self, pairs: Iterable[tuple[Any, Any]], *, costs: EditCosts | None = None) -> Floats: ...


def evaluate(
    model: Guesser, dataset: Dataset | AnyPath, split: str = "test", *, costs: EditCosts | None = None
) -> Errors:
    """The model's errors on all pairs of a split, under the costs that it was trained for if none are given.

    Raises:
        DatasetError: the split is not labelled for these costs; the message says what to run.
        NotProvenError: some of its distances are not proven.
        ModelError: the split has no pairs, or the model cannot take its graphs or the costs.
    """
    dataset = as_dataset(dataset)
    if not dataset.pair_count(split):
        raise ModelError(f"{split} of {dataset.name} has no pairs to compare")
    table = dataset.labels(split, model.costs if costs is None else costs)
    truth = table.distances
    graphs = dataset.graphs
    pairs = [(graphs[i], graphs[j]) for i, j in zip(table.source.tolist(), table.target.tolist(), strict=True)]
    return errors(model.predict(pairs, costs=costs), truth)
