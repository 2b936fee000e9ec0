"""Random small pairs, any costs: does every answer hold? Exit status 1 if one does not.

    python benchmarks/check_random.py --pairs 100000 --seed 0                # the exact method against brute force
    python benchmarks/check_random.py --pairs 50000 --method all             # every other method against the exact one
    python benchmarks/check_random.py --pairs 50000 --method refine          # or one of them

Every method: lower <= distance <= upper, the mapping costs upper, the same answer twice, and with no time at all bounds
that hold. Exact methods besides: the distance is proven, and a cutoff is proven or exceeded.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from rich.console import Console
from rich.progress import track

from graphedx import EditCosts, GedResult, Graph, StopReason, ged, induced_cost, methods

CHUNK = 250
SIZES = (0, 1, 2, 3, 3, 4, 4, 4, 5, 5)  # what brute force can take, and integer programmes without delay
LARGER_SIZES = (*SIZES, 6, 6, 7, 7, 8)
LOOSENESS = {"f2": 1e-6, "fori": 1e-6}  # programmes that are solved with tolerances
SLOW = {"f2": 50, "fori": 50}  # how many times fewer pairs a method gets that takes milliseconds for each
SHAPES = ("any", "any", "any", "any", "any", "complete", "star", "no edges", "path")


# -- pairs ------------------------------------------------------------------------------------------------------------


def random_graph(rng: random.Random, nodes: int, directed: bool, density: float) -> Graph:
    """Any simple graph: often disconnected, often with isolated nodes; one to three labels of each kind."""
    node_labels, edge_labels = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
    edges = shape(rng, nodes, directed, density)
    return Graph(
        nodes,
        edges,
        node_labels=[rng.randrange(node_labels) for _ in range(nodes)],
        edge_labels=[rng.randrange(edge_labels) for _ in edges],
        directed=directed,
    )


def shape(rng: random.Random, nodes: int, directed: bool, density: float) -> list[tuple[int, int]]:
    """The edges; of a directed graph in either direction or, where all are wanted, in both."""
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if (i != j if directed else i < j)]
    kind = rng.choice(SHAPES)
    if kind == "any":
        return [pair for pair in pairs if rng.random() < density]
    if kind == "complete":
        return pairs
    if kind == "no edges" or nodes == 0:
        return []
    order = rng.sample(range(nodes), nodes)
    inner = order[:1] * (nodes - 1) if kind == "star" else order[:-1]
    ends = list(zip(inner, order[1:], strict=True))
    return [rng.choice(((u, v), (v, u))) for u, v in ends]


def random_costs(rng: random.Random) -> EditCosts:
    """Small whole numbers, reals, ratios up to 10^12, decimals, the usual regimes; now and then per-label tables."""
    kinds: tuple[Callable[[], float], ...] = (
        lambda: rng.randrange(4),
        lambda: rng.random() * 3,
        lambda: rng.choice((0, 1e-6, 1, 1e6)),
        lambda: rng.choice((0.1, 0.2, 0.3, 0.825, 5.5)),
        lambda: rng.choice((0, 1)),
        lambda: rng.randrange(1, 4),
    )
    draw = rng.choice(kinds)
    costs: list[Any] = [draw() for _ in range(6)]
    if rng.random() < 0.25:
        costs[4:] = [0, 0]
    if rng.random() < 0.25:
        costs[0], costs[2] = ({label: draw() for label in range(3)} for _ in range(2))
        costs[4:] = [{(a, b): draw() for a in range(3) for b in range(3)} for _ in range(2)]
    return EditCosts(*costs)


def random_pair(rng: random.Random, sizes: tuple[int, ...]) -> tuple[Graph, Graph, EditCosts]:
    directed, density = rng.random() < 0.4, rng.choice((0.2, 0.5, 0.8))
    source, target = (random_graph(rng, rng.choice(sizes), directed, density) for _ in range(2))
    return source, target, random_costs(rng)


def rebuilt(graph: Graph) -> Graph:
    """An equal graph that shares nothing with it."""
    return Graph(
        graph.nodes,
        graph.edges,
        node_labels=graph.node_labels,
        edge_labels=graph.edge_labels,
        directed=graph.directed,
    )


# -- laws -------------------------------------------------------------------------------------------------------------


class Laws:
    """What must hold of a method's answers about one pair whose distance is known. Complaints are in words."""

    def __init__(self, method: str, source: Graph, target: Graph, costs: EditCosts, truth: float) -> None:
        self.method, self.source, self.target, self.costs, self.truth = method, source, target, costs, truth
        self.slack = LOOSENESS.get(method, 1e-12) * truth + 1e-12
        self.exact = methods()[method] == "exact"

    def ask(self, time_limit: float | None = None, cutoff: float | None = None) -> GedResult:
        source, target, costs = self.source, self.target, self.costs
        return ged(source, target, costs=costs, method=self.method, time_limit=time_limit, cutoff=cutoff)

    def complaints(self, rng: random.Random) -> Iterator[str]:
        result = self.ask()
        yield from self.bounds("", result)
        if self.exact and not result.proven and result.stopped_by is not StopReason.BOUND:  # it says that it cannot
            yield f"not proven: [{result.lower}, {result.upper}], truth {self.truth}"
        again = ged(rebuilt(self.source), rebuilt(self.target), costs=self.costs, method=self.method)
        if (again.lower, again.upper, again.images) != (result.lower, result.upper, result.images):
            yield f"[{result.lower}, {result.upper}] by {result.images}, then [{again.lower}, {again.upper}]"
        yield from self.bounds("without time: ", self.ask(time_limit=0))
        truth = self.truth
        cutoff = rng.choice((0.0, truth, 0.9 * truth, 1.1 * truth, truth + 0.5))
        limited = self.ask(cutoff=cutoff)
        yield from self.bounds(f"cutoff {cutoff}: ", limited)
        if self.exact and limited.stopped_by is not StopReason.BOUND:
            yield from self.cutoff_met(limited, cutoff)

    def bounds(self, when: str, result: GedResult) -> Iterator[str]:
        if not result.lower - self.slack <= self.truth <= result.upper + self.slack:
            yield f"{when}[{result.lower}, {result.upper}], truth {self.truth}"
        if not 0 <= result.lower <= result.upper:
            yield f"{when}[{result.lower}, {result.upper}] is no interval"
        if result.proven and not math.isclose(result.upper, self.truth, rel_tol=0, abs_tol=self.slack):
            yield f"{when}wrong distance {result.upper}, truth {self.truth}"
        cost = induced_cost(result.mapping, self.costs)
        if cost != result.upper:
            yield f"{when}the mapping costs {cost}, not {result.upper}"

    def cutoff_met(self, result: GedResult, cutoff: float) -> Iterator[str]:
        if self.truth <= cutoff - self.slack and not result.proven:
            yield f"cutoff {cutoff}: truth {self.truth} not proven: [{result.lower}, {result.upper}]"
        if self.truth > cutoff + self.slack and not result.lower > cutoff:
            yield f"cutoff {cutoff}: lower {result.lower} does not exceed it, truth {self.truth}"


