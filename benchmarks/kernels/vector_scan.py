"""Which vectors are nearest to a query's: the scan of bytes that approximate search has, and FAISS, in one run.

    python benchmarks/kernels/vector_scan.py --data DIR [--quick]

All molecules of MUV, structure only and with elements; for each query, member or edited, as many as a search takes.
FAISS has float rows that were weighted for the costs before, which takes no time here; IVF with as many lists
and probes as ``studies/approximate_search.py`` has. One thread each; processor time, as the machine may be busy.
What is ``same`` is the share of what the scan of bytes finds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import faiss
import numpy as np
from numpy.typing import NDArray

from graphedx import EditCosts, Graph
from graphedx._collection import Collection
from graphedx.search.approximate import CANDIDATES, PROPOSED, ApproximateSearch
from record import CONSOLE, chosen_data, result_file, save
from search_data import measured, queries
from studies.search import COSTS
from weighted_vectors import WeightedVectors

QUERIES = 40
LISTS, PROBED = 200, 20


class Row(NamedTuple):
    costs: str
    way: str
    graphs: int
    queries: int
    bytes_a_graph: float
    median_ms: float
    times_slower: float
    same: float


Way = Callable[[Graph], NDArray[np.int64]]


def ways(
    collection: Collection, search: ApproximateSearch, costs: EditCosts, count: int
) -> Iterator[tuple[str, int, Way]]:
    """Each with the bytes that it keeps."""
    counts = sum(array.nbytes for array in search.arrays.values())
    yield "bytes", counts, lambda query: search.candidates(query, costs, count)[0]
    weighted = WeightedVectors(collection, search, costs)
    width = weighted.rows.shape[1]
    lists = faiss.IndexIVFFlat(faiss.IndexFlat(width, faiss.METRIC_L1), width, LISTS, faiss.METRIC_L1)
    lists.nprobe = PROBED
    for name, index in (
        ("FAISS flat", faiss.IndexFlat(width, faiss.METRIC_L1)),
        (f"FAISS IVF, {PROBED} of {LISTS} lists", lists),
    ):
        index.train(weighted.rows)
        index.add(weighted.rows)
        kept = counts + weighted.rows.nbytes  # the counts stay: other costs weigh them anew
        yield name, kept, lambda query, index=index: index.search(weighted.row(query), count)[1][0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--quick", action="store_true", help="2,000 molecules, kept out of the repository")
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    index, _ = measured("MUV", chosen_data(options, parser), 2_000 if options.quick else None)
    asked = [query.graph for query in queries(index, QUERIES, 0)]
    collection = Collection.of(index[id] for id in index)
    search = ApproximateSearch.of(collection)
    rows = []
    for kind, costs in COSTS.items():
        ours: list[NDArray[np.int64]] = []
        fastest = 0.0
        for name, kept, way in ways(collection, search, costs, PROPOSED * CANDIDATES):
            way(asked[0])
            found, times = [], []
            for query in asked:
                start = process_time()
                found.append(way(query))
                times.append(1e3 * (process_time() - start))
            ours, middle = ours or found, float(np.median(times))
            fastest = fastest or middle
            same = np.mean([np.isin(one, other).mean() for one, other in zip(ours, found, strict=True)])
            row = Row(kind, name, len(index), len(asked), kept / len(index), middle, middle / fastest, float(same))
            CONSOLE.print(f"{kind}, {name}: {middle:.2f} ms, {row.times_slower:.1f} times, {100 * same:.1f} % the same")
            rows.append(row)
    save(result_file("vector_scan", options.quick), Row._fields, rows, seed=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
