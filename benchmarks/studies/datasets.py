"""The paper's table of datasets beside ours: counts, averages, and how long the exact labels took.

    python benchmarks/studies/datasets.py --data DIR [--sets AIDS,Linux] [--f2-pairs 20]

Every set is prepared and labelled in the paper's four regimes, in a folder below build/ that a second run takes up
where the first was stopped; times are of what was solved in this run, and a set that was labelled before keeps its row.
F2 on HiGHS solves a sample of the same test pairs, for the ratio.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.table import Table

from graphedx import datasets, ged
from graphedx.costs import EditCosts
from graphedx.datasets.catalog import CATALOG
from graphedx.datasets.labels import PAPER, Regime
from graphedx.engine.local import worker_count
from paper_data import RAW, prepared
from record import PROVENANCE, WORK, data_folder, load, plain, provenance, result_file, save

CONSOLE = Console(width=None if sys.stdout.isatty() else 170)
F2_SECONDS = 60.0
WORKERS = worker_count(None)


class Row(NamedTuple):
    """A dataset under some costs, beside the paper's; empty where the paper says nothing or has other graphs."""

    dataset: str
    costs: str
    graphs: int
    train: int
    val: int
    test: int
    classes: int
    pairs: int
    proven: int
    avg_nodes: float
    avg_edges: float
    avg_ged: float
    paper_graphs: int | str
    paper_pairs: int | str
    paper_avg_nodes: float | str
    paper_avg_edges: float | str
    paper_avg_ged: float | str
    prepare_seconds: float
    label_seconds: float | str
    workers: int
    f2_ratio: float | str
    f2_note: str


class Labelling(NamedTuple):
    """How long one search a pair took, of all pairs; empty if some were solved before."""

    seconds: float | str
    f2_ratio: float | str
    f2_note: str


def measured(name: str, data: Path, f2_pairs: int, seed: int) -> list[Row]:
    start = perf_counter()
    dataset = prepared(name, data, WORK / "datasets" / RAW[name].entry)
    prepare_seconds = perf_counter() - start
    done: dict[str, Labelling] = {}
    for costs in PAPER.values():
        regime = Regime.of(costs, dataset)
        if regime.key not in done:
            done[regime.key] = labelled(dataset, regime.costs, f2_pairs, seed)
    return [
        _row(name, dataset, costs_name, prepare_seconds, done[Regime.of(costs, dataset).key])
        for costs_name, costs in PAPER.items()
    ]


def labelled(dataset: datasets.Dataset, costs: EditCosts, f2_pairs: int, seed: int) -> Labelling:
    start = perf_counter()
    found = datasets.label(dataset, costs)
    seconds = perf_counter() - start
    if not all(one.solved_now == one.pairs for one in found):
        return Labelling("", "", "")  # some were there already
    pairs = sum(one.pairs for one in found)
    ratio, note = against_f2(dataset, costs, seconds / pairs, f2_pairs, seed) if f2_pairs else ("", "")
    return Labelling(seconds, ratio, note)


def _row(name: str, dataset: datasets.Dataset, costs_name: str, prepare_seconds: float, labelling: Labelling) -> Row:
    found = datasets.stats(dataset)
    labels = found["ged"][costs_name]["all"]
    paper = None if RAW[name].substitute else CATALOG[RAW[name].entry].paper
    theirs = paper._asdict() if paper else {}
    return Row(
        *(name, costs_name, found["graphs"], found["train"], found["val"], found["test"]),
        *(found["provenance"]["counts"]["distinct"], labels["pairs"], labels["proven"]),
        *(found["avg_nodes"], found["avg_edges"], labels["avg_ged"], theirs.get("graphs", "")),
        sum(theirs[f"{split}_pairs"] for split in datasets.SPLITS) if theirs else "",
        *(theirs.get("avg_nodes", ""), theirs.get("avg_edges", "")),
        theirs.get(f"avg_ged_{costs_name.replace('-', '_')}", ""),
        *(prepare_seconds, labelling.seconds, WORKERS, labelling.f2_ratio, labelling.f2_note),
    )


def against_f2(
    dataset: datasets.Dataset, costs: EditCosts, seconds_a_pair: float, count: int, seed: int
) -> tuple[float | str, str]:
    """How many times longer F2 takes a pair, over those of a sample that it ends; ours is the mean of all pairs."""
    pairs = random.Random(seed).sample(dataset.pairs("test").tolist(), min(count, len(dataset.pairs("test"))))
    times, differ, open_ = [], 0, 0
    table = {(i, j): k for k, (i, j) in enumerate(dataset.pairs("test").tolist())}
    truth = dataset.labels("test", costs).upper
    for i, j in pairs:
        start = perf_counter()
        result = ged(dataset.graphs[i], dataset.graphs[j], costs=costs, method="f2", time_limit=F2_SECONDS)
        times.append(perf_counter() - start)
        open_ += not result.proven
        differ += result.proven and abs(result.distance - truth[table[i, j]]) > 1e-6
    note = f"{len(pairs)} pairs, {open_} not ended in {F2_SECONDS:g} s, {differ} differ"
    return fmean(times) / (WORKERS * seconds_a_pair), note  # our wall time is of all workers, F2's of one


def shown(rows: list[dict[str, Any]]) -> Table:
    table = Table("dataset", "costs", "graphs", "pairs", "proven", "nodes", "edges", "GED", "paper's GED", "seconds")
    for row in rows:
        theirs = [row["paper_graphs"], row["paper_avg_nodes"], row["paper_avg_edges"]]
        ours = [row["graphs"], f"{float(row['avg_nodes']):.2f}", f"{float(row['avg_edges']):.2f}"]
        graphs, nodes, edges = (f"{a} ({b})" if b != "" else str(a) for a, b in zip(ours, theirs, strict=True))
        ged_here = f"{float(row['avg_ged']):.3f}"
        counts = [row["pairs"], row["proven"]]
        values = [row["dataset"], row["costs"], graphs, *counts, nodes, edges, ged_here, row["paper_avg_ged"]]
        table.add_row(*map(str, [*values, row["label_seconds"]]))
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--sets", default=",".join(RAW))
    parser.add_argument("--f2-pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no data: pass --data, or set GRAPHEDX_DATA")
        return 2
    path = result_file("datasets", quick=False)
    kept = {(row["dataset"], row["costs"]): row for row in load(path)}
    for name in options.sets.split(","):
        where = dict(zip(PROVENANCE, provenance(options.seed), strict=True))
        for row in measured(name, data, options.f2_pairs, options.seed):
            fresh = {key: str(plain(value)) for key, value in row._asdict().items()} | where
            old = kept.get((row.dataset, row.costs))
            kept[row.dataset, row.costs] = old if old and row.label_seconds == "" else fresh
        save(path, [*Row._fields, *PROVENANCE], [list(row.values()) for row in kept.values()], None)
    CONSOLE.print(shown(list(kept.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
