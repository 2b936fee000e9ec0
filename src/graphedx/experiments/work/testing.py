"""What trainings and tests of models have in common: a split as a model takes it, and its errors there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphedx._files import atomic_write
from graphedx.costs import EditCosts
from graphedx.datasets import Dataset
from graphedx.evaluation import errors
from graphedx.experiments.work.seen import seen
from graphedx.graph import Label
from graphedx.models.base import PairModel
from graphedx.models.predicting import cost_tensor
from graphedx.training.data import PairData, pair_data, predict

GUESSES = "guesses.npy"
"""The guess for every test pair, in the order of ``Dataset.pairs``; float32, as models have them."""


def split_pairs(
    dataset: Dataset, split: str, costs: EditCosts, vocabulary: Sequence[Label], kind: type[PairModel]
) -> PairData:
    """The pairs of a split and their proven distances."""
    graphs = seen(dataset.split(split), costs)
    ends = dataset.pairs(split) - dataset.span(split).start
    return pair_data(graphs, ends, dataset.labels(split, costs).distances, vocabulary, kind=kind)


def tested(model: PairModel, test: PairData, costs: EditCosts) -> tuple[dict[str, Any], NDArray[np.float32]]:
    """The errors of a model by their names, and its guesses."""
    guesses = predict(model, test, cost_tensor(costs)).numpy()
    return errors(guesses, test.distances.numpy())._asdict(), guesses


def keep_guesses(folder: Path, guesses: NDArray[np.float32]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / GUESSES, overwrite=True) as file:
        np.save(file, guesses)
