"""The estimator past the paper: trained once for many sets, labels and costs, tested on each beside the paper's errors.

    python benchmarks/studies/bracket.py --data ../shared [--epochs 20] [--seed 0] [--weights FOLDER]

One set of weights is trained on the train splits of all sets together, without any graph whose structure occurs in the
val or test split of one of them: with structure alone under unit costs, and with labels under random costs. A run that
was stopped goes on. ``--weights`` copies the best weights there, without what only training needs.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
from rich.console import Console

from graphedx import EditCosts, Graph, datasets
from graphedx._kernels import Batch, CancelFlag, Request, canonical_hashes
from graphedx.costs import UNIT
from graphedx.datasets.labels import PAPER
from graphedx.evaluation import errors
from graphedx.models.base import make
from graphedx.models.bracket import Bracket
from graphedx.models.brackets import LOWER, UPPER, snapped
from graphedx.models.predicting import cost_tensor, predict_pairs
from graphedx.models.saving import BEST, DESCRIPTION, load_model
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.data import joined, pair_data
from paper_data import RAW, prepared, reported_mse
from record import WORK, result_file, save, shared_folder

CONSOLE = Console(width=None if sys.stdout.isatty() else 150)
SETS = ("AIDS", "Mutag", "Molhiv", "Linux", "Code2-like")
EMBEDDED = ("nci", "pyast")
STRUCTURE = EditCosts(1, 1, 1, 1, 0, 0)
MOST_PAIRS = 100_000  # of a set, structure alone; no set shall drown out the others
LABELLED_PAIRS = 2_500  # of each set under each costs with labels
SECONDS = 0.05  # to prove a distance with labels
DRAWS = 10


class Row(NamedTuple):
    """Errors on the test split of a set; those of the beam alone, whose interval the network sees, beside them."""

    dataset: str
    costs: str
    labels: bool
    pairs: int
    mse: float
    mse_stderr: float
    mae: float
    kendall_tau: float
    hits: float
    mse_snapped: float
    hits_snapped: float
    mse_upper: float
    share_proven: float
    microseconds: float
    paper_mse: str


class Source(NamedTuple):
    """A set, and which of its train graphs may be learned from."""

    name: str
    dataset: datasets.Dataset
    allowed: frozenset[int]


def sources(data: Path) -> list[Source]:
    found = {name: prepared(name, data, WORK / "datasets" / RAW[name].entry) for name in SETS}
    found |= {name: datasets.prepare(name, out=WORK / "datasets" / name) for name in EMBEDDED}
    for dataset in found.values():
        datasets.label(dataset, [PAPER["uniform"]])
    held_out = set(canonical_hashes(held_out_graphs(found.values()), labelled=False))
    rows = []
    for name, dataset in found.items():
        hashes = canonical_hashes(dataset.split("train"), labelled=False)
        allowed = frozenset(k for k, number in enumerate(hashes) if number not in held_out)
        CONSOLE.print(f"{name}: {len(allowed)} of {len(hashes)} train graphs occur in no val or test split")
        rows.append(Source(name, dataset, allowed))
    return rows


def held_out_graphs(found: Sequence[datasets.Dataset]) -> list[Graph]:
    return [graph for dataset in found for split in ("val", "test") for graph in dataset.split(split)]


def random_costs(seed: int) -> list[EditCosts]:
    """Costs of many kinds, of about the same size: relabelling is dear, cheap or free, for nodes and for edges."""
    draw = random.Random(seed)
    drawn = [EditCosts(1, 1, 1, 1, 1, 1), EditCosts(1, 1, 1, 1, 1, 0)]
    while len(drawn) < DRAWS:
        values = [draw.choice((0.5, 1, 1.5, 2, 3)) for _ in range(4)]
        drawn.append(EditCosts(*values, draw.choice((0, 0.5, 1, 2)), draw.choice((0, 0.5, 1))))
    return drawn


def structural(source: Source, split: str) -> PairData:
    dataset = source.dataset
    table = dataset.labels(split, PAPER["uniform"])
    pairs = dataset.pairs(split) - dataset.span(split).start
    if split == "train":
        places = np.flatnonzero(np.isin(pairs, np.array(sorted(source.allowed))).all(1))
        kept = np.sort(np.random.default_rng(0).permutation(places)[:MOST_PAIRS])
    else:
        kept = np.arange(len(pairs))
    graphs = [graph.unlabelled() for graph in dataset.split(split)]
    return pair_data(graphs, pairs[kept], np.asarray(table.distances)[kept], kind=Bracket)


def labelled(source: Source, split: str, costs: EditCosts, count: int, seed: int) -> PairData:
    """Random pairs whose distance is proven quickly; the others are left out."""
    graphs = source.dataset.split(split)
    draw = np.random.default_rng(seed)
    places = np.array(sorted(source.allowed)) if split == "train" else np.arange(len(graphs))
    ends = draw.choice(places, size=(count, 2)).astype(np.int32)
    found = Batch(graphs, costs).columns(ends, Request("exact", time_limit=SECONDS), CancelFlag())
    proven = found.lower == found.upper
    return pair_data(graphs, ends[proven], found.upper[proven], kind=Bracket)


def gathered(found: list[Source], split: str, seed: int, model: Bracket) -> PairData:
    """All of it, with evidence; of the training pairs those which the beam has not proven: the others teach nothing."""
    parts = [(structural(source, split), cost_tensor(STRUCTURE)) for source in found]
    for number, costs in enumerate(random_costs(seed)):
        count = LABELLED_PAIRS if split == "train" else LABELLED_PAIRS // 10
        parts += [(labelled(source, split, costs, count, seed + number), cost_tensor(costs)) for source in found]
    data = joined([part for part in parts if len(part[0])]).with_evidence(model, cost_tensor(STRUCTURE))
    if split != "train":
        return data
    open_ = torch.nonzero(data.evidence[:, UPPER] > data.evidence[:, LOWER])[:, 0]
    CONSOLE.print(f"{len(data):,} pairs to learn from, {len(open_):,} of them not proven by the beam")
    return PairData(data.graphs, data.ends[open_], data.distances[open_], data.costs[open_], data.evidence[open_])


def trained(found: list[Source], epochs: int, seed: int, folder: Path) -> None:
    torch.manual_seed(seed)
    model = make("bracket", {})
    assert isinstance(model, Bracket)
    train, validation = (gathered(found, split, seed, model) for split in ("train", "val"))
    how = TrainConfig(learning_rate=3e-3, weight_decay=0.0, batch=4096, max_epochs=epochs, seed=seed, one_cycle=True)
    about = {"costs": list(astuple(UNIT)), "vocabulary": [], "datasets": [source.name for source in found]}

    def report(epoch: object) -> None:
        CONSOLE.print(str(epoch))

    fit(model, train, validation, cost_tensor(STRUCTURE), how, folder=folder, about=about, report=report)


def tested(found: list[Source], folder: Path, data: Path) -> Iterator[Row]:
    estimator = load_model(folder)
    reported = reported_mse(data)
    for source in found:
        for name in ("uniform", "non-uniform"):
            test = structural(source, "test")
            table = source.dataset.labels("test", PAPER[name])
            truth = torch.as_tensor(np.asarray(table.distances, dtype=np.float32))
            paper = reported.get((source.name, name), "")
            yield tested_on(
                source.name, name, False, PairData(test.graphs, test.ends, truth), PAPER[name], estimator.model, paper
            )
        test = labelled(source, "test", UNIT, 5_000, 1)
        yield tested_on(source.name, "1,1,1,1,1,1", True, test, UNIT, estimator.model, "")


def tested_on(
    name: str, costs_name: str, labels: bool, test: PairData, costs: EditCosts, model: Bracket, paper: object
) -> Row:
    prices = cost_tensor(costs)
    evidence = model.evidence(test.graphs, test.ends, prices)
    truth = test.distances.double()
    start = perf_counter()
    guesses = predict_pairs(model, test.graphs, test.ends, prices)
    seconds = perf_counter() - start
    near = snapped(guesses, evidence)
    plain, snap = errors(guesses.numpy(), truth.numpy()), errors(near.numpy(), truth.numpy())
    upper = evidence[:, UPPER]
    return Row(
        *(name, costs_name, labels, len(test), plain.mse, plain.mse_stderr, plain.mae, plain.kendall_tau, plain.hits),
        *(
            snap.mse,
            snap.hits,
            float(((upper - truth) ** 2).mean()),
            float((upper == evidence[:, LOWER]).double().mean()),
        ),
        *(seconds / len(test) * 1e6, str(paper)),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the shared folder; else GRAPHEDX_DATA names it")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weights", type=Path, help="where the best weights are copied to")
    options = parser.parse_args()
    data = shared_folder(options.data)
    if data is None:
        CONSOLE.print("no data: pass --data, or set GRAPHEDX_DATA")
        return 2
    torch.set_num_threads(1)
    folder = WORK / f"bracket-{options.epochs}-{options.seed}"
    found = sources(data)
    trained(found, options.epochs, options.seed, folder)
    rows = []
    for row in tested(found, folder, data):
        rows.append(row)
        CONSOLE.print(
            f"{row.dataset} {row.costs}: MSE {row.mse:.3f} (snapped {row.mse_snapped:.3f}, beam {row.mse_upper:.3f}, "
            f"paper {row.paper_mse or '-'}), tau {row.kendall_tau:.3f}, hits {row.hits_snapped:.1%}, "
            f"{row.microseconds:.0f} us a pair"
        )
    save(result_file("bracket", quick=False), Row._fields, rows, options.seed)
    if options.weights:
        options.weights.mkdir(parents=True, exist_ok=True)
        for name in (DESCRIPTION, BEST):
            shutil.copyfile(folder / name, options.weights / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
