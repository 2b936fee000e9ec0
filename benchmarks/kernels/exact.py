"""The exact search against its yardsticks, in one run on one core; ``make bench`` runs it.

    python benchmarks/kernels/exact.py --data DIR [--quick]

Our side is timed from Python, one call of ``_kernels.Batch.solve`` a pair; the rivals' times are their own.
Without the folder of raw data the pairs are generated, and every title says so.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.table import Table

from graphedx import EditCosts, Graph, ged
from graphedx._kernels import Batch, Request
from graphedx.costs import UNIFORM
from kernels.rivals import Sketch, Timed, by_f2, by_networkx
from raw_data import Benchmark, read_benchmark, read_tu
from record import RESULTS, data_folder, machine, pin_to_one_core, save

LABELLED = EditCosts(3, 1, 2, 1, 1, 1)
CONSOLE = Console()


class Row(NamedTuple):
    """One number: what was measured, on what, and what it is."""

    what: str
    data: str
    pairs: int
    value: float
    unit: str
    note: str = ""


class Plan(NamedTuple):
    """How much to measure."""

    pairs: int
    large_pairs: int
    hard_pairs: int
    hard_seconds: float
    sketch_hard_pairs: int
    f2_pairs: int
    f2_seconds: float
    networkx_pairs: int
    networkx_seconds: float


FULL = Plan(1000, 60, 30, 10.0, 5, 20, 60.0, 5, 10.0)
QUICK = Plan(60, 6, 4, 1.0, 1, 4, 5.0, 1, 2.0)


# -- data -------------------------------------------------------------------------------------------------------------


def generated_molecule(rng: random.Random, nodes: int) -> Graph:
    """A random tree of degree at most 4 with a ring closed for every eight nodes, elements and bonds as labels."""
    edges: set[tuple[int, int]] = set()
    degree = [0] * nodes
    while len(edges) < nodes - 1 + nodes // 8:
        j = len(edges) + 1 if len(edges) < nodes - 1 else rng.randrange(1, nodes)
        i = rng.randrange(max(0, j - 6), j)
        if max(degree[i], degree[j]) < 4 and (i, j) not in edges:
            edges.add((i, j))
            degree[i], degree[j] = degree[i] + 1, degree[j] + 1
    ends = sorted(edges)
    labels = [rng.choice("CCCCNO") for _ in range(nodes)]
    return Graph(nodes, ends, node_labels=labels, edge_labels=[rng.choice((1, 1, 2)) for _ in ends])


def generated(rng: random.Random, least: int, most: int, pairs: int) -> Benchmark:
    graphs = [generated_molecule(rng, rng.randint(least, most)) for _ in range(2 * pairs)]
    return Benchmark(graphs, [(2 * p, 2 * p + 1) for p in range(pairs)])


def benchmarks(data: Path | None, plan: Plan, seed: int) -> dict[str, Benchmark]:
    """The fixed pairs, easiest first; the last is the hard one."""
    sizes = {"aids_20": (5, 20), "mutag_20": (12, 20), "mutag_24_26": (24, 26), "mutag_29_31": (29, 31)}
    found = {}
    for name, (least, most) in sizes.items():
        count = {"mutag_24_26": plan.large_pairs, "mutag_29_31": plan.hard_pairs}.get(name, plan.pairs)
        if data is None:
            found[f"generated_{most}" if least > 5 else "generated_small"] = generated(
                random.Random(seed), least, most, min(count, 40)
            )
        else:
            whole = read_benchmark(data / "bench" / f"{name}.txt")
            found[name] = Benchmark(whole.graphs, whole.pairs[:count])
    return found


def labelled_pairs(data: Path | None, pairs: int, seed: int) -> tuple[str, list[tuple[Graph, Graph]]]:
    """Molecules of at most 20 atoms with their labels."""
    rng = random.Random(seed)
    if data is None:
        return "generated_labelled", [(generated_molecule(rng, 12), generated_molecule(rng, 12)) for _ in range(pairs)]
    graphs = [g for g in read_tu(data / "data" / "raw" / "AIDS" / "AIDS_TU.tar.gz") if len(g) <= 20]
    return "AIDS labelled", [(a, b) for a, b in (rng.sample(graphs, 2) for _ in range(pairs))]


# -- measuring --------------------------------------------------------------------------------------------------------


def ours(batch: Batch, pairs: Sequence[tuple[int, int]], time_limit: float | None = None) -> list[Timed]:
    """Each pair from Python, one call a pair."""
    found = []
    for pair in pairs:
        start = time.perf_counter()
        (answer,) = batch.solve([pair], Request("exact", time_limit))
        found.append(Timed(time.perf_counter() - start, answer.upper, answer.lower == answer.upper))
    return found


def describe(what: str, data: str, times: Sequence[Timed]) -> Iterator[Row]:
    milliseconds = [1000 * t.seconds for t in times]
    proven = sum(t.proven for t in times)
    for name, value in (
        ("mean", statistics.fmean(milliseconds)),
        ("median", statistics.median(milliseconds)),
        ("max", max(milliseconds)),
    ):
        yield Row(f"{what}, {name}", data, len(times), value, "ms", f"{proven} of {len(times)} proven")


def against_sketch(name: str, benchmark: Benchmark, sketch: Sketch | None, rounds: int = 2) -> Iterator[Row]:
    """Alternate between us and the sketch, so that a noisy neighbour disturbs both; the best round of each counts."""
    graphs = [graph.unlabelled() for graph in benchmark.graphs]
    batch, mine, theirs = Batch(graphs, UNIFORM), [], []
    for _ in range(rounds):
        mine.append(ours(batch, benchmark.pairs))
        if sketch is not None:
            theirs.append(sketch(graphs, benchmark.pairs))
    best = min(mine, key=lambda times: sum(t.seconds for t in times))
    yield from describe("ours", name, best)
    if sketch is None:
        return
    rival = min(theirs, key=lambda times: sum(t.seconds for t in times))
    yield from describe("sketch", name, rival)
    ratio = sum(t.seconds for t in rival) / sum(t.seconds for t in best)
    differ = sum(not same(graphs, pair, a, b) for pair, a, b in zip(benchmark.pairs, best, rival, strict=True))
    yield Row("sketch / ours, mean time", name, len(best), ratio, "x", f"{differ} values differ")


def same(graphs: Sequence[Graph], pair: tuple[int, int], mine: Timed, theirs: Timed) -> bool:
    """Whether our distance is what the sketch's number of common edges says."""
    source, target = (graphs[i] for i in pair)
    return mine.value == abs(len(source) - len(target)) + source.num_edges + target.num_edges - 2 * theirs.value


