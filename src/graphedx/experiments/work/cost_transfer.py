"""A trained model under costs that it was not trained for: errors on its own test pairs, averaged over many costs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from graphedx import datasets
from graphedx.api import load_model
from graphedx.costs import EditCosts
from graphedx.datasets import Dataset
from graphedx.errors import ModelError
from graphedx.experiments.job import CostTransfer
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.work.testing import split_pairs, tested
from graphedx.models.base import PairModel
from graphedx.models.saving import BEST, load_tensors
from graphedx.training.session import torch_threads

_LEAST, _MOST = 0.5, 3.0


def perform(job: CostTransfer, place: Place) -> Outcome:
    """Models without costs as features or in their score say the same whatever edits cost; that is to be seen."""
    trained, dataset = load_model(place.run(job.train)), datasets.load(place.dataset(job.train.dataset))
    if trained.costs.node_sub or trained.costs.edge_sub:
        raise ModelError("costs are drawn for deletions and insertions only; train with costs without substitutions")
    found = tested_under(drawn(job.draws, job.seed), trained.model, dataset, place)
    _, about = load_tensors(place.run(job.train) / BEST)
    return {**found, "validation": about["validation"]}


def tested_under(some: Sequence[EditCosts], model: PairModel, dataset: Dataset, place: Place) -> Outcome:
    """The mean errors over costs.

    ``relative_mse`` is the error beside the variance of the distances, so that dear edits count no more than others.
    """
    mse, relative, tau = [], [], []
    with torch_threads(1):
        for costs in some:
            place.require_time()
            test = split_pairs(dataset, "test", costs, (), type(model))
            found, _ = tested(model, test, costs)
            mse.append(found["mse"])
            relative.append(found["mse"] / float(test.distances.double().var()))
            tau.append(found["kendall_tau"])
    spread = float(np.std(mse, ddof=1)) / math.sqrt(len(mse)) if len(mse) > 1 else math.nan
    return {
        "draws": len(some),
        "mse": float(np.mean(mse)),
        "mse_stderr": spread,
        "relative_mse": float(np.mean(relative)),
        "kendall_tau": float(np.mean(tau)),
        "dataset": dataset.fingerprint,
    }


def drawn(count: int, seed: int) -> list[EditCosts]:
    """Costs of deleting and inserting nodes and edges, each on its own."""
    rng = random.Random(seed)
    return [EditCosts.parse(",".join(f"{rng.uniform(_LEAST, _MOST):.2f}" for _ in range(4))) for _ in range(count)]
