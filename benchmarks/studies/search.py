"""How fast an index is: certified searches in large collections of molecules, beside scans of the whole collection.

    python benchmarks/studies/search.py --data DIR [--quick] [--scans 10] [--again] [--table]

Molhiv and MUV, structure only ("uniform") and with elements ("labelled"); half of the queries are members, the others
members with one to three random edits. A search has two workers and a time limit; what it has proven is counted. The
peer, measured for the first queries that were proven and right after a search for the same, is one call of ``auto`` for
each graph of the collection on two threads, and is told what nobody knows beforehand: the distance of the tenth
nearest, as cutoff from the first pair on. A second scan has to find its cutoff itself: the tenth distance so far.
Growth is that of searches for the same queries in ever larger random subsets of both collections; the largest size is
no measurement but on the line through the others, and says so.

Every answer goes into a journal below build/benchmarks/search at once, so a run that was stopped goes on where it was;
``--again`` forgets all of them, as is right after the search has changed. ``--table`` only makes page and picture say
what the result files say.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from graphedx import GraphIndex, Hits
from graphedx.costs import LABELLED, UNIFORM
from graphedx.experiments.lines import append_line, read_lines
from record import CONSOLE, PROVENANCE, chosen_data, image_file, load, provenance, result_file, save
from search_data import EDITED, FOLDER, MEMBER, RAW, TOGETHER, IndexRow, Query, measured, queries, subsets
from search_scan import Scanned, Scanner
from search_table import refresh
from studies.figures import draw_search_growth

COSTS = {"uniform": UNIFORM, "labelled": LABELLED}
SIZES = (1_000, 10_000, 40_000, 90_000, 10**9)  # the last one is all that there are
EXTRAPOLATED = 1_000_000
K, WORKERS = 10, 2
ALL = "all"
SAID = 10  # searches between two lines of progress


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    most: int | None
    queries: int
    scans: int
    growth_queries: int
    sizes: tuple[int, ...]
    time_limit: float
    scan_limit: float
    own_scan_limit: float
    seed: int


class Row(NamedTuple):
    """Searches of one kind in a collection. Ratios are of sums, what the scans took by what the searches took; but
    ``..._median_times`` is half way between those of single queries."""

    collection: str
    graphs: int
    costs: str
    queries: str
    count: int
    k: int
    workers: int
    time_limit: float
    proven: int
    seconds_median: float
    seconds_q1: float
    seconds_q3: float
    seconds_p90: float
    bounded_median: float
    searched_median: float
    times_fewer_searches: float
    scans: int
    scan_ended: int
    scan_undecided: int
    scan_seconds_median: float | str
    scan_times_slower: float | str
    scan_median_times: float | str
    own_scan_ended: int
    own_scan_seconds_median: float | str
    own_scan_times_slower: float | str
    own_scan_median_times: float | str


class GrowthRow(NamedTuple):
    costs: str
    graphs: int
    extrapolated: str
    count: int
    proven: int | str
    seconds_median: float
    seconds_q1: float | str
    seconds_q3: float | str
    seconds_p90: float | str
    bounded_median: float | str
    searched_median: float | str
    seconds_a_graph: float | str


# -- remembering ------------------------------------------------------------------------------------------------------

Answer = dict[str, Any]


class Journal:
    """Every answer so far, by what was asked; on disk as soon as it is known."""

    ASKED = ("collection", "graphs", "costs", "kind", "number", "seed")

    def __init__(self, name: str, forget: bool) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._path = FOLDER / f"{name}.jsonl"
        if forget:
            self._path.unlink(missing_ok=True)
        self._known = {tuple(row[name] for name in self.ASKED): row for row in read_lines(self._path)}

    def __contains__(self, asked: tuple[object, ...]) -> bool:
        return asked in self._known

    def __getitem__(self, asked: tuple[object, ...]) -> Answer:
        return self._known[asked]

    def add(self, asked: tuple[object, ...], answer: Answer) -> None:
        where = dict(zip(PROVENANCE, provenance(int(str(asked[-1]))), strict=True))
        row = dict(zip(self.ASKED, asked, strict=True)) | answer | where
        append_line(self._path, row)
        self._known[asked] = row

    def of(
        self, collection: str, graphs: int, costs: str, kinds: Sequence[str], plan: Plan, count: int
    ) -> list[Answer]:
        """What is known of the first so many of each kind."""
        asked = [(collection, graphs, costs, kind, number, plan.seed) for kind in kinds for number in range(count)]
        return [self._known[one] for one in asked if one in self._known]


# -- measuring --------------------------------------------------------------------------------------------------------


def answer_of(hits: Hits) -> Answer:
    return {
        "seconds": hits.seconds,
        "proven": hits.complete,
        "bounded": hits.bounded,
        "searched": hits.searched,
        "ties": len(hits.ties),
        "last": hits[-1].upper if hits.complete else None,
    }


def search_all(name: str, index: GraphIndex, asked: Sequence[Query], plan: Plan, journal: Journal) -> None:
    """What the journal lacks of these queries, under both costs."""
    for costs, prices in COSTS.items():
        missing = [q for q in asked if (name, len(index), costs, q.kind, q.number, plan.seed) not in journal]
        if missing:  # the first search touches the pages of the file
            index.search(missing[0].graph, K, costs=prices, time_limit=1.0, workers=WORKERS)
        seconds = []
        for place, query in enumerate(missing, 1):
            hits = index.search(query.graph, K, costs=prices, time_limit=plan.time_limit, workers=WORKERS)
            journal.add((name, len(index), costs, query.kind, query.number, plan.seed), answer_of(hits))
            seconds.append(hits.seconds)
            if place % SAID == 0 or place == len(missing):
                done = f"{place} of {len(missing)} searches, median {median(seconds):.3f} s, most {max(seconds):.2f} s"
                CONSOLE.print(f"{name}, {len(index):,} graphs, {costs}: {done}")


def scan_some(
    name: str, index: GraphIndex, asked: Sequence[Query], plan: Plan, found: Journal, journal: Journal
) -> None:
    """The first queries of each kind that were proven, once more and by a scan."""
    for costs, prices in COSTS.items():
        keys = [(name, len(index), costs, query.kind, query.number, plan.seed) for query in asked]
        chosen: list[tuple[Query, tuple[object, ...]]] = []
        for kind in (MEMBER, EDITED):
            proven = [(q, key) for q, key in zip(asked, keys, strict=True) if q.kind == kind and found[key]["proven"]]
            chosen += proven[: plan.scans // 2]
        missing = [(query, key) for query, key in chosen if key not in journal]
        if not missing:
            continue
        CONSOLE.print(f"{name}, {costs}: encoding {len(index):,} graphs for scans")
        scanner = Scanner(index, [query.graph for query, _ in missing], prices, WORKERS)
        for place, (query, key) in enumerate(missing):
            hits = index.search(query.graph, K, costs=prices, time_limit=plan.time_limit, workers=WORKERS)
            cutoff = float(found[key]["last"])
            scan = scanner.scan(place, K, cutoff, plan.scan_limit)
            require_agreement(hits, scan, index, cutoff)
            own = scanner.scan(place, K, None, plan.own_scan_limit)
            journal.add(
                key,
                {
                    "search_seconds": hits.seconds,
                    "searched": hits.searched,
                    "scan_seconds": scan.seconds,
                    "scan_ended": scan.ended,
                    "undecided": scan.undecided(cutoff),
                    "own_scan_seconds": own.seconds,
                    "own_scan_ended": own.ended,
                },
            )
            CONSOLE.print(
                f"{name}, {costs}, {query.kind} {query.number}: search {hits.seconds:.3f} s, scan {scan.seconds:.1f} s"
                f"{'' if scan.ended else ', not ended'}, with a cutoff of its own {own.seconds:.1f} s"
                f"{'' if own.ended else ', not ended'}"
            )


def require_agreement(hits: Hits, scan: Scanned, index: GraphIndex, cutoff: float) -> None:
    """End if search and scan contradict each other."""
    listed = {hit.id: hit for hit in (*hits, *hits.ties)}
    for id, lower, upper in zip(index.ids, scan.lower, scan.upper, strict=True):
        if id in listed and not (lower <= listed[id].upper and listed[id].lower <= upper):
            raise SystemExit(f"{id}: the scan says [{lower}, {upper}], the search {listed[id]}")
        if id not in listed and upper <= cutoff and hits.complete:
            raise SystemExit(f"{id}: the scan says at most {upper}, the search has not found it")


# -- summing up -------------------------------------------------------------------------------------------------------


def quantiles(answers: Sequence[Answer], column: str, *shares: float) -> list[float]:
    return [float(value) for value in np.quantile([row[column] for row in answers], shares)]


def sources(answers: Sequence[Answer]) -> list[str]:
    """When and where these were measured: the values of ``PROVENANCE``, more than one if there are."""
    return ["+".join(sorted({str(row[name]) for row in answers})) for name in PROVENANCE]


def search_rows(sizes: dict[str, int], plan: Plan, found: Journal, scans: Journal) -> Iterator[list[object]]:
    """One for each collection, costs and kind of query, and one for all of them."""
    every: tuple[list[Answer], list[Answer]] = ([], [])
    for name, graphs in sizes.items():
        for costs in COSTS:
            for kind in (MEMBER, EDITED):
                place = (name, graphs, costs, [kind], plan, plan.queries)
                answers, scanned = found.of(*place), scans.of(*place)
                yield [*search_row(name, costs, kind, plan, answers, scanned), *sources([*answers, *scanned])]
                every[0].extend(answers)
                every[1].extend(scanned)
    yield [*search_row(ALL, ALL, ALL, plan, *every), *sources([*every[0], *every[1]])]


def search_row(
    name: str, costs: str, kind: str, plan: Plan, answers: Sequence[Answer], scanned: Sequence[Answer]
) -> Row:
    q1, middle, q3, p90 = quantiles(answers, "seconds", 0.25, 0.5, 0.75, 0.9)
    return Row(
        collection=name,
        graphs=sum({row["collection"]: row["graphs"] for row in answers}.values()),
        costs=costs,
        queries=kind,
        count=len(answers),
        k=K,
        workers=WORKERS,
        time_limit=plan.time_limit,
        proven=sum(row["proven"] for row in answers),
        seconds_median=middle,
        seconds_q1=q1,
        seconds_q3=q3,
        seconds_p90=p90,
        bounded_median=median(row["bounded"] for row in answers),
        searched_median=median(row["searched"] for row in answers),
        times_fewer_searches=sum(row["graphs"] for row in answers) / max(1, sum(row["searched"] for row in answers)),
        scans=len(scanned),
        scan_ended=sum(row["scan_ended"] for row in scanned),
        scan_undecided=sum(row["undecided"] for row in scanned),
        scan_seconds_median=median(row["scan_seconds"] for row in scanned) if scanned else "",
        scan_times_slower=times_slower(scanned, "scan_seconds"),
        scan_median_times=median_times(scanned, "scan_seconds"),
        own_scan_ended=sum(row["own_scan_ended"] for row in scanned),
        own_scan_seconds_median=median(row["own_scan_seconds"] for row in scanned) if scanned else "",
        own_scan_times_slower=times_slower(scanned, "own_scan_seconds"),
        own_scan_median_times=median_times(scanned, "own_scan_seconds"),
    )


def times_slower(scanned: Sequence[Answer], column: str) -> float | str:
    """What the scans took by what the searches for the same queries took."""
    return sum(row[column] for row in scanned) / sum(row["search_seconds"] for row in scanned) if scanned else ""


def median_times(scanned: Sequence[Answer], column: str) -> float | str:
    """The same for each query, and the median of that."""
    return median(row[column] / row["search_seconds"] for row in scanned) if scanned else ""


def growth_rows(sizes: Sequence[int], plan: Plan, found: Journal) -> Iterator[list[object]]:
    for costs in COSTS:
        medians: dict[int, float] = {}
        every: list[Answer] = []
        for graphs in sizes:
            answers = found.of(TOGETHER, graphs, costs, [MEMBER, EDITED], plan, plan.growth_queries)
            q1, medians[graphs], q3, p90 = quantiles(answers, "seconds", 0.25, 0.5, 0.75, 0.9)
            bounded, searched = (median(row[name] for row in answers) for name in ("bounded", "searched"))
            proven = sum(row["proven"] for row in answers)
            row = GrowthRow(
                costs, graphs, "no", len(answers), proven, medians[graphs], q1, q3, p90, bounded, searched, ""
            )
            yield [*row, *sources(answers)]
            every += answers
        slope, seconds = extrapolated(medians)
        row = GrowthRow(costs, EXTRAPOLATED, "yes", 0, "", seconds, "", "", "", "", "", slope)
        yield [*row, *sources(every)]


def extrapolated(medians: dict[int, float]) -> tuple[float, float]:
    """By how much the line through the medians rises a graph, and where it is for the most graphs: a power law would
    be lower, but to read what is stored of all graphs takes time in proportion."""
    slope, start = np.polyfit(list(medians), list(medians.values()), 1)
    if slope < 0:
        slope, start = 0.0, max(medians.values())
    return float(slope), float(start + slope * EXTRAPOLATED)


# -- the study --------------------------------------------------------------------------------------------------------


def study(plan: Plan, data: Path, quick: bool, again: bool) -> None:
    searches, scans = (Journal(("quick_" if quick else "") + name, again) for name in ("searches", "scans"))
    indexes: dict[str, GraphIndex] = {}
    index_rows: list[IndexRow] = []
    for name in RAW:
        indexes[name], row = measured(name, data, plan.most)
        index_rows.append(row)
        CONSOLE.print(
            f"{name}: {row.graphs:,} graphs, {row.bytes_a_graph:.0f} bytes each, built in {row.build_seconds:.1f} s"
        )
    save(result_file("search_index", quick), IndexRow._fields, index_rows, plan.seed)
    for name, index in indexes.items():
        asked = queries(index, plan.queries, plan.seed)
        search_all(name, index, asked, plan, searches)
        scan_some(name, index, asked, plan, searches, scans)
        done = {name: len(indexes[name]) for name in list(indexes)[: list(indexes).index(name) + 1]}
        rows = search_rows(done, plan, searches, scans)
        save(result_file("search", quick), [*Row._fields, *PROVENANCE], rows, seed=None)
    asked, sizes = [], []
    for index in subsets(indexes.values(), plan.sizes, plan.seed):
        asked = asked or queries(index, plan.growth_queries, plan.seed)  # members of the smallest are members of all
        search_all(TOGETHER, index, asked, plan, searches)
        sizes.append(len(index))
    path = result_file("search_growth", quick)
    save(path, [*GrowthRow._fields, *PROVENANCE], growth_rows(sizes, plan, searches), seed=None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--quick", action="store_true", help="few queries in small collections; into build/benchmarks")
    parser.add_argument("--queries", type=int, default=100, help="half of them edited")
    parser.add_argument("--scans", type=int, default=10, help="for each collection and costs; half of them edited")
    parser.add_argument("--growth-queries", type=int, default=20)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for a search")
    parser.add_argument("--scan-limit", type=float, default=1800.0, help="seconds for a scan that knows its cutoff")
    parser.add_argument("--own-scan-limit", type=float, default=120.0, help="seconds for one that has to find it")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs have measured")
    parser.add_argument("--table", action="store_true", help="only page and picture, from the result files")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    quick = options.quick
    if not options.table:
        plan = Plan(
            most=2_000 if quick else None,
            queries=8 if quick else options.queries,
            scans=2 if quick else options.scans,
            growth_queries=4 if quick else options.growth_queries,
            sizes=(200, 1_000, 4_000) if quick else SIZES,
            time_limit=options.time_limit,
            scan_limit=options.scan_limit,
            own_scan_limit=options.own_scan_limit,
            seed=options.seed,
        )
        study(plan, chosen_data(options, parser), quick, options.again)
    draw_search_growth(load(result_file("search_growth", quick)), image_file("search_growth", quick))
    if quick:
        CONSOLE.print(f"{result_file('search', quick)} and {image_file('search_growth', quick)}")
    else:
        refresh()
    return 0


if __name__ == "__main__":
    sys.exit(main())