def hard_pairs(name: str, benchmark: Benchmark, sketch: Sketch | None, plan: Plan) -> Iterator[Row]:
    """How many pairs are proven within the time that each may take."""
    graphs = [graph.unlabelled() for graph in benchmark.graphs]
    mine = ours(Batch(graphs, UNIFORM), benchmark.pairs, plan.hard_seconds)
    yield from describe(f"ours, at most {plan.hard_seconds:g} s a pair", name, mine)
    share = 100 * sum(t.proven for t in mine) / len(mine)
    yield Row(f"ours, proven within {plan.hard_seconds:g} s", name, len(mine), share, "%")
    if sketch is None:
        return
    few = benchmark.pairs[: plan.sketch_hard_pairs]
    limit = int(plan.hard_seconds * sketch.nodes_per_second(graphs, few[0]))
    theirs = sketch(graphs, few, limit)
    share = 100 * sum(t.proven for t in theirs) / len(few)
    note = f"{limit:,} search nodes a pair; longest {max(t.seconds for t in theirs):.1f} s"
    yield Row(f"sketch, proven within about {plan.hard_seconds:g} s", name, len(few), share, "%", note)


def against_f2(data: Path | None, plan: Plan, seed: int) -> Iterator[Row]:
    name, pairs = labelled_pairs(data, plan.f2_pairs, seed)
    both = [(one_by_one(a, b), by_f2(a, b, LABELLED, plan.f2_seconds)) for a, b in pairs]
    yield from describe("ours, labels", name, [mine for mine, _ in both])
    done = [(mine, theirs) for mine, theirs in both if theirs.proven]
    if not done:
        yield Row("F2 on HiGHS finished", name, len(pairs), 0, "pairs", f"within {plan.f2_seconds:g} s")
        return
    ratio = sum(theirs.seconds for _, theirs in done) / sum(mine.seconds for mine, _ in done)
    differ = sum(mine.value != theirs.value for mine, theirs in done)
    note = f"over the {len(done)} of {len(pairs)} pairs that F2 ends within {plan.f2_seconds:g} s; {differ} differ"
    yield from describe("F2 on HiGHS, labels", name, [theirs for _, theirs in done])
    yield Row("F2 / ours, mean time", name, len(done), ratio, "x", note)


