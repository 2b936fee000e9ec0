"""How fast approximate search is by the clock, and how much it finds of what ``studies/search.py`` has proven.

    python benchmarks/studies/approximate_speed.py --data DIR [--quick]
    python benchmarks/studies/approximate_speed.py --table

The queries of ``studies/search.py`` in Molhiv and MUV, with the defaults of ``GraphIndex.search`` and two workers.
That study has to be run first: its journal says how far the tenth nearest is, and which queries were not proven; those
are left out and counted. A hit counts if its distance is proven to be no more than that.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from approximate_table import refresh
from graphedx import GraphIndex
from graphedx.experiments.lines import read_lines
from record import CONSOLE, chosen_data, result_file, save
from search_data import EDITED, FOLDER, MEMBER, RAW, Query, measured, queries
from studies.search import COSTS, WORKERS, K

ROUNDING = 1 + 1e-9  # of sums of the same costs
ALL = "all"
WARM = 3  # searches before the first that counts: vectors are weighed, pages are read


class Row(NamedTuple):
    collection: str
    graphs: int
    costs: str
    queries: str
    count: int
    unproven: int
    workers: int
    recall: float
    recall_std: float
    median_ms: float
    p90_ms: float


def known_distances(quick: bool) -> dict[tuple[str, int, str, str, int], float]:
    """Of the tenth nearest, for each query that was proven."""
    path = FOLDER / ("quick_searches.jsonl" if quick else "searches.jsonl")
    return {
        (row["collection"], row["graphs"], row["costs"], row["kind"], row["number"]): row["last"]
        for row in read_lines(path)
        if row["proven"]
    }


class Measured(NamedTuple):
    """Searches of one kind: of each, how much it found of the nearest, and how long it took."""

    recalls: list[float]
    seconds: list[float]
    unproven: int

    def row(self, collection: str, graphs: int, costs: str, queries: str) -> Row:
        times = [1e3 * float(value) for value in np.quantile(self.seconds, [0.5, 0.9])]
        found = float(np.mean(self.recalls)), float(np.std(self.recalls))
        return Row(collection, graphs, costs, queries, len(self.recalls), self.unproven, WORKERS, *found, *times)


def measured_of(
    name: str, index: GraphIndex, asked: Sequence[Query], known: dict[tuple[str, int, str, str, int], float]
) -> Iterator[tuple[Measured, Row]]:
    for costs, prices in COSTS.items():
        for query in asked[:WARM]:
            index.search(query.graph, K, costs=prices, approximate=True, workers=WORKERS)
        for kind in (MEMBER, EDITED):
            recalls: list[float] = []
            seconds: list[float] = []
            unproven = 0
            for query in (query for query in asked if query.kind == kind):
                last = known.get((name, len(index), costs, kind, query.number))
                if last is None:
                    unproven += 1
                    continue
                hits = index.search(query.graph, K, costs=prices, approximate=True, workers=WORKERS)
                recalls.append(sum(hit.upper <= last * ROUNDING for hit in hits) / K)
                seconds.append(hits.seconds)
            some = Measured(recalls, seconds, unproven)
            row = some.row(name, len(index), costs, kind)
            CONSOLE.print(f"{name}, {costs}, {kind}: {told(row)}")
            yield some, row


def all_of(parts: Sequence[Measured], graphs: int) -> Row:
    """All queries as one: what the others have in common."""
    recalls, seconds = ([value for part in parts for value in part[k]] for k in (0, 1))
    row = Measured(recalls, seconds, sum(part.unproven for part in parts)).row("both", graphs, ALL, ALL)
    CONSOLE.print(f"all: {told(row)}")
    return row


def told(row: Row) -> str:
    return f"recall {row.recall:.3f}, {row.median_ms:.1f} ms, 90 % {row.p90_ms:.1f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--quick", action="store_true", help="what a quick run of studies/search.py has proven")
    parser.add_argument("--table", action="store_true", help="only make the page say what the result file says")
    options = parser.parse_args()
    if not options.table:
        known = known_distances(options.quick)
        if not known:
            parser.error("nothing is proven: run studies/search.py first")
        parts: list[Measured] = []
        rows: list[Row] = []
        for name in RAW:
            index, _ = measured(name, chosen_data(options, parser), 2_000 if options.quick else None)
            index = GraphIndex.build((index[id] for id in index), vectors=True)
            for some, row in measured_of(name, index, queries(index, 8 if options.quick else 100, 0), known):
                parts.append(some)
                rows.append(row)
        rows.append(all_of(parts, sum({row.collection: row.graphs for row in rows}.values())))
        save(result_file("approximate_speed", options.quick), Row._fields, rows, seed=0)
    if not options.quick:
        refresh()
    return 0


if __name__ == "__main__":
    sys.exit(main())
