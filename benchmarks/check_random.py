"""Random small pairs, any costs: does every answer agree with brute force? Exit status 1 if one does not.

python benchmarks/check_random.py --pairs 100000 --seed 0
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from rich.console import Console
from rich.progress import track

from graphedx import EditCosts, GedResult, Graph, ged, induced_cost

CHUNK = 250
RELATIVE, ABSOLUTE = 1e-12, 1e-12
SIZES = (0, 1, 2, 3, 3, 4, 4, 4, 5, 5)


def random_graph(rng: random.Random, nodes: int, directed: bool, density: float) -> Graph:
    """Any simple graph: often disconnected, often with isolated nodes; one to three labels of each kind."""
    node_labels, edge_labels = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if (i != j if directed else i < j)]
    edges = [pair for pair in pairs if rng.random() < density]
    return Graph(
        nodes,
        edges,
        node_labels=[rng.randrange(node_labels) for _ in range(nodes)],
        edge_labels=[rng.randrange(edge_labels) for _ in edges],
        directed=directed,
    )


def random_costs(rng: random.Random) -> EditCosts:
    """Small whole numbers, reals, ratios up to 10^12, decimals, the usual regimes; now and then per-label tables."""
    draw = rng.choice(
        (
            lambda: rng.randrange(4),
            lambda: rng.random() * 3,
            lambda: rng.choice((0, 1e-6, 1, 1e6)),
            lambda: rng.choice((0.1, 0.2, 0.3, 0.825, 5.5)),
            lambda: rng.choice((0, 1)),
            lambda: rng.randrange(1, 4),
        )
    )
    numbers = [draw() for _ in range(6)]
    if rng.random() < 0.25:
        numbers[4:] = [0, 0]
    if rng.random() < 0.25:
        numbers[0], numbers[2] = ({label: draw() for label in range(3)} for _ in range(2))
        numbers[4:] = [{(a, b): draw() for a in range(3) for b in range(3)} for _ in range(2)]
    return EditCosts(*numbers)


def random_pair(rng: random.Random) -> tuple[Graph, Graph, EditCosts]:
    directed, density = rng.random() < 0.4, rng.choice((0.2, 0.5, 0.8))
    source, target = (random_graph(rng, rng.choice(SIZES), directed, density) for _ in range(2))
    return source, target, random_costs(rng)


def complaints(source: Graph, target: Graph, costs: EditCosts, rng: random.Random) -> Iterator[str]:
    """What is wrong with the exact method on this pair, in words; nothing if all is well."""
    truth = ged(source, target, costs=costs, method="brute_force").distance
    result = ged(source, target, costs=costs, method="exact")
    if not result.proven:
        yield f"not proven: [{result.lower}, {result.upper}], truth {truth}"
    if not math.isclose(result.upper, truth, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        yield f"wrong distance {result.upper}, truth {truth}"
    if induced_cost(result.mapping, costs) != result.upper:
        yield f"the mapping costs {induced_cost(result.mapping, costs)}, not {result.upper}"
    cutoff = rng.choice((0.0, truth, 0.9 * truth, 1.1 * truth, truth + 0.5))
    yield from cutoff_complaints(ged(source, target, costs=costs, method="exact", cutoff=cutoff), cutoff, truth)
    hurried = ged(source, target, costs=costs, method="exact", time_limit=0)
    slack = RELATIVE * truth + ABSOLUTE
    if not hurried.lower - slack <= truth <= hurried.upper + slack:
        yield f"without time: [{hurried.lower}, {hurried.upper}], truth {truth}"


def cutoff_complaints(result: GedResult, cutoff: float, truth: float) -> Iterator[str]:
    slack = RELATIVE * truth + ABSOLUTE
    if not result.lower - slack <= truth <= result.upper + slack:
        yield f"cutoff {cutoff}: [{result.lower}, {result.upper}], truth {truth}"
    if truth <= cutoff - slack and not result.proven:
        yield f"cutoff {cutoff}: truth {truth} not proven: [{result.lower}, {result.upper}]"
    if truth > cutoff + slack and not result.lower > cutoff:
        yield f"cutoff {cutoff}: lower {result.lower} does not exceed it, truth {truth}"


def check_chunk(seed: int, chunk: int) -> list[str]:
    """The complaints about one chunk of pairs; its own random numbers, so any chunk can be looked at alone."""
    rng = random.Random(f"{seed}/{chunk}")
    found = []
    for number in range(CHUNK):
        source, target, costs = random_pair(rng)
        where = f"  {costs}\n  {show(source)}\n  {show(target)}"
        found += [f"chunk {chunk} pair {number}: {text}\n{where}" for text in complaints(source, target, costs, rng)]
    return found


def show(graph: Graph) -> str:
    labels = f"node_labels={graph.node_labels}, edge_labels={graph.edge_labels}, directed={graph.directed}"
    return f"Graph({len(graph)}, {list(graph.edges)}, {labels})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    chunks = -(-options.pairs // CHUNK)
    console, wrong = Console(), 0
    with ProcessPoolExecutor(options.processes) as pool:
        answers = pool.map(partial(check_chunk, options.seed), range(chunks))
        for found in track(answers, "random pairs", total=chunks, console=Console(stderr=True)):
            for complaint in found:
                wrong += 1
                console.print(complaint, markup=False, highlight=False)
    console.print(f"{chunks * CHUNK:,} random pairs, seed {options.seed}: {wrong} disagreements with brute force")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