def against_networkx(data: Path | None, plan: Plan, seed: int) -> Iterator[Row]:
    name, pairs = labelled_pairs(data, plan.networkx_pairs, seed + 1)
    both = [(one_by_one(a, b), by_networkx(a, b, LABELLED, plan.networkx_seconds)) for a, b in pairs]
    optimal = sum(mine.value == theirs.value for mine, theirs in both)
    ended = sum(theirs.proven for _, theirs in both)
    ratio = sum(theirs.seconds for _, theirs in both) / sum(mine.seconds for mine, _ in both)
    note = f"{ended} of {len(both)} end within {plan.networkx_seconds:g} s; {optimal} values are optimal"
    yield Row("networkx / ours, mean time", name, len(both), ratio, "x", note)


def one_by_one(source: Graph, target: Graph) -> Timed:
    batch = Batch([source, target], LABELLED)
    return ours(batch, [(0, 1)])[0]


def overhead(molecules: Benchmark) -> Iterator[Row]:
    """What ``graphedx.ged`` adds to the search itself: its time on graphs seen before, less that of a whole batch."""
    dots = Benchmark([Graph(1), Graph(1)], [(0, 1)])
    for name, benchmark in (("one node", dots), ("a small molecule pair", molecules)):
        size = [graph.num_edges for graph in benchmark.graphs]
        i, j = min(benchmark.pairs, key=lambda pair: size[pair[0]] + size[pair[1]])
        source, target = benchmark.graphs[i].unlabelled(), benchmark.graphs[j].unlabelled()
        batch, repeats = Batch([source, target], UNIFORM), 200
        native, whole = [], []
        for _ in range(50):  # many short rounds: the least of each is the one that nothing disturbed
            start = time.perf_counter()
            batch.solve([(0, 1)] * repeats)
            native.append(time.perf_counter() - start)
            start = time.perf_counter()
            for _ in range(repeats):
                ged(source, target, costs=UNIFORM)
            whole.append(time.perf_counter() - start)
        added = 1e6 * (min(whole) - min(native)) / repeats
        note = f"{1e6 * min(whole) / repeats:.1f} µs with, {1e6 * min(native) / repeats:.1f} µs without"
        yield Row("Python's share of a call", name, 1, added, "µs", note)


def memory(seed: int) -> Iterator[Row]:
    """How far the peak resident size grows while large graphs are searched."""
    for nodes, pairs, limit in ((30, 5, 1.0), (200, 1, 2.0)):
        benchmark = generated(random.Random(seed), nodes, nodes, pairs)
        batch = Batch([graph.unlabelled() for graph in benchmark.graphs], UNIFORM)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        batch.solve(benchmark.pairs, Request("exact", limit))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        yield Row("peak memory grows by", f"generated, {nodes} nodes", pairs, grown, "MB", f"{limit:g} s a pair")


# -- reporting --------------------------------------------------------------------------------------------------------


def show(rows: Sequence[Row]) -> None:
    table = Table(title=f"Exact search on one core of {machine()}")
    for column in ("data", "what", "pairs", "value", "", "note"):
        table.add_column(column, justify="right" if column in ("pairs", "value") else "left")
    for row in rows:
        table.add_row(row.data, row.what, str(row.pairs), f"{row.value:,.4g}", row.unit, row.note)
    CONSOLE.print(table)


def measure(data: Path | None, plan: Plan, seed: int, folder: Path) -> Iterator[Row]:
    yield from memory(seed)  # first, while the peak is still low
    sketch = Sketch(data / "tools" / "exact_sketch.cpp", folder) if data is not None else None
    sets = benchmarks(data, plan, seed)
    *usual, (hard_name, hard) = sets.items()
    for name, benchmark in usual:
        yield from against_sketch(name, benchmark, sketch)
    yield from hard_pairs(hard_name, hard, sketch, plan)
    yield from against_f2(data, plan, seed)
    yield from against_networkx(data, plan, seed)
    yield from overhead(usual[0][1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--quick", action="store_true", help="a minute instead of half an hour")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=RESULTS / "exact.csv")
    options = parser.parse_args()
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no folder of raw data (--data or GRAPHEDX_DATA): generated pairs, and no sketch to compare with")
    pin_to_one_core()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in measure(data, QUICK if options.quick else FULL, options.seed, Path(folder)):
            CONSOLE.print(f"{row.data}: {row.what} {row.value:,.4g} {row.unit} {row.note}", highlight=False)
            rows.append(row)
    show(rows)
    save(options.output, Row._fields, rows, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
