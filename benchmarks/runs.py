"""Models trained as the paper trains them, several at a time, and tested on its test pairs; runs that stop go on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console

from graphedx import datasets
from graphedx.datasets import catalog
from graphedx.datasets.labels import PAPER
from graphedx.evaluation import errors
from graphedx.models.base import make
from graphedx.models.predicting import cost_tensor
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.data import pair_data, predict
from paper_data import RAW, prepared
from record import PROVENANCE, WORK, data_folder, load, plain, provenance, save

CONSOLE = Console(width=None if sys.stdout.isatty() else 150)


class Task(NamedTuple):
    """One model to train, in a folder of its own below build/."""

    folder: str
    dataset: str
    costs: str
    model: str
    settings: tuple[tuple[str, Any], ...]
    seed: int
    epochs: int
    patience: int


class Outcome(NamedTuple):
    """What became of it."""

    task: Task
    parameters: int
    epochs: int
    best_epoch: int
    stopped: bool  # by itself, not by the limit of epochs
    validation: float
    mse: float
    mse_stderr: float
    kendall_tau: float


def split_data(dataset: datasets.Dataset, split: str, costs: str) -> PairData:
    """The structure of a split's graphs, and the proven distances of its pairs."""
    graphs = [graph.unlabelled() for graph in dataset.split(split)]
    table = dataset.labels(split, PAPER[costs])
    return pair_data(graphs, dataset.pairs(split) - dataset.span(split).start, table.distances)


def padded_nodes(dataset: str) -> int:
    """What the graphs of a set are padded to: the rule by which it is made."""
    return catalog.get(RAW[dataset].entry).max_nodes


def trained(task: Task, dataset_folder: Path) -> Outcome:
    torch.set_num_threads(1)
    dataset = datasets.load(dataset_folder)
    train, validation, test = (split_data(dataset, split, task.costs) for split in datasets.SPLITS)
    torch.manual_seed(task.seed)
    model = make(task.model, dict(task.settings))
    costs = cost_tensor(PAPER[task.costs])
    how = TrainConfig(seed=task.seed, max_epochs=task.epochs, patience=task.patience)
    done = fit(model, train, validation, costs, how, folder=WORK / task.folder)
    found = errors(predict(model, test, costs).numpy(), test.distances.numpy())
    stopped = done.epochs - done.best_epoch >= how.patience
    weights = sum(weight.numel() for weight in model.parameters())
    scores = found.mse, found.mse_stderr, found.kendall_tau
    return Outcome(task, weights, done.epochs, done.best_epoch, stopped, done.validation, *scores)


def labelled(name: str, data: Path) -> datasets.Dataset:
    """A set of the paper with all its labels, made from the raw files unless it is there."""
    dataset = prepared(name, data, WORK / "datasets" / RAW[name].entry)
    datasets.label(dataset, [PAPER["uniform"]])  # without costs of substitution these say all others
    return dataset


def arguments(about: str) -> argparse.ArgumentParser:
    """What every study that trains such models can be asked for."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--sets", type=words, default=["Linux"])
    parser.add_argument("--costs", type=words, default=["uniform", "non-uniform"])
    parser.add_argument("--seeds", type=lambda text: [int(word) for word in words(text)], default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=100_000, help="cut runs off there")
    parser.add_argument("--patience", type=int, default=101)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="only write the tables of the page again")
    return parser


def words(text: str) -> list[str]:
    return text.split(",")


def chosen_data(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Path:
    """The folder of raw data; without one it ends with a message."""
    data = data_folder(options.data)
    if data is None:
        parser.error("no data: pass --data, or set GRAPHEDX_DATA")
    return data


def all_trained(tasks: Sequence[Task], data: Path, processes: int) -> Iterator[Outcome]:
    """As they end, and a line about each."""
    folders = {name: labelled(name, data).folder for name in dict.fromkeys(task.dataset for task in tasks)}
    with ProcessPoolExecutor(processes) as pool:
        running = [pool.submit(trained, task, folders[task.dataset]) for task in tasks]
        for number, future in enumerate(as_completed(running), 1):
            found = future.result()
            what = f"{found.task.folder}: test {found.mse:.3f} after {found.best_epoch} epochs"
            CONSOLE.print(f"{number} of {len(tasks)}: {what}", highlight=False)
            yield found


def keep(path: Path, key: Sequence[str], columns: Sequence[str], found: Sequence[NamedTuple]) -> None:
    """Put rows, which have a seed, beside those of earlier runs; the same question's old row goes."""
    kept = {tuple(row[name] for name in key): row for row in load(path)}
    where = [name for name in PROVENANCE if name != "seed"]
    for row in found:
        values = row._asdict()
        about = dict(zip(PROVENANCE, provenance(values["seed"]), strict=True))
        fresh = {name: str(plain(value)) for name, value in (values | {name: about[name] for name in where}).items()}
        kept[tuple(fresh[name] for name in key)] = fresh
    names = [*columns, *where]
    save(path, names, [[row[name] for name in names] for row in kept.values()], None)
