"""What is left to do for a search: which part of a scan goes to graphs that the stored counts do not rule out.

    python benchmarks/studies/search_share.py --data DIR [--queries 8] [--quick]

The peer of ``studies/search.py`` is one call of ``auto`` for each graph, told the distance of the tenth nearest as
cutoff. Here its time is split: graphs that the index excludes at a glance, and the others, which a search has to prove
to be too far, too. If filtering took no time at all, a search would take as long as the latter. Processor time of one
thread. That study has to be run first: its journal says how far the tenth nearest is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from numpy.typing import NDArray

from graphedx import EditCosts, GraphIndex
from graphedx._collection import Collection
from graphedx._kernels import Batch, CancelFlag, Request
from record import CONSOLE, chosen_data, result_file, save
from search_data import EDITED, MEMBER, RAW, Query, measured, queries
from search_scan import PAIR_SECONDS
from studies.approximate_speed import ROUNDING, known_distances
from studies.search import COSTS, K


class Row(NamedTuple):
    """Sums over the queries; ``near`` are graphs that the stored counts do not rule out."""

    collection: str
    graphs: int
    costs: str
    count: int
    near_graphs: float  # of a query, in the mean
    near_seconds: float
    far_seconds: float
    search_seconds: float

    def __str__(self) -> str:
        scan = self.near_seconds + self.far_seconds
        return (
            f"{self.collection}, {self.costs}: {self.near_seconds / scan:.0%} of a scan goes to"
            f" {self.near_graphs:,.0f} graphs;"
            f" a search takes {self.search_seconds / self.near_seconds:.2f} times that, a scan"
            f" {scan / self.search_seconds:.1f} times as long as a search"
        )


def row_of(
    name: str, index: GraphIndex, costs: str, asked: Sequence[Query], known: dict[tuple[str, int, str, str, int], float]
) -> Row:
    prices = COSTS[costs]
    graphs = [index[id] for id in index]
    collection, batch = Collection.of(graphs), Batch([*(query.graph for query in asked), *graphs], prices)
    near_graphs, near, far, search = 0, 0.0, 0.0, 0.0
    for place, query in enumerate(asked):
        last = known[name, len(index), costs, query.kind, query.number]
        is_near = collection.lower_bounds(query.graph, prices) <= last * ROUNDING
        near_graphs += int(is_near.sum())
        near += seconds(batch, place, len(asked) + np.flatnonzero(is_near), last)
        far += seconds(batch, place, len(asked) + np.flatnonzero(~is_near), last)
        search += search_seconds(index, query, prices)
    return Row(name, len(index), costs, len(asked), near_graphs / len(asked), near, far, search)


def seconds(batch: Batch, query: int, others: NDArray[np.int64], cutoff: float) -> float:
    """Of one call of ``auto`` for each of these graphs."""
    pairs = np.stack([np.full_like(others, query), others], axis=1).astype(np.int32)
    start = process_time()
    batch.columns(pairs, Request("auto", PAIR_SECONDS, cutoff), CancelFlag())
    return process_time() - start


def search_seconds(index: GraphIndex, query: Query, prices: EditCosts) -> float:
    start = process_time()
    index.search(query.graph, K, costs=prices, workers=1)
    return process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--queries", type=int, default=8, help="the first proven ones, half of them edited")
    parser.add_argument("--quick", action="store_true", help="what a quick run of studies/search.py has proven")
    options = parser.parse_args()
    known = known_distances(options.quick)
    if not known:
        parser.error("nothing is proven: run studies/search.py first")
    rows = []
    for name in RAW:
        index, _ = measured(name, chosen_data(options, parser), 2_000 if options.quick else None)
        for costs in COSTS:
            asked: list[Query] = []
            for kind in (MEMBER, EDITED):
                of_kind = [query for query in queries(index, 8 if options.quick else 100, 0) if query.kind == kind]
                proven = [query for query in of_kind if (name, len(index), costs, kind, query.number) in known]
                asked += proven[: options.queries // 2]
            rows.append(row_of(name, index, costs, asked, known))
            CONSOLE.print(str(rows[-1]))
    save(result_file("search_share", options.quick), Row._fields, rows, seed=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
