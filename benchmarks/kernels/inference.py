"""Guesses of the paper's model for many pairs: all at once, as a matrix, and pair by pair.

    python benchmarks/kernels/inference.py --data DIR [--quick]

The pairs are the paper's test pairs of AIDS (structure only, at most 20 nodes); without a folder of raw data graphs
are generated, and the title says so. XOR for edges, AlignDiff for nodes, weights as they are before any training: they
matter little to the time. It is taken from Python graphs to numbers, encoding included, the best of several rounds;
pair by pair on a sample. Rates are by the clock on the wall, and want idle cores; how many times faster it is, by the
processor time of all threads, which a machine that does other things, too, changes little.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from rich.console import Console
from rich.table import Table

from graphedx import Graph
from graphedx.costs import UNIFORM
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.predicting import Estimator
from kernels.exact import generated_molecule
from paper_data import tested_graphs
from record import data_folder, result_file, save

GRAPHS = 183  # of the test split of AIDS
SAMPLE = 500  # pairs one by one
ROUNDS = 7
CONSOLE = Console()


class Row(NamedTuple):
    """One way to ask; ``faster`` compares its processor time a pair with that of pair by pair."""

    how: str
    data: str
    pairs: int
    threads: int
    seconds: float
    cpu_seconds: float
    pairs_per_second: float
    faster: float


def graphs_of(data: Path | None, quick: bool, seed: int) -> tuple[str, list[Graph]]:
    name, graphs = "AIDS, test pairs", tested_graphs("AIDS", data) if data else []
    if data is None:
        rng = random.Random(seed)
        sizes = [min(20, max(4, round(rng.gauss(11, 4)))) for _ in range(GRAPHS)]
        name, graphs = "generated", [generated_molecule(rng, nodes).unlabelled() for nodes in sizes]
    return name, graphs[:40] if quick else graphs


def best(ask: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The least seconds by the wall, and of the processor."""
    times = []
    for _ in range(rounds):
        start, start_cpu = time.perf_counter(), time.process_time()
        ask()
        times.append((time.perf_counter() - start, time.process_time() - start_cpu))
    wall, cpu = zip(*times, strict=True)
    return min(wall), min(cpu)


def compare(name: str, graphs: Sequence[Graph], seed: int) -> list[Row]:
    torch.manual_seed(seed)
    model = Estimator(GraphEdX(GraphEdXConfig()).eval(), UNIFORM)
    pairs = list(combinations_with_replacement(graphs, 2))
    some = random.Random(seed).sample(pairs, min(SAMPLE, len(pairs)))
    ready = model.prepare(graphs)
    ways: dict[str, tuple[int, Callable[[], object]]] = {
        "pair by pair": (len(some), lambda: [model.predict([pair]) for pair in some]),
        "all at once": (len(pairs), lambda: model.predict(pairs)),
        "matrix": (len(graphs) ** 2, lambda: model.matrix(graphs)),
        "matrix of prepared graphs": (len(graphs) ** 2, lambda: model.matrix(ready)),
    }
    rows = []
    for how, (count, ask) in ways.items():
        wall, cpu = best(ask, ROUNDS)
        first = rows[0] if rows else Row(how, name, count, 0, wall, cpu, 0, 1)
        faster = (first.cpu_seconds / first.pairs) / (cpu / count)
        rows.append(Row(how, name, count, torch.get_num_threads(), wall, cpu, count / wall, faster))
    return rows


def show(rows: list[Row]) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    table = Table(
        "how", "pairs", "ms", "of the processor", "pairs/s", "times faster", title=f"{rows[0].data}; load {load}"
    )
    for row in rows:
        times = (f"{seconds * 1e3:.1f}" for seconds in (row.seconds, row.cpu_seconds))
        table.add_row(row.how, f"{row.pairs:,}", *times, f"{row.pairs_per_second:,.0f}", f"{row.faster:.1f}")
    CONSOLE.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of raw data; GRAPHEDX_DATA names it too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="40 graphs, results outside the repository")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    name, graphs = graphs_of(data_folder(chosen.data), chosen.quick, chosen.seed)
    rows = compare(name, graphs, chosen.seed)
    show(rows)
    save(result_file("inference", chosen.quick), Row._fields, rows, chosen.seed)


if __name__ == "__main__":
    main()
