"""Whether Sinkhorn came to an end: how far the rows of the alignments of trained models sum to one, beside the errors.

    python benchmarks/studies/alignment_rows.py [--set Linux]

Looks at all runs of ``reproduction.py`` below build/ that stopped by themselves, on their training pairs. Columns sum
to one after every round, rows only when the rounds converge.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from graphedx import datasets, load_model
from graphedx.models.graphedx import GraphEdX
from graphedx.models.predicting import cost_tensor
from graphedx.training import TrainConfig
from graphedx.training.data import PairData, pair_data, predict
from paper_data import RAW
from record import WORK, load, result_file, save
from runs import CONSOLE

PAIRS = 200  # of the training pairs, spread evenly


class Row(NamedTuple):
    """One run. ``rows_off`` is the mean of |row sum - 1| over all rows, ``apart`` the median of cost / temperature."""

    run: str
    epochs: int
    training_mse: float
    test_mse: float
    rows_off: float
    apart: float


def looked_at(folder: Path, dataset: datasets.Dataset) -> Row:
    estimator = load_model(folder)
    model = estimator.model
    assert isinstance(model, GraphEdX)
    prices = cost_tensor(estimator.costs)

    def data(split: str) -> PairData:
        graphs = [graph.unlabelled() for graph in dataset.split(split)]
        distances = dataset.labels(split, estimator.costs).distances
        return pair_data(graphs, dataset.pairs(split) - dataset.span(split).start, distances)

    def error(of: PairData) -> float:
        return float(((predict(model, of, prices) - of.distances) ** 2).mean())

    train = data("train")
    with torch.inference_mode():
        encoded = model.encode(train.graphs)
        some = train.ends[:: max(1, len(train) // PAIRS)].tolist()
        plans = torch.stack([model.soft_alignment(encoded, *pair) for pair in some])
        apart = torch.pdist(encoded.align, p=1).median() / model.config.temperature
    off = (plans.sum(2) - 1).abs().mean()
    return Row(
        folder.name, len(load(folder / "history.csv")), error(train), error(data("test")), float(off), float(apart)
    )


def has_stopped(folder: Path) -> bool:
    validation = [float(epoch["validation"]) for epoch in load(folder / "history.csv")]
    return len(validation) - 1 - validation.index(min(validation)) >= TrainConfig().patience


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="Linux", choices=sorted(RAW))
    options = parser.parse_args()
    torch.set_num_threads(1)
    dataset = datasets.load(WORK / "datasets" / RAW[options.set].entry)
    runs = sorted((WORK / "reproduction").glob(f"{options.set}-*/best.safetensors"))
    found = [looked_at(run.parent, dataset) for run in runs if has_stopped(run.parent)]
    for row in found:
        errors = f"training {row.training_mse:.3f}, test {row.test_mse:.3f}"
        CONSOLE.print(f"{row.run}: rows off by {row.rows_off:.3f}, {errors}")
    save(result_file(f"alignment_rows_{RAW[options.set].entry}", quick=False), Row._fields, found, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
