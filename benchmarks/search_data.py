"""The collections of ``studies/search.py``: read once and kept as index files, measured when built; and its queries."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from edited_pairs import edited
from graphedx import Graph, GraphIndex
from graphedx.datasets.readers import molecules
from graphedx.errors import FormatError
from record import WORK

FOLDER = WORK / "search"
RAW = {"Molhiv": "ogbg-molhiv/HIV.csv.gz", "MUV": "PCBA_substitute/muv_smiles.csv.gz"}
"""Where each collection lies below ``data/raw``."""
TOGETHER = "both"
MEMBER, EDITED = "member", "edited"
MOST_EDITS = 3
OPENED = 5  # times


class IndexRow(NamedTuple):
    """An index, and what it takes. Seconds of building are without those of reading the graphs."""

    collection: str
    graphs: int
    avg_nodes: float
    bytes_a_graph: float
    bytes_a_graph_with_ids: float
    build_seconds: float
    build_microseconds_a_graph: float
    save_seconds: float
    open_seconds: float


class Waiting:
    """Graphs, and how long it took to get them."""

    def __init__(self, graphs: Iterable[Graph]) -> None:
        self.graphs, self.seconds = graphs, 0.0

    def __iter__(self) -> Iterator[Graph]:
        graphs = iter(self.graphs)
        while True:
            start = perf_counter()
            graph = next(graphs, None)
            self.seconds += perf_counter() - start
            if graph is None:
                return
            yield graph


def measured(name: str, data: Path, most: int | None) -> tuple[GraphIndex, IndexRow]:
    """The index of a collection, or of its first graphs, in a file that is mapped to memory."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / (f"{name}.gxi" if most is None else f"{name}_{most}.gxi")
    start, graphs = perf_counter(), Waiting(known(name, data, path, most))
    built = GraphIndex.build(graphs)
    build_seconds = perf_counter() - start - graphs.seconds
    start = perf_counter()
    built.save(path, overwrite=True)
    save_seconds = perf_counter() - start
    opened = []
    for _ in range(OPENED):
        start = perf_counter()
        index = GraphIndex.load(path)
        opened.append(perf_counter() - start)
    info = built.info()
    ids = sum(len(id.encode()) + 1 for id in built.ids)
    return index, IndexRow(
        collection=name,
        graphs=info.graphs,
        avg_nodes=info.nodes / info.graphs,
        bytes_a_graph=(info.bytes - ids) / info.graphs,
        bytes_a_graph_with_ids=info.bytes_a_graph,
        build_seconds=build_seconds,
        build_microseconds_a_graph=1e6 * build_seconds / info.graphs,
        save_seconds=save_seconds,
        open_seconds=median(opened),
    )


def known(name: str, data: Path, path: Path, most: int | None) -> Iterator[Graph]:
    """The graphs of an earlier run's file, else of the raw one, which takes a minute and more."""
    try:
        index = GraphIndex.load(path)
    except FormatError:  # there is none, or the format has changed since
        yield from islice(molecules.read(data / "data" / "raw" / RAW[name], prefix=name.lower()), most)
    else:
        yield from (index[id] for id in index)


def subsets(indexes: Iterable[GraphIndex], sizes: Iterable[int], seed: int) -> Iterator[GraphIndex]:
    """Indexes of so many random graphs of all these together, each in the next; no more than there are."""
    owners = [(index, id) for index in indexes for id in index]
    random.Random(f"subsets/{seed}").shuffle(owners)
    for size in sorted({min(size, len(owners)) for size in sizes}):
        yield GraphIndex.build(index[id] for index, id in owners[:size])


class Query(NamedTuple):
    kind: str
    number: int
    graph: Graph


def queries(index: GraphIndex, count: int, seed: int) -> list[Query]:
    """As many random members as members with one to three random edits, all different; more begin with the same."""
    ids = list(index.ids)
    random.Random(f"queries/{seed}").shuffle(ids)
    found = [Query(MEMBER, number, index[id]) for number, id in enumerate(ids[0:count:2])]
    for number, id in enumerate(ids[1:count:2]):
        edits = random.Random(f"edits/{seed}/{number}").randint(1, MOST_EDITS)
        found.append(Query(EDITED, number, edited(index[id], edits, number).graph))
    return found
