"""How close the linear relaxations of F2 and FORI come to the distance, and what they cost, beside the native bounds.

    python benchmarks/studies/linear_bounds.py --data DIR [--pairs 100] [--proofs 20] [--quick]

Random pairs of labelled molecules whose distance the exact search proves. A bound's share is its quotient by the
distance; pairs at distance 0, where every bound is right, are drawn again. "Relaxation" is the optimum of the linear
programme itself; what a method returns is rounded up to what a distance can be. The first pairs of each size are also
solved to the end, or to the time limit. Times include building the programme and the mapping it starts from, on one
core.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.progress import track
from rich.table import Table

from graphedx import EditCosts, Graph, ged
from graphedx.solvers.milp import f2, fori, highs
from raw_data import read_tu
from record import RESULTS, WORK, data_folder, machine, pin_to_one_core, save

COSTS = EditCosts(3, 1, 2, 1, 1, 1)
SIZES = ((5, 12), (13, 20), (21, 30))
METHODS: dict[str, dict[str, int]] = {"branch": {}, "branch_tight": {}, "f2": {"relax": True}, "fori": {"relax": True}}
FORMULATIONS = {"f2": f2.F2, "fori": fori.FORI}
EXACT_SECONDS = 20.0
PROOF_SECONDS = 5.0
CONSOLE = Console()


class Case(NamedTuple):
    """A pair and its proven distance."""

    source: Graph
    target: Graph
    distance: float


class Row(NamedTuple):
    """One bound on one set of pairs; shares are of the distance, times in milliseconds."""

    data: str
    bound: str
    pairs: int
    mean_share: float
    sd_share: float
    least_share: float
    tight: int  # pairs where the bound is the distance
    mean_ms: float
    median_ms: float
    max_ms: float


def cases(graphs: Sequence[Graph], count: int, rng: random.Random) -> Iterator[Case]:
    while count:
        source, target = rng.sample(graphs, 2)
        result = ged(source, target, costs=COSTS, time_limit=EXACT_SECONDS)
        if result.proven and result.distance > 0:
            count -= 1
            yield Case(source, target, result.distance)


def row(data: str, bound: str, measured: Sequence[tuple[float, float]]) -> Row:
    """From (share, seconds) of every pair."""
    shares, milliseconds = [share for share, _ in measured], [1000 * seconds for _, seconds in measured]
    return Row(
        data,
        bound,
        len(measured),
        statistics.fmean(shares),
        statistics.pstdev(shares),
        min(shares),
        sum(share > 1 - 1e-6 for share in shares),
        statistics.fmean(milliseconds),
        statistics.median(milliseconds),
        max(milliseconds),
    )


def returned(case: Case, method: str) -> tuple[float, float]:
    start = time.perf_counter()
    result = ged(case.source, case.target, costs=COSTS, method=method, **METHODS[method])
    return result.lower / case.distance, time.perf_counter() - start


def relaxed(case: Case, method: str) -> tuple[float, float]:
    start = time.perf_counter()
    programme = FORMULATIONS[method].formulate(case.source, case.target, COSTS.tables(case.source, case.target))
    outcome = highs.relaxation(programme, highs.Budget(inf, inf))
    return outcome.bound / case.distance, time.perf_counter() - start


def proven(case: Case, method: str) -> tuple[float, float]:
    start = time.perf_counter()
    result = ged(case.source, case.target, costs=COSTS, method=method, time_limit=PROOF_SECONDS)
    return result.lower / case.distance, time.perf_counter() - start


def measure(graphs: Sequence[Graph], pairs: int, proofs: int, seed: int) -> Iterator[Row]:
    for method in METHODS:  # the first call loads libraries
        ged(Graph(1), Graph(2), costs=COSTS, method=method, **METHODS[method])
    for least, most in SIZES:
        data = f"AIDS labelled, {least}-{most} atoms"
        fitting = [graph for graph in graphs if least <= len(graph) <= most]
        some = list(track(cases(fitting, pairs, random.Random(seed)), data, total=pairs, console=CONSOLE))
        for method in METHODS:
            yield row(data, f"{method}, as returned", [returned(case, method) for case in some])
        for method in FORMULATIONS:
            yield row(data, f"{method}, relaxation", [relaxed(case, method) for case in some])
            yield row(data, f"{method}, within {PROOF_SECONDS:g} s", [proven(case, method) for case in some[:proofs]])


def show(rows: Sequence[Row]) -> None:
    table = Table(title=f"Lower bounds as shares of the distance, costs {COSTS}, one core of {machine()}")
    for column in Row._fields:
        table.add_column(column.replace("_", " "), justify="left" if column in ("data", "bound") else "right")
    for one in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in one))
    CONSOLE.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; GRAPHEDX_DATA names it too")
    parser.add_argument("--pairs", type=int, default=100, help="of each size")
    parser.add_argument("--proofs", type=int, default=20, help="pairs of each size that are solved to the end")
    parser.add_argument("--quick", action="store_true", help="three pairs of each size, kept out of the results")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = data_folder(options.data)
    if folder is None:
        parser.error("the labelled molecules are in the folder of raw data: name it by --data or GRAPHEDX_DATA")
    pin_to_one_core()
    graphs = read_tu(folder / "data" / "raw" / "AIDS" / "AIDS_TU.tar.gz")
    pairs, proofs = (3, 1) if options.quick else (options.pairs, options.proofs)
    rows = list(measure(graphs, pairs, proofs, options.seed))
    show(rows)
    save((WORK if options.quick else RESULTS) / "linear_bounds.csv", Row._fields, rows, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
