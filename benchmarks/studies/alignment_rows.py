"""Whether Sinkhorn came to an end: how far the rows of the alignments of trained models sum to one, beside the errors.

    python benchmarks/studies/alignment_rows.py [--folder build/experiments] [--dataset linux]

Looks at all models of the experiment ``combinations`` whose training stopped by itself, on their training pairs.
Columns sum to one after every round, rows only when the rounds converge.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from graphedx import datasets, load_model
from graphedx.experiments import Rows, Train, experiments
from graphedx.experiments.place import Place
from graphedx.experiments.work.testing import split_pairs
from graphedx.models.graphedx import GraphEdX
from graphedx.models.predicting import cost_tensor
from graphedx.training.data import PairData, predict
from record import CONSOLE, EXPERIMENTS, result_file, save

PAIRS = 200  # of the training pairs, spread evenly


class Row(NamedTuple):
    """One run. ``rows_off`` is the mean of |row sum - 1| over all rows, ``apart`` the median of cost / temperature."""

    run: str
    epochs: int
    training_mse: float
    test_mse: float
    rows_off: float
    apart: float


def looked_at(job: Train, epochs: int, place: Place) -> Row:
    estimator, dataset = load_model(place.run(job)), datasets.load(place.dataset(job.dataset))
    model, prices = estimator.model, cost_tensor(estimator.costs)
    assert isinstance(model, GraphEdX)
    train, test = (split_pairs(dataset, split, estimator.costs, (), GraphEdX) for split in ("train", "test"))

    def error(of: PairData) -> float:
        return float(((predict(model, of, prices) - of.distances) ** 2).mean())

    with torch.inference_mode():
        encoded = model.encode(train.graphs)
        some = train.ends[:: max(1, len(train) // PAIRS)].tolist()
        plans = torch.stack([model.soft_alignment(encoded, *pair) for pair in some])
        apart = torch.pdist(encoded.align, p=1).median() / model.config.temperature
    off = (plans.sum(2) - 1).abs().mean()
    return Row(job.key, epochs, error(train), error(test), float(off), float(apart))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=EXPERIMENTS, help="of experiments")
    parser.add_argument("--dataset", default="linux")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows, found = Rows(options.folder), []
    for job in experiments()["combinations"].jobs:
        done = rows.get(job)
        if isinstance(job, Train) and job.dataset == options.dataset and done is not None and done.is_final:
            found.append(looked_at(job, int(done.number("epochs") or 0), Place(options.folder)))
            errors = f"training {found[-1].training_mse:.3f}, test {found[-1].test_mse:.3f}"
            CONSOLE.print(f"{job.key}: rows off by {found[-1].rows_off:.3f}, {errors}", highlight=False)
    save(result_file(f"alignment_rows_{options.dataset}", quick=False), Row._fields, found, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