def check_chunk(method: str, seed: int, chunk: int) -> list[str]:
    """The complaints about one chunk of pairs; its own random numbers, so any chunk can be looked at alone."""
    rng = random.Random(f"{seed}/{chunk}")
    judge = "brute_force" if method == "exact" else "exact"
    sizes = SIZES if method == "exact" or method in SLOW else LARGER_SIZES
    found = []
    for number in range(CHUNK):
        source, target, costs = random_pair(rng, sizes)
        truth = ged(source, target, costs=costs, method=judge).distance
        where = f"  {costs}\n  {show(source)}\n  {show(target)}"
        laws = Laws(method, source, target, costs, truth)
        found += [f"{method}, chunk {chunk} pair {number}: {text}\n{where}" for text in laws.complaints(rng)]
    return found


def show(graph: Graph) -> str:
    labels = f"node_labels={graph.node_labels}, edge_labels={graph.edge_labels}, directed={graph.directed}"
    return f"Graph({len(graph)}, {list(graph.edges)}, {labels})"


def check(method: str, pairs: int, seed: int, pool: ProcessPoolExecutor, console: Console) -> int:
    """How many complaints there are about a method; they are printed."""
    chunks, wrong = -(-pairs // (CHUNK * SLOW.get(method, 1))), 0
    answers = pool.map(partial(check_chunk, method, seed), range(chunks))
    for found in track(answers, method, total=chunks, console=Console(stderr=True)):
        for complaint in found:
            wrong += 1
            console.print(complaint, markup=False, highlight=False)
    judge = "brute force" if method == "exact" else "the exact method"
    console.print(f"{method}: {chunks * CHUNK:,} random pairs, seed {seed}: {wrong} disagreements with {judge}")
    return wrong


def main() -> int:
    known = sorted(name for name, proves in methods().items() if name != "brute_force" and proves != "estimate")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000, help="a method; f2 and fori get a fiftieth")
    parser.add_argument("--method", default="exact", choices=["all", *known], help="all but exact, or one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    chosen = [name for name in known if name != "exact"] if options.method == "all" else [options.method]
    console = Console()
    with ProcessPoolExecutor(options.processes) as pool:
        wrong = sum(check(method, options.pairs, options.seed, pool, console) for method in chosen)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
