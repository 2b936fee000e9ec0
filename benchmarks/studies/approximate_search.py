"""Which vectors find the nearest molecules, and who ranks these candidates best: recall against time.

    python benchmarks/studies/approximate_search.py --data DIR [--queries 40] [--runs DIR] [--quick]
    python benchmarks/studies/approximate_search.py --table

Molhiv, structure only and with atom labels. Half of the queries are members, half have one to three random edits. The
truth is the certified ten nearest, ties included; a query that takes longer than ``--limit`` seconds is left out and
counted. Times are processor time of one thread, so that neighbours on the machine count little. ``--table`` makes the
guide say what the result file says; a full run does so too.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import faiss
import numpy as np
import torch
from approximate_contenders import contenders
from numpy.typing import NDArray
from rich.console import Console

from approximate_table import refresh
from graphedx import EditCosts, Graph, load_model
from graphedx._collection import Collection
from graphedx._files import atomic_write
from graphedx._kernels import Batch, CancelFlag, Request
from graphedx.costs import LABELLED, UNIFORM
from graphedx.search.approximate import ApproximateSearch
from record import EXPERIMENTS, WORK, data_folder, result_file, save
from weighted_vectors import WeightedVectors

CONSOLE = Console(width=None if sys.stdout.isatty() else 150)
COSTS = {"structure": UNIFORM, "atom labels": LABELLED}
K = 10
COUNT = 800
BITS = 512

Positions = NDArray[np.int64]


class Row(NamedTuple):
    costs: str
    stage: str
    contender: str
    queries: int
    unproven: int
    recall: float
    recall_std: float
    median_ms: float
    p90_ms: float


class Query(NamedTuple):
    graph: Graph
    nearest: Positions


def molecules(data: Path, most: int | None) -> list[Graph]:
    with gzip.open(data / "data" / "raw" / "ogbg-molhiv" / "HIV.csv.gz", "rt") as file:
        found = []
        for row in csv.DictReader(file):
            try:
                found.append(Graph.from_smiles(row["smiles"]))
            except ValueError:
                continue  # seven that rdkit does not take
            if len(found) == most:
                break
    return found


def edited(graph: Graph, draw: random.Random) -> Graph:
    """One to three edits: an atom relabelled or attached, a bond broken or closed."""
    labels, edges = list(graph.node_labels), dict(zip(graph.edge_index, graph.edge_labels, strict=True))
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(("relabel", "attach", "break", "close"))
        if kind == "relabel":
            labels[draw.randrange(len(labels))] = draw.choice(labels)
        elif kind == "attach":
            edges[draw.randrange(len(labels)), len(labels)] = draw.choice([*edges.values(), None])
            labels.append(draw.choice(labels))
        elif kind == "break" and edges:
            del edges[draw.choice(sorted(edges))]
        elif kind == "close" and len(labels) > 2:
            u, v = draw.sample(range(len(labels)), 2)
            if (u, v) not in edges and (v, u) not in edges:
                edges[u, v] = draw.choice([*edges.values(), None])
    return Graph(len(labels), list(edges), node_labels=labels, edge_labels=list(edges.values()))


def proven(
    collection: Collection, graphs: list[Graph], kind: str, limit: float, journal: Path
) -> tuple[list[Query], int]:
    """The queries whose truth is known in time, and how many are not; what a journal knows is not searched again."""
    known: dict[str, list[int] | None] = json.loads(journal.read_text()) if journal.exists() else {}
    for number, graph in enumerate(graphs):
        key = f"{kind} {number}"
        if key not in known:
            found = collection.nearest(graph, COSTS[kind], k=K, time_limit=limit)
            known[key] = found.positions.tolist() if found.complete else None
            journal.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(journal, overwrite=True, mode="w") as file:
                json.dump(known, file)
    truths = [(graph, known[f"{kind} {number}"]) for number, graph in enumerate(graphs)]
    queries = [Query(graph, np.array(truth)) for graph, truth in truths if truth is not None]
    return queries, len(graphs) - len(queries)


def candidate_ways(
    collection: Collection, search: ApproximateSearch, costs: EditCosts
) -> Iterator[tuple[str, Callable[[Graph], Positions]]]:
    """The scan of bytes, and FAISS indexes over the same vectors, weighted."""
    yield "bytes, L1", lambda query: search.candidates(query, costs, COUNT)[0]
    weighted = WeightedVectors(collection, search, costs)
    rows = weighted.rows
    width = rows.shape[1]
    lists = faiss.IndexIVFFlat(faiss.IndexFlat(width, faiss.METRIC_L1), width, 200, faiss.METRIC_L1)
    lists.nprobe = 20
    for name, index in (
        ("flat L1", faiss.IndexFlat(width, faiss.METRIC_L1)),
        ("flat L2", faiss.IndexFlat(width, faiss.METRIC_L2)),
        ("IVF 200 lists, 20 probed, L1", lists),
        ("HNSW 32, L1", hnsw(width)),
        (f"random hyperplanes, {BITS} bits", faiss.IndexLSH(width, BITS)),
    ):
        index.train(rows)
        index.add(rows)
        yield name, lambda query, index=index: index.search(weighted.row(query), COUNT)[1][0]


def hnsw(width: int) -> Any:
    index = faiss.IndexHNSWFlat(width, 32, faiss.METRIC_L1)
    index.hnsw.efSearch = 2 * COUNT
    return index


def ranking_ways(
    collection: Collection, search: ApproximateSearch, costs: EditCosts
) -> Iterator[tuple[str, Callable[[Graph, Positions], Positions]]]:
    """Of the candidates, which come by increasing distance of vectors, the ten that each way has for the nearest."""
    yield "vectors alone", lambda query, near: near[:K]
    for method, effort in (("branch", 1), ("branch_tight", 1), ("beam", 150), ("refine", 4), ("refine", 32)):

        def by_method(query: Graph, near: Positions, method: str = method, effort: int = effort) -> Positions:
            batch = Batch([query, *(collection.graph(int(position)) for position in near)], costs)
            pairs = np.stack([np.zeros(len(near)), np.arange(1, len(near) + 1)], 1).astype(np.int32)
            start = process_time()
            found = batch.columns(pairs, Request(method, effort=effort), CancelFlag())
            values = found.lower if method.startswith("branch") else found.upper
            return timed(near[np.argsort(values, kind="stable")[:K]], process_time() - start)

        yield f"{method} {effort}", by_method
    model = load_model("bracket")

    def by_model(query: Graph, near: Positions) -> Positions:
        prepared = model.prepare([collection.graph(int(position)) for position in near])
        start = process_time()
        values = model.matrix([query], prepared, costs=costs)[0]
        return timed(near[np.argsort(values, kind="stable")[:K]], process_time() - start)

    yield "model bracket", by_model
    yield (
        "certified search of all",
        lambda query, near: near[collection.selected(near).nearest(query, costs, k=K).positions],
    )
    for patience in (10, 30, 100, 300):
        yield (
            f"hurried search, {patience} nodes",
            lambda query, near, patience=patience: (
                search.search(query, costs, k=K, patience=patience, candidates=COUNT).positions
            ),
        )


class timed(np.ndarray):
    """Positions that say what they took, where not all that was done counts: graphs would have been encoded before."""

    seconds: float

    def __new__(cls, positions: Positions, seconds: float) -> timed:
        found = positions.view(cls)
        found.seconds = seconds
        return found


def of_all(ranks_all: Callable[[Graph, int], Positions], count: int, query: Query) -> Positions:
    return ranks_all(query.graph, count)


def of_candidates(
    ranks: Callable[[Graph, Positions], tuple[Positions, float]], near: dict[int, Positions], query: Query
) -> Positions:
    positions, seconds = ranks(query.graph, near[id(query)])
    return timed(positions[:K], seconds)


def measured(
    kind: str, stage: str, name: str, queries: list[Query], unproven: int, way: Callable[[Query], Positions]
) -> Row:
    recalls, times = [], []
    for query in queries:
        start = process_time()
        found = way(query)
        times.append((found.seconds if isinstance(found, timed) else process_time() - start) * 1e3)
        wanted = min(K, len(query.nearest))
        recalls.append(min(wanted, int(np.isin(found, query.nearest).sum())) / wanted)
    spread = float(np.mean(recalls)), float(np.std(recalls))
    row = Row(
        kind, stage, name, len(queries), unproven, *spread, float(np.median(times)), float(np.percentile(times, 90))
    )
    CONSOLE.print(f"{kind}, {stage}, {name}: recall {row.recall:.3f} ± {row.recall_std:.3f}, {row.median_ms:.1f} ms")
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    runs = EXPERIMENTS / "runs" / "train"
    parser.add_argument(
        "--runs", type=Path, default=runs, help="the folder of trained models; those missing are left out"
    )
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for the truth of a query")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="4 queries, 3,000 molecules, kept out of the repository")
    parser.add_argument("--table", action="store_true", help="only make the page say what the result file says")
    options = parser.parse_args()
    if options.table:
        refresh()
        return 0
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no data: pass --data, or set GRAPHEDX_DATA")
        return 2
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    members = molecules(data, 3000 if options.quick else None)
    collection = Collection.of(members)
    search = ApproximateSearch.of(collection)
    draw = random.Random(options.seed)
    chosen = draw.sample(members, 4 if options.quick else options.queries)
    asked = [graph if k % 2 else edited(graph, draw) for k, graph in enumerate(chosen)]
    journal = WORK / f"approximate_search_{len(members)}_{len(asked)}_{options.seed}_{options.limit:g}.json"
    rows = []
    for kind, costs in COSTS.items():
        queries, unproven = proven(collection, asked, kind, options.limit, journal)
        common = queries, unproven
        for name, way in candidate_ways(collection, search, costs):
            rows.append(measured(kind, f"best {COUNT}", name, *common, lambda query, way=way: way(query.graph)))
        near = {id(query): search.candidates(query.graph, costs, COUNT)[0] for query in queries}
        for name, ranks_all, ranks in contenders(members, costs, options.runs):
            if ranks_all:
                for stage, count in ((f"best {COUNT}", COUNT), ("best 10", K)):
                    way = partial(of_all, ranks_all, count)
                    rows.append(measured(kind, stage, name, *common, way))
            if ranks:
                rows.append(measured(kind, "best 10", name, *common, partial(of_candidates, ranks, near)))
        for name, rank in ranking_ways(collection, search, costs):
            rows.append(
                measured(
                    kind,
                    "best 10",
                    name,
                    *common,
                    lambda query, rank=rank, near=near: rank(query.graph, near[id(query)]),
                )
            )
    save(result_file("approximate_search", options.quick), Row._fields, rows, options.seed)
    if not options.quick:
        refresh()
    return 0


if __name__ == "__main__":
    sys.exit(main())
