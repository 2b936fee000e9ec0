"""All models side by side: how long a guess takes, and a step of training.

    python benchmarks/kernels/models.py --data DIR [--quick]
    python benchmarks/kernels/models.py --table

The pairs are the paper's test pairs of AIDS (structure only, at most 20 nodes); without a folder of raw data graphs are
generated, and the table says so. Weights are as they are before any training: they do not matter to the time, but for
``bracket``, of which most is the beam. A guess is timed from tensors to numbers, with every graph encoded once, and
from encoded graphs; a step has 256 random pairs and goes forth, back and through Adam. One thread, processor time,
which a machine that does other things, too, changes little; models take turns, and the best of several rounds counts.
``--table`` measures nothing: it puts the rows into the page and draws the figure.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from graphedx import Graph
from graphedx.costs import UNIFORM
from graphedx.models.base import PairModel, kind_of, make, models, setting_names
from graphedx.models.batching import GraphBatch
from graphedx.models.predicting import cost_tensor, predict_pairs
from graphedx.training import PairData
from kernels.inference import graphs_of
from models_table import FROM, refresh
from record import data_folder, result_file, save

CONSOLE = Console()
ROUNDS, STEPS = 5, 8
BATCH = 256
COSTS = cost_tensor(UNIFORM)


class Row(NamedTuple):
    """Of one model: microseconds a pair with encoding and without, steps a second, and both beside GraphEdX's."""

    model: str
    data: str
    pairs: int
    parameters: int
    interaction: str
    output: str
    microseconds: float
    microseconds_encoded: float
    steps_per_second: float
    guesses_beside_graphedx: float
    steps_beside_graphedx: float


class Measured:
    """A model and the least time that each of its tasks has taken."""

    def __init__(self, name: str, graphs: list[Graph], seed: int) -> None:
        torch.manual_seed(seed)
        self.model = made(name, max(20, *map(len, graphs)))
        self.graphs = kind_of(name).batch(graphs, ())
        self.pairs = torch.tensor(list(combinations_with_replacement(range(len(graphs)), 2)))
        self.some = self.pairs[torch.randperm(len(self.pairs))[:BATCH]]
        apart = (self.graphs.sizes + self.graphs.edges)[self.some].diff(dim=1)[:, 0].abs()  # as good as a distance
        self.data = PairData(self.graphs, self.some, apart.float()).with_evidence(self.model, COSTS)
        self.adam = torch.optim.Adam(self.model.parameters(), lr=1e-3, weight_decay=5e-4, foreach=True)
        self.guess = self.encoded = self.step = float("inf")

    def round(self) -> None:
        self.guess = min(self.guess, seconds(lambda: predict_pairs(self.model, self.graphs, self.pairs, COSTS)))
        with torch.inference_mode():
            known = self.model.encode(self.graphs, COSTS)
            self.encoded = min(self.encoded, seconds(lambda: compared(self.model, self.graphs, known, self.pairs)))
        self.model.train()
        for _ in range(STEPS):
            self.step = min(self.step, seconds(self.train))

    def train(self) -> None:
        distances, penalty = self.model.distances_and_penalty(*self.data.batch(torch.arange(len(self.some)), COSTS))
        loss = ((distances - self.data.distances) ** 2).mean() + penalty
        self.adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.adam.step()


def made(name: str, most_nodes: int) -> PairModel:
    """With the settings that training would choose."""
    settings = {"max_nodes": most_nodes} if "max_nodes" in setting_names(name) else {}
    return make(name, settings)


def compared(model: PairModel, graphs: GraphBatch, encoded: object, pairs: Tensor) -> None:
    for part in pairs.split(16_384):
        model.compare(graphs, encoded, part, COSTS)


def seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def measured(name: str, graphs: list[Graph], seed: int, rounds: int) -> list[Row]:
    all_of_them = {model: Measured(model, graphs, seed) for model in models()}
    for _ in range(rounds):
        for one in all_of_them.values():
            one.round()
    own = all_of_them["graphedx"]
    return [
        Row(
            *(model, name, len(one.pairs), sum(weight.numel() for weight in one.model.parameters())),
            *(one.model.interaction, one.model.output),
            *(one.guess / len(one.pairs) * 1e6, one.encoded / len(one.pairs) * 1e6, 1 / one.step),
            *(one.guess / own.guess, own.step / one.step),
        )
        for model, one in all_of_them.items()
    ]


def show(rows: list[Row]) -> None:
    heads = ("model", "parameters", "interaction", "µs a pair", "encoded", "steps/s")
    table = Table(*heads, title=f"{rows[0].data}, {rows[0].pairs:,} pairs, one thread")
    for row in sorted(rows, key=lambda row: row.microseconds):
        times = f"{row.microseconds:.2f}", f"{row.microseconds_encoded:.2f}", f"{row.steps_per_second:.0f}"
        table.add_row(row.model, f"{row.parameters:,}", row.interaction, *times)
    CONSOLE.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of raw data; GRAPHEDX_DATA names it too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="40 graphs, one round, results outside the repository")
    parser.add_argument("--table", action="store_true", help="only write the page's table again, and draw the figure")
    chosen = parser.parse_args()
    if not chosen.table:
        torch.set_num_threads(1)
        name, graphs = graphs_of(data_folder(chosen.data), chosen.quick, chosen.seed)
        rows = measured(name, graphs, chosen.seed, 1 if chosen.quick else ROUNDS)
        show(rows)
        save(result_file(FROM.stem, chosen.quick), Row._fields, rows, chosen.seed)
    if not chosen.quick:
        refresh()


if __name__ == "__main__":
    main()
