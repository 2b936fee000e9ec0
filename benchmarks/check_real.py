"""Public data: do our distances equal every published one, and does F2 agree? Exit status 1 if not.

python benchmarks/check_real.py --data DIR
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from graphedx import EditCosts, Graph, ged
from graphedx._kernels import Batch
from graphedx.costs import UNIFORM, UNIT
from raw_data import distance_from_common, read_benchmark, read_gexf_folders, read_table, read_truth, read_tu

CHUNK = 500
SHOWN = 10  # disagreements printed a check


class Check(NamedTuple):
    """What a check compared, and the disagreements it found, in words."""

    title: str
    compared: int
    wrong: list[str]
    seconds: float


def distances(graphs: Sequence[Graph], pairs: Sequence[tuple[int, int]], costs: EditCosts, threads: int) -> list[float]:
    """The proven distance of every pair."""
    batch = Batch(graphs, costs)
    chunks = [pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]
    with ThreadPoolExecutor(threads) as pool:
        answers = [answer for some in pool.map(batch.solve, chunks) for answer in some]
    unproven = sum(answer.lower != answer.upper for answer in answers)
    if unproven or len(answers) != len(pairs):
        raise SystemExit(f"{unproven} of {len(pairs)} pairs were not proven")
    return [answer.upper for answer in answers]


def compare(
    title: str,
    graphs: Sequence[Graph],
    published: Sequence[tuple[int, int, float]],
    costs: EditCosts,
    threads: int,
) -> Check:
    start = time.perf_counter()
    ours = distances(graphs, [(i, j) for i, j, _ in published], costs, threads)
    wrong = [
        f"{title}: pair {i}, {j} is published as {theirs:g}, ours is {value:g}"
        for (i, j, theirs), value in zip(published, ours, strict=True)
        if value != theirs
    ]
    return Check(title, len(published), wrong, time.perf_counter() - start)


def check_benchmarks(folder: Path, threads: int) -> Iterator[Check]:
    """The fixed pairs: the published number of common edges gives the distance under any costs without relabelling."""
    for truth in sorted(folder.glob("*.truth.txt")):
        name = truth.name.removesuffix(".truth.txt")
        graphs, _ = read_benchmark(folder / f"{name}.txt")
        costs = EditCosts(3, 1, 2, 1, 0, 0)
        published = [(i, j, distance_from_common(graphs[i], graphs[j], c, costs)) for i, j, c in read_truth(truth)]
        yield compare(name, graphs, published, costs, threads)


def check_table(
    title: str, rows: list[Graph], columns: list[Graph], table: Path, costs: EditCosts, threads: int
) -> Check:
    matrix = np.round(read_table(table), 6)
    if matrix.shape != (len(rows), len(columns)):
        raise SystemExit(f"{table.name} is {matrix.shape}, but there are {len(rows)} x {len(columns)} graphs")
    published = [(i, len(rows) + j, float(matrix[i, j])) for i in range(len(rows)) for j in range(len(columns))]
    return compare(title, [*rows, *columns], published, costs, threads)


def check_tables(raw: Path, threads: int) -> Iterator[Check]:
    linux = read_gexf_folders(raw / "Linux" / "LINUX_gexf.tar.gz", None)
    table = raw / "Linux" / "LINUX_ged_test200_x_train800.csv.gz"
    yield check_table("LINUX test x train", linux["test"], linux["train"], table, UNIFORM, threads)
    aids = read_gexf_folders(raw / "AIDS700nef" / "AIDS700nef_gexf.tar.gz", "type")
    for rows, name in (("test", "ged_astar_test140_x_train560"), ("train", "ged_astar_train560_x_train560")):
        table = raw / "AIDS700nef" / f"{name}.npy.gz"
        yield check_table(f"AIDS700nef {rows} x train", aids[rows], aids["train"], table, UNIT, threads)


def check_f2(raw: Path, pairs: int, most: int, seed: int) -> Check:
    """Labelled molecules under random costs, once by our search and once by HiGHS."""
    start = time.perf_counter()
    rng = random.Random(seed)
    graphs = [graph for graph in read_tu(raw / "AIDS" / "AIDS_TU.tar.gz") if len(graph) <= most]
    wrong = []
    for number in track(range(pairs), "F2", console=Console(stderr=True)):
        source, target = rng.sample(graphs, 2)
        whole = number % 2 == 0
        costs = EditCosts(*(rng.randint(0, 5) if whole else round(rng.uniform(0, 3), 2) for _ in range(6)))
        ours, milp = ged(source, target, costs=costs), ged(source, target, costs=costs, method="f2")
        if not (milp.proven and abs(ours.distance - milp.distance) <= 1e-9):
            said = f"F2 says [{milp.lower}, {milp.upper}], ours is [{ours.lower}, {ours.upper}]"
            wrong.append(f"{source.name} and {target.name} under {costs}: {said}")
    return Check(f"F2 on AIDS, at most {most} nodes", pairs, wrong, time.perf_counter() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("GRAPHEDX_DATA"), help="the folder of raw data")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--f2-pairs", type=int, default=500)
    parser.add_argument("--f2-nodes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.data is None:
        Console().print(
            "neither --data nor GRAPHEDX_DATA names a folder with bench/ and data/raw/: nothing was compared"
        )
        return 0
    if not Path(options.data).is_dir():
        parser.error(f"{options.data} is not a folder")
    raw, console, failed = Path(options.data) / "data" / "raw", Console(), False

    def checks() -> Iterator[Check]:
        yield from check_benchmarks(Path(options.data) / "bench", options.threads)
        yield from check_tables(raw, options.threads)
        if options.f2_pairs:
            yield check_f2(raw, options.f2_pairs, options.f2_nodes, options.seed)

    for check in checks():
        console.print(f"{check.title}: {check.compared:,} pairs, {len(check.wrong)} differ ({check.seconds:.1f} s)")
        for line in check.wrong[:SHOWN]:
            console.print("  " + line, markup=False, highlight=False)
        failed = failed or bool(check.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
