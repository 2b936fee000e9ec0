"""The estimator past the paper: trained once for many sets, labels and costs, tested on each beside the paper's errors.

    python benchmarks/studies/bracket.py --data DIR [--epochs 20] [--seed 0] [--weights FOLDER]
    python benchmarks/studies/bracket.py --table

One set of weights is trained on the train splits of all sets together, without any graph whose structure occurs in the
val or test split of one of them: with structure alone under unit costs, and with labels under random costs. A run that
was stopped goes on. ``--weights`` copies the best weights there, without what only training needs; ``--table`` puts the
results into the model's page.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch

from bracket_table import refresh
from graphedx import EditCosts, Graph, datasets
from graphedx._brackets import COLUMNS
from graphedx._kernels import Batch, CancelFlag, Request, canonical_hashes
from graphedx.costs import UNIT
from graphedx.datasets.labels import PAPER
from graphedx.evaluation import errors
from graphedx.models.base import make
from graphedx.models.bracket import Bracket
from graphedx.models.brackets import LOWER, UPPER, brackets, snapped
from graphedx.models.predicting import cost_tensor, predict_pairs
from graphedx.models.saving import BEST, DESCRIPTION, load_model
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.checkpoint import HISTORY
from graphedx.training.data import joined, pair_data
from paper_data import RAW, prepared, reported_mse
from record import CONSOLE, WORK, chosen_data, result_file, save

SETS = ("AIDS", "Mutag", "Molhiv", "Linux", "Code2-like")
EMBEDDED = ("nci", "pyast")
MOST_PAIRS = 100_000  # of a set, structure alone; no set shall drown out the others
LABELLED_PAIRS = 2_500  # of each set under each costs with labels
DRAWS = 10
NARROWER = 0.15, 0.35  # of the pairs, up to these shares with an eighth and with a third of the expansions
LARGER, LARGER_PAIRS, LARGER_SECONDS = (30, 40), 600, 5.0


class Row(NamedTuple):
    """Errors on the test split of a set; those of the beam alone, whose interval the network sees, beside them."""

    dataset: str
    costs: str
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


class Labels(NamedTuple):
    """Pairs of a split's graphs by place, under one setting of costs, and their proven distances."""

    ends: np.ndarray
    distances: np.ndarray
    costs: EditCosts


def structural(source: Source, split: str, costs: EditCosts = PAPER["uniform"]) -> Labels:
    """All pairs, or so many of those that may be learned from."""
    dataset = source.dataset
    distances = np.asarray(dataset.labels(split, costs).distances)
    pairs = dataset.pairs(split) - dataset.span(split).start
    if split == "train":
        allowed = np.flatnonzero(np.isin(pairs, np.array(sorted(source.allowed))).all(1))
        kept = np.sort(np.random.default_rng(0).permutation(allowed)[:MOST_PAIRS])
        pairs, distances = pairs[kept], distances[kept]
    return Labels(pairs, distances, costs)


def labelled(source: Source, split: str, costs: EditCosts, count: int, seed: int) -> Labels:
    """Random pairs; without a time limit, so that the same pairs are learned from in every run."""
    graphs = source.dataset.split(split)
    places = np.array(sorted(source.allowed)) if split == "train" else np.arange(len(graphs))
    ends = np.random.default_rng(seed).choice(places, size=(count, 2)).astype(np.int32)
    return Labels(ends, Batch(graphs, costs).columns(ends, Request("exact"), CancelFlag()).upper, costs)


def pairs_of(graphs: Sequence[Graph], labels: Sequence[Labels]) -> PairData:
    """Each graph once, whatever it is compared with and under whichever costs."""
    ends, distances = (np.concatenate([getattr(one, name) for one in labels]) for name in ("ends", "distances"))
    data = pair_data(graphs, ends, distances, kind=Bracket)
    costs = torch.cat([cost_tensor(one.costs).expand(len(one.ends), 6) for one in labels])
    return PairData(data.graphs, data.ends, data.distances, costs)


def gathered(found: list[Source], split: str, seed: int, model: Bracket) -> PairData:
    """All of it, with evidence; of the training pairs those which the beam has not proven: the others teach nothing."""
    count = LABELLED_PAIRS if split == "train" else LABELLED_PAIRS // 10
    parts = []
    for source in found:
        labels = [structural(source, split)]
        labels += [labelled(source, split, costs, count, seed + k) for k, costs in enumerate(random_costs(seed))]
        parts.append(pairs_of(source.dataset.split(split), labels))
    data = joined(parts)
    if split != "train":
        return data.with_evidence(model, cost_tensor(UNIT))
    data = replace(data, evidence=mixed_evidence(data, model.config.expansions, seed))
    open_ = torch.nonzero(data.evidence[:, UPPER] > data.evidence[:, LOWER])[:, 0]
    CONSOLE.print(f"{len(data):,} pairs to learn from, {len(open_):,} of them not proven by the beam")
    return PairData(data.graphs, data.ends[open_], data.distances[open_], data.costs[open_], data.evidence[open_])


