"""Do methods keep their time limits? Never past one by more than 10 % + 5 ms, and streams only ever tighten.

    python benchmarks/check_limits.py [--methods auto,exact] [--sizes 30,100,300,1000]

Exit status 1 if a limit is missed. Run it on an idle machine: a process that is not given the core for 5 ms is late
whatever it does, so a miss counts only if it happens again in each of three more tries.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import track

from graphedx import GedResult, Graph, ged, ged_stream, induced_cost, solvers

LIMITS = (0.0, 0.001, 0.01, 0.1, 1.0)
DENSITIES = {"tree-like": 1.1, "sparse": 3.0, "dense": 0.3}  # edges a node; the last: a share of all node pairs
TRIES = 3
MOST_EDGES = 200_000
CONSOLE = Console()


def graph(nodes: int, density: float, labels: int, seed: int) -> Graph:
    rng = random.Random(seed)
    wanted = round(density * nodes * (nodes - 1) / 2) if density < 1 else round(density * nodes)
    edges: set[tuple[int, int]] = set()
    while len(edges) < wanted:
        i, j = sorted(rng.sample(range(nodes), 2))
        edges.add((i, j))
    return Graph(
        nodes,
        sorted(edges),
        node_labels=[rng.randrange(labels) for _ in range(nodes)],
        edge_labels=[rng.randrange(labels) for _ in edges],
    )


def pairs(sizes: list[int]) -> Iterator[tuple[str, Graph, Graph]]:
    for nodes in sizes:
        for word, density in DENSITIES.items():
            if density < 1 and density * nodes * nodes / 2 > MOST_EDGES:
                continue
            for labels in (1, 4):
                name = f"{nodes} nodes, {word}, {labels} labels"
                yield name, graph(nodes, density, labels, 1), graph(nodes + nodes // 20, density, labels, 2)


def seconds_over(source: Graph, target: Graph, method: str, limit: float) -> tuple[float, GedResult]:
    start = time.perf_counter()
    result = ged(source, target, method=method, time_limit=limit)
    return time.perf_counter() - start - 1.1 * limit - 0.005, result


def is_valid(result: GedResult) -> bool:
    return 0 <= result.lower <= result.upper == induced_cost(result.mapping, result.costs)


def tightens(source: Graph, target: Graph) -> bool:
    before: GedResult | None = None
    for result in ged_stream(source, target, time_limit=0.3):
        if before is not None and not (before.lower <= result.lower <= result.upper <= before.upper):
            return False
        before = result
    return before is not None and not before.running


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", help="names, with commas between them; all native ones if not given")
    parser.add_argument("--sizes", default="30,100,300,1000", help="numbers of nodes")
    options = parser.parse_args()
    native = [name for name in solvers.methods() if solvers.get(name).native]
    methods = options.methods.split(",") if options.methods else native
    asked = missed = 0
    for name, source, target in track(
        list(pairs([int(n) for n in options.sizes.split(",")])), "pairs", console=CONSOLE
    ):
        ged(source, target, method="hed", time_limit=0)  # encodes the graphs: that is not the search's time
        for method in methods:
            for limit in LIMITS:
                asked += 1
                late, result = seconds_over(source, target, method, limit)
                late = (
                    min(late, *(seconds_over(source, target, method, limit)[0] for _ in range(TRIES)))
                    if late > 0
                    else late
                )
                if late > 0 or not is_valid(result):
                    missed += 1
                    CONSOLE.print(f"{method} on {name}, limit {limit:g} s: {1000 * late:.1f} ms too late, {result!r}")
        asked += 1
        if not tightens(source, target):
            missed += 1
            CONSOLE.print(f"the stream on {name} does not only tighten")
    CONSOLE.print(f"{asked} asked, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
