"""Searches of an index against full scans by the exact method, ties included. Exit status 1 if one answer differs.

    python benchmarks/check_search.py [--queries 50] [--graphs 1000] [--seed 0]

The graphs are molecules that come with rdkit, of at most 12 atoms. Half of the queries are such molecules, in the index
or not; the others are members with one to four random edits. Every query is put to the index under four costs, and
compared with the distances to all graphs: the same hits in the same order, the same ties, the same distances.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from edited_pairs import edited
from graphedx import EditCosts, Graph, GraphIndex, Hits
from graphedx._kernels import EXACT, Batch, CancelFlag
from graphedx.costs import LABELLED, NON_UNIFORM, UNIFORM
from graphedx.datasets.readers.embedded import nci
from record import CONSOLE

MOST_ATOMS = 12
K = 10
SHOWN = 10  # disagreements printed under each costs
SIZES = {"H": 1.2, "C": 1.7, "N": 1.55, "O": 1.52, "S": 1.8, "Cl": 1.75, "Br": 1.85}
BONDS = {"SINGLE": 1.0, "AROMATIC": 1.5, "DOUBLE": 2.0, "TRIPLE": 3.0}
Distances = NDArray[np.float64]


def exchanged(atom: object, other: object) -> float:
    """Growing costs more than shrinking, and no sum of these is a sum of the others."""
    grown = SIZES.get(str(other), 2.0) - SIZES.get(str(atom), 2.0)
    return 0.6 + math.sqrt(grown) if grown > 0 else 0.4 - grown / 3


def inserted(bond: object) -> float:
    return 0.8 * BONDS.get(str(bond), 1.0)


def by_label() -> EditCosts:
    """Tables and functions of labels, of nodes and edges, that are not the same in both directions."""
    bonds = {(a, b): 0.25 + abs(x - 0.7 * y) for a, x in BONDS.items() for b, y in BONDS.items()}
    return EditCosts(
        node_del=defaultdict(lambda: 1.9, {"C": 2.25, "O": 1.1}),
        node_ins=1.3,
        edge_del=defaultdict(lambda: 0.9, BONDS),
        edge_ins=inserted,
        node_sub=exchanged,
        edge_sub=defaultdict(lambda: 1.0, bonds),
    )


COSTS = {"uniform": UNIFORM, "non-uniform": NON_UNIFORM, "labelled": LABELLED, "by label": by_label()}


class Check(NamedTuple):
    """What was compared under some costs, and the disagreements, in words."""

    costs: str
    queries: int
    ties: int
    searched: int
    wrong: list[str]
    scan_seconds: float
    search_seconds: float


def molecules(count: int, seed: int) -> tuple[list[Graph], list[Graph]]:
    """So many for the index, and the others of these sizes."""
    small = [graph for graph in nci() if len(graph) <= MOST_ATOMS]
    if count > len(small):
        raise SystemExit(f"rdkit comes with {len(small):,} molecules of at most {MOST_ATOMS} atoms, not {count:,}")
    random.Random(f"molecules/{seed}").shuffle(small)
    return small[:count], small[count:]


def asked(members: Sequence[Graph], others: Sequence[Graph], count: int, seed: int) -> list[Graph]:
    """In turn a member, another molecule, and two members with edits."""
    rng = random.Random(f"queries/{seed}")
    return [
        rng.choice((members, others)[k % 4])
        if k % 4 < 2
        else edited(rng.choice(members), rng.randint(1, 4), rng.randrange(2**32)).graph
        for k in range(count)
    ]


def scanned(queries: Sequence[Graph], members: Sequence[Graph], costs: EditCosts, threads: int) -> list[Distances]:
    """The proven distance from every query to every graph."""
    batch, start = Batch([*queries, *members], costs), len(queries)
    targets = np.arange(start, start + len(members), dtype=np.int32)

    def distances(query: int) -> Distances:
        pairs = np.stack([np.full_like(targets, query), targets], axis=1)
        found = batch.columns(pairs, EXACT, CancelFlag())
        if len(found.upper) != len(pairs) or not np.array_equal(found.lower, found.upper):
            raise SystemExit(f"query {query}: the exact method did not prove every distance")
        return found.upper

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(distances, range(start)))


def disagreements(hits: Hits, ids: Sequence[str], distances: Distances) -> Iterator[str]:
    """What the hits get wrong, where these are the distances to all graphs."""
    order = np.lexsort((np.arange(len(ids)), distances))
    near = order[distances[order] <= distances[order[min(K, len(order)) - 1]]]
    wanted = [(ids[position], float(distances[position])) for position in near]
    found = [(hit.id, hit.upper) for hit in (*hits, *hits.ties)]
    if not hits.complete or not all(hit.exact for hit in hits):
        yield "the hits are not proven"
    if found[:K] != wanted[:K]:
        yield f"hits {found[:K]}, the scan has {wanted[:K]}"
    if found[K:] != wanted[K:]:
        yield f"ties {found[K:]}, the scan has {wanted[K:]}"


def checked(
    name: str, members: Sequence[Graph], queries: Sequence[Graph], threads: int, console: Console | None = None
) -> Check:
    """All queries under costs of this name; with a console, the searches are seen going on."""
    costs, index = COSTS[name], GraphIndex.build(members)
    start = time.perf_counter()
    scans = scanned(queries, members, costs, threads)
    scan_seconds = time.perf_counter() - start
    wrong: list[str] = []
    ties = searched = 0
    seconds = 0.0
    for query, distances in track(
        list(zip(queries, scans, strict=True)), name, console=console, disable=console is None
    ):
        hits = index.search(query, K, costs=costs, workers=threads)
        ties, searched, seconds = ties + len(hits.ties), searched + hits.searched, seconds + hits.seconds
        wrong += [f"{name}, {query.name}: {text}" for text in disagreements(hits, index.ids, distances)]
    return Check(name, len(queries), ties, searched, wrong, scan_seconds, seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    members, others = molecules(options.graphs, options.seed)
    queries = asked(members, others, options.queries, options.seed)
    failed = 0
    for name in COSTS:
        check = checked(name, members, queries, options.threads, Console(stderr=True))
        CONSOLE.print(
            f"{name}: {check.queries} queries x {len(members):,} graphs, {check.ties:,} ties, {len(check.wrong)} differ"
            f"; scans {check.scan_seconds:.1f} s, searches {check.search_seconds:.1f} s, {check.searched:,} of "
            f"{check.queries * len(members):,} pairs searched"
        )
        for line in check.wrong[:SHOWN]:
            CONSOLE.print("  " + line, markup=False, highlight=False)
        failed += len(check.wrong)
    CONSOLE.print(f"{options.queries} queries x {len(members):,} graphs x {len(COSTS)} costs: {failed} differ")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