def mixed_evidence(data: PairData, expansions: int, seed: int) -> torch.Tensor:
    """Most from the beam that it will have, some from narrower ones: on larger graphs every beam is narrow."""
    drawn = torch.rand(len(data), generator=torch.Generator().manual_seed(seed))
    rows = torch.empty(len(data), len(COLUMNS), dtype=torch.float64)
    limits = [0.0, *NARROWER, 1.0]
    for low, high, part in zip(limits[:-1], limits[1:], (8, 3, 1), strict=True):
        places = torch.nonzero((low <= drawn) & (drawn < high))[:, 0]
        rows[places] = brackets(data.graphs, data.ends[places], data.costs[places], max(1, expansions // part))
    return rows


def trained(found: list[Source], epochs: int, seed: int, folder: Path) -> None:
    torch.manual_seed(seed)
    model = make("bracket", {})
    assert isinstance(model, Bracket)
    train, validation = (gathered(found, split, seed, model) for split in ("train", "val"))
    how = TrainConfig(
        learning_rate=3e-3, weight_decay=0.0, batch=4096, blocks=8, max_epochs=epochs, seed=seed, one_cycle=True
    )
    about = {"costs": list(astuple(UNIT)), "vocabulary": [], "datasets": [source.name for source in found]}

    def report(epoch: object) -> None:
        CONSOLE.print(str(epoch))

    fit(model, train, validation, cost_tensor(UNIT), how, folder=folder, about=about, report=report)


def is_finished(folder: Path, epochs: int) -> bool:
    """So that a finished run can be tested again without its data."""
    history = folder / HISTORY
    return history.exists() and len(history.read_text().splitlines()) == epochs + 1


def tested(found: list[Source], folder: Path, data: Path) -> Iterator[Row]:
    model = load_model(folder).model
    reported = reported_mse(data)
    for source in found:
        graphs = source.dataset.split("test")
        for name in ("uniform", "non-uniform"):
            paper = str(reported.get((source.name, name), ""))
            yield tested_on(source.name, name, graphs, structural(source, "test", PAPER[name]), model, paper)
        yield tested_on(source.name, "with labels", graphs, labelled(source, "test", UNIT, 5_000, 1), model, "")
    yield from tested_on_larger(data, model)


def tested_on_larger(data: Path, model: Bracket) -> Iterator[Row]:
    """Graphs of twice the size of those that it was trained on; what is not proven in time is left out, and counted."""
    raw = RAW["Mutag"]
    larger = datasets.prepare(raw.entry, data / "data" / "raw" / raw.file, max_nodes=LARGER[1])
    graphs = [graph for graph in larger.graphs if len(graph) >= LARGER[0]]
    ends = np.random.default_rng(0).choice(len(graphs), size=(LARGER_PAIRS, 2)).astype(np.int32)
    for name, costs in (("uniform", PAPER["uniform"]), ("with labels", UNIT)):
        found = Batch(graphs, costs).columns(ends, Request("exact", time_limit=LARGER_SECONDS), CancelFlag())
        proven = found.lower == found.upper
        CONSOLE.print(
            f"{name}: {int(proven.sum())} of {len(ends)} pairs of {LARGER[0]} to {LARGER[1]} nodes are proven"
        )
        known = Labels(ends[proven], found.upper[proven], costs)
        yield tested_on(f"Mutag, {LARGER[0]} to {LARGER[1]} nodes", name, graphs, known, model, "")


def tested_on(name: str, costs_name: str, graphs: Sequence[Graph], labels: Labels, model: Bracket, paper: str) -> Row:
    prices = cost_tensor(labels.costs)
    test = pair_data(graphs, labels.ends, labels.distances, kind=Bracket)
    truth = np.asarray(labels.distances, dtype=np.float64)
    start = perf_counter()
    guesses = predict_pairs(model, test.graphs, test.ends, prices)
    seconds = perf_counter() - start
    evidence = model.evidence(test.graphs, test.ends, prices)
    plain = errors(guesses.numpy(), truth)
    near = errors(snapped(guesses, evidence).numpy(), truth)
    lower, upper = evidence[:, LOWER].numpy(), evidence[:, UPPER].numpy()
    return Row(
        *(name, costs_name, len(truth), plain.mse, plain.mse_stderr, plain.mae, plain.kendall_tau, plain.hits),
        *(near.mse, near.hits, float(((upper - truth) ** 2).mean()), float((upper == lower).mean())),
        *(seconds / len(truth) * 1e6, paper),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weights", type=Path, help="where the best weights are copied to")
    parser.add_argument("--table", action="store_true", help="only make the page say what the result file says")
    options = parser.parse_args()
    if options.table:
        refresh()
        return 0
    data = chosen_data(options, parser)
    torch.set_num_threads(1)
    folder = WORK / f"bracket-{options.epochs}-{options.seed}"
    found = sources(data)
    if not is_finished(folder, options.epochs):
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
