"""Do bounds come in the order that theory promises, and upper bounds out the same both ways? On real molecules.

    python benchmarks/check_order.py --data DIR [--pairs 1000]

hed <= branch <= branch_tight <= distance on every pair; every native method's upper bound is the same from either side,
graphs of equal size included; and the linear relaxation of fori is at least that of f2 on every pair (fewer pairs: they
take milliseconds). Exit status 1 if not.
"""

from __future__ import annotations

import argparse
import random
import sys
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.progress import track

from graphedx import EditCosts, Graph, ged, solvers
from raw_data import read_tu
from record import data_folder

COSTS = EditCosts(3, 1, 2, 1, 1, 1)
SYMMETRIC = ("bipartite", "branch", "branch_tight", "ipfp", "refine", "beam", "large")
TOLERANCE = 1e-9
CONSOLE = Console()


def sampled(graphs: list[Graph], most: int, pairs: int, seed: int) -> list[tuple[Graph, Graph]]:
    """Random pairs; every fourth of graphs that have the same number of nodes and edges, where there are such."""
    rng = random.Random(seed)
    pool = [graph for graph in graphs if 2 <= len(graph) <= most]
    alike: dict[tuple[int, int], list[Graph]] = {}
    for graph in pool:
        alike.setdefault((len(graph), graph.num_edges), []).append(graph)
    groups = [group for group in alike.values() if len(group) > 1]
    found = []
    for k in range(pairs):
        a, b = rng.sample(rng.choice(groups) if k % 4 == 0 else pool, 2)
        found.append((a, b))
    return found


def complaints(a: Graph, b: Graph, with_programmes: bool) -> list[str]:
    lower = {name: ged(a, b, costs=COSTS, method=name).lower for name in ("hed", "branch", "branch_tight")}
    lower["distance"] = ged(a, b, costs=COSTS).distance
    names = list(lower)
    found = [f"{x} > {y}" for x, y in pairwise(names) if lower[x] > lower[y] + TOLERANCE]
    for name in SYMMETRIC:
        there, back = ged(a, b, costs=COSTS, method=name), ged(b, a, costs=COSTS.swapped(), method=name)
        if there.upper != back.upper:
            found.append(f"{name}: {there.upper:g} there, {back.upper:g} back")
    if with_programmes:
        weak, strong = (ged(a, b, costs=COSTS, method=name, relax=True).lower for name in ("f2", "fori"))
        if weak > strong + TOLERANCE:
            found.append(f"f2's relaxation {weak:g} > fori's {strong:g}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--pairs", type=int, default=1000, help="a data set")
    parser.add_argument("--programmes", type=int, default=100, help="pairs a data set for f2 and fori")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no data: nothing to compare (--data or GRAPHEDX_DATA names the folder of raw data)")
        return 0
    assert set(SYMMETRIC) <= set(solvers.methods())
    bad = 0
    for name in ("AIDS", "Mutagenicity"):
        graphs = read_tu(data / "data" / "raw" / name / f"{name}_TU.tar.gz")
        for k, (a, b) in enumerate(track(sampled(graphs, 20, options.pairs, options.seed), name, console=CONSOLE)):
            found = complaints(a, b, with_programmes=k < options.programmes)
            bad += bool(found)
            for text in found:
                CONSOLE.print(f"{name} pair {k}: {text}")
    CONSOLE.print(f"{2 * options.pairs} pairs, {bad} out of order")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
