"""The paper's model, trained as the paper does: test errors of the nine combinations beside those that it reports.

    python benchmarks/studies/reproduction.py --data DIR --sets Linux [--costs uniform]
        [--combinations xor/align_diff] [--seeds 0,1,2] [--weights 0.1,1] [--epochs N] [--processes 2]
    python benchmarks/studies/reproduction.py --table

For each combination (edge term/node term), costs and seed one model is trained for each weight of the node term, and
the one with the lower validation error is tested. Runs are kept below build/ and go on where they were stopped; with
``--epochs`` they are cut off there, and the row says so. ``--table`` trains nothing: it puts all rows that there are
into docs/reproduction.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from rich.console import Console

from graphedx import datasets
from graphedx.datasets.labels import PAPER
from graphedx.evaluation import errors
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.set_terms import SetTerm
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.data import pair_data, predict
from paper_data import RAW, prepared
from record import PROVENANCE, WORK, data_folder, load, plain, provenance, save
from reproduction_table import COMBINATIONS, FROM, NAMES, refresh

CONSOLE = Console(width=None if sys.stdout.isatty() else 150)


class Task(NamedTuple):
    """One model to train."""

    dataset: str
    costs: str
    combination: str
    weight: float
    seed: int
    epochs: int
    patience: int


class Outcome(NamedTuple):
    """What became of it."""

    task: Task
    epochs: int
    best_epoch: int
    stopped: bool  # by itself, not by --epochs
    validation: float
    mse: float
    mse_stderr: float
    kendall_tau: float


class Row(NamedTuple):
    """The better of the weights, by validation."""

    dataset: str
    costs: str
    edge_term: str
    node_term: str
    seed: int
    node_weight: float
    epochs: int
    best_epoch: int
    stopped_early: bool
    validation: float
    mse: float
    mse_stderr: float
    kendall_tau: float
    paper_mse: str


def split_data(dataset: datasets.Dataset, split: str, costs: str) -> PairData:
    graphs = [graph.unlabelled() for graph in dataset.split(split)]
    table = dataset.labels(split, PAPER[costs])
    return pair_data(graphs, dataset.pairs(split) - dataset.span(split).start, table.distances)


def trained(task: Task, folder: Path) -> Outcome:
    torch.set_num_threads(1)
    dataset = datasets.load(folder)
    train, validation, test = (split_data(dataset, split, task.costs) for split in datasets.SPLITS)
    edge, node = task.combination.split("/")
    config = GraphEdXConfig(
        node_term=SetTerm(node),
        edge_term=SetTerm(edge),
        node_weight=task.weight,
        max_nodes=dataset.provenance["rules"]["max_nodes"],
    )
    torch.manual_seed(task.seed)
    model = GraphEdX(config)
    costs = torch.tensor([float(getattr(PAPER[task.costs], name)) for name in PAPER[task.costs].__slots__])
    name = f"{task.dataset}-{task.costs}-{task.combination.replace('/', '-')}-{task.weight:g}-{task.seed}"
    how = TrainConfig(seed=task.seed, max_epochs=task.epochs, patience=task.patience)
    done = fit(model, train, validation, costs, how, folder=WORK / "reproduction" / name)
    found = errors(predict(model, test, costs).numpy(), test.distances.numpy())
    stopped = done.epochs - done.best_epoch >= how.patience
    scores = found.mse, found.mse_stderr, found.kendall_tau
    return Outcome(task, done.epochs, done.best_epoch, stopped, done.validation, *scores)


def rows(outcomes: list[Outcome], data: Path) -> Iterator[Row]:
    groups: dict[tuple[str, str, str, int], list[Outcome]] = {}
    for outcome in outcomes:
        task = outcome.task
        groups.setdefault((task.dataset, task.costs, task.combination, task.seed), []).append(outcome)
    reported = reported_errors(data)
    for (dataset, costs, combination, seed), found in groups.items():
        best = min(found, key=lambda outcome: outcome.validation)
        edge, node = combination.split("/")
        paper = reported.get((dataset, costs, f"{NAMES[edge]} / {NAMES[node]}"), "")
        yield Row(
            *(dataset, costs, edge, node, seed, best.task.weight, best.epochs, best.best_epoch),
            *(all(outcome.stopped for outcome in found), best.validation, best.mse, best.mse_stderr),
            *(best.kendall_tau, paper),
        )


def reported_errors(data: Path) -> dict[tuple[str, str, str], str]:
    """(data set, costs, combination) -> the paper's test MSE."""
    return {
        (row["dataset"], row["costs"], row["method"]): row["value"]
        for row in load(data / "paper" / "tables.csv")
        if row["table"].startswith("nine surrogate") and row["metric"] == "MSE"
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--sets", default="Linux")
    parser.add_argument("--costs", default="uniform,non-uniform")
    parser.add_argument("--combinations", default=",".join(map("/".join, COMBINATIONS)))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--weights", default="0.1,1")
    parser.add_argument("--epochs", type=int, default=100_000)
    parser.add_argument("--patience", type=int, default=101)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="only write the tables of the page again")
    options = parser.parse_args()
    if options.table:
        refresh()
        return 0
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no data: pass --data, or set GRAPHEDX_DATA")
        return 2
    grid = [*product(options.sets.split(","), options.costs.split(","), options.combinations.split(","))]
    tasks = [
        Task(*what, weight, seed, options.epochs, options.patience)
        for seed in map(int, options.seeds.split(","))
        for what in grid
        for weight in map(float, options.weights.split(","))
    ]
    folders = {}
    for name in options.sets.split(","):
        dataset = prepared(name, data, WORK / "datasets" / RAW[name].entry)
        datasets.label(dataset, [PAPER["uniform"]])
        folders[name] = dataset.folder
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(options.processes) as pool:
        running = [pool.submit(trained, task, folders[task.dataset]) for task in tasks]
        for future in as_completed(running):
            outcomes.append(future.result())
            task, last = outcomes[-1].task, outcomes[-1]
            what = f"{task.dataset} {task.costs} {task.combination}, weight {task.weight:g}, seed {task.seed}"
            CONSOLE.print(
                f"{len(outcomes)} of {len(tasks)}: {what}: test {last.mse:.3f} after {last.best_epoch} epochs"
            )
            keep(FROM, list(rows(outcomes, data)))
    return 0


def keep(path: Path, found: list[Row]) -> None:
    """Put rows beside those of earlier runs; the same question's old row goes."""
    key = ("dataset", "costs", "edge_term", "node_term", "seed")
    kept = {tuple(row[name] for name in key): row for row in load(path)}
    for row in found:
        where = dict(zip(PROVENANCE, provenance(row.seed), strict=True))
        fresh = {name: str(plain(value)) for name, value in row._asdict().items()} | {
            name: str(value) for name, value in where.items() if name != "seed"
        }
        kept[tuple(fresh[name] for name in key)] = fresh
    columns = [*Row._fields, *(name for name in PROVENANCE if name != "seed")]
    save(path, columns, [[row[name] for name in columns] for row in kept.values()], None)


if __name__ == "__main__":
    sys.exit(main())
