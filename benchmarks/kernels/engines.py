"""What engines add to the search: threads against one thread, and a local Ray against threads, in alternating runs.

    python benchmarks/kernels/engines.py --data DIR [--quick] [--rounds 3]

The work is all pairs of the paper's graphs (structure only, at most 20 nodes, uniform costs), solved exactly.
Without the folder of raw data the graphs are generated, and every title says so. Wants two idle cores.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from rich.console import Console
from rich.table import Table

from graphedx import Graph
from graphedx.costs import UNIFORM
from graphedx.engine import Answers, Block, Engine, LocalEngine, Question, Work
from graphedx.engine.ray_cluster import RayEngine
from kernels.exact import generated_molecule
from paper_data import prepared
from record import data_folder, machine, result_file, save

SETS = ("AIDS", "Mutag")
WORKERS = 2
QUICK = 20  # a pair of so many
CONSOLE = Console()


class Row(NamedTuple):
    """One number: what was measured, on what, and what it is."""

    what: str
    data: str
    pairs: int
    value: float
    unit: str
    note: str = ""


class Run(NamedTuple):
    """One engine's way through the work."""

    seconds: float
    own_seconds: float  # of the CPU, in this process
    blocks: int
    answers: Answers


# -- data -------------------------------------------------------------------------------------------------------------


def works(data: Path | None, names: Sequence[str], every: int, seed: int) -> Iterator[tuple[str, Work]]:
    if data is None:
        rng = random.Random(seed)
        yield "generated", work_of([generated_molecule(rng, rng.randint(10, 18)) for _ in range(300)], every)
        return
    for name in names:
        yield f"{name}, all pairs", work_of(prepared(name, data).graphs, every)


def work_of(graphs: Sequence[Graph], every: int) -> Work:
    plain = [graph.unlabelled() for graph in graphs]
    ends = np.array([*combinations_with_replacement(range(len(plain)), 2)], dtype=np.int32)
    return Work(Question("exact", UNIFORM), plain, plain, ends[::every].copy())


# -- measuring --------------------------------------------------------------------------------------------------------


def timed(engine: Engine, work: Work) -> Run:
    order = np.argsort(work.difficulty, kind="stable").astype(np.int64)
    answers, blocks = Answers(work.source_sizes), 0

    def collect(block: Block) -> None:
        nonlocal blocks
        answers.put(block)
        blocks += 1

    start, own = time.perf_counter(), time.process_time()
    engine.solve(work, order, collect)
    return Run(time.perf_counter() - start, time.process_time() - own, blocks, answers)


def start_of_ray() -> float:
    """Seconds until a Ray of this machine is there and has answered once; it stays."""
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    start = time.perf_counter()
    ray.init("local", num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level=logging.CRITICAL)
    timed(RayEngine(), work_of([Graph(1), Graph(2)], 1))
    return time.perf_counter() - start


def compare(name: str, work: Work, rounds: int) -> Iterator[Row]:
    """In turns, so that a noisy neighbour disturbs all; ratios are taken within a round."""
    engines = {
        "1 thread": LocalEngine(1),
        f"{WORKERS} threads": LocalEngine(WORKERS),
        f"Ray, {WORKERS} CPUs": RayEngine(),
    }
    one, several, ray = engines
    runs: dict[str, list[Run]] = {what: [] for what in engines}
    for _ in range(rounds):
        for what, engine in engines.items():
            runs[what].append(timed(engine, work))
            CONSOLE.print(f"{name}: {what} {runs[what][-1].seconds:.2f} s", highlight=False)
    truth = runs[one][0].answers
    for what, found in runs.items():
        differ = sum(int((run.answers.upper != truth.upper).sum()) for run in found)
        note = f"{found[-1].blocks} blocks; {differ} values differ"
        yield Row(f"{what}, wall time", name, len(work), middle(run.seconds for run in found), "s", note)
    rate = len(work) / middle(run.own_seconds for run in runs[one])
    yield Row("pairs a second of one core", name, len(work), rate, "1/s", "by the CPU's clock")
    rounds_of = list(zip(runs[one], runs[several], runs[ray], strict=True))
    efficiency = middle(100 * alone.seconds / (WORKERS * both.seconds) for alone, both, _ in rounds_of)
    yield Row(f"parallel efficiency of {WORKERS} threads", name, len(work), efficiency, "%", "target: at least 85")
    overhead = middle(100 * (far.seconds / near.seconds - 1) for _, near, far in rounds_of)
    yield Row("Ray's overhead over threads", name, len(work), overhead, "%", "target: at most 15; its start left out")
    own = middle(1000 * run.own_seconds / run.blocks for run in runs[ray])
    yield Row("CPU time of the calling process a task", name, len(work), own, "ms", "Ray's threads in it included")


def middle(values: Iterator[float]) -> float:
    return statistics.median(values)


# -- reporting --------------------------------------------------------------------------------------------------------


def show(rows: Sequence[Row]) -> None:
    table = Table(title=f"Engines on {WORKERS} cores of {machine()}")
    for column in ("data", "what", "pairs", "value", "", "note"):
        table.add_column(column, justify="right" if column in ("pairs", "value") else "left")
    for row in rows:
        table.add_row(row.data, row.what, f"{row.pairs:,}", f"{row.value:,.4g}", row.unit, row.note)
    CONSOLE.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help=f"every {QUICK}th pair; not kept with the results")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no folder of raw data (--data or GRAPHEDX_DATA): generated graphs")
    rows = [Row("start of Ray with its first answer", "", 1, start_of_ray(), "s")]
    for name, work in works(data, options.sets, QUICK if options.quick else 1, options.seed):
        rows.extend(compare(name, work, options.rounds))
    show(rows)
    save(result_file("engines", options.quick), Row._fields, rows, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
