"""GraphIndex: a collection of graphs that can be searched for those nearest to a query, with proof."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import inf
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from graphedx._collection import Collection, Found
from graphedx._files import AnyPath
from graphedx._kernels import CancelFlag
from graphedx._limits import as_limit
from graphedx.convert import as_graph, require_graphs
from graphedx.costs import UNIT, EditCosts
from graphedx.datasets.dataset import Dataset
from graphedx.engine.local import worker_count
from graphedx.errors import GraphError
from graphedx.graph import Graph
from graphedx.search import files
from graphedx.search.hits import Asked, Hits, gathered
from graphedx.search.kept_vectors import KeptVectors
from graphedx.search.state import State, chosen_ids

T = TypeVar("T")

_NOTHING = Found(np.empty(0, np.int64), np.empty(0), np.empty(0), complete=True, unseen=inf, bounded=0, searched=0)
_PATIENCE = 5.0  # seconds for the search to notice that it should stop


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What there is to know of an index; ``bytes`` are those of its arrays, in memory and in its file alike.

    Vectors for approximate search are apart: ``vector_bytes``, 0 if there are none.
    """

    graphs: int
    nodes: int
    edges: int
    node_labels: int
    edge_labels: int
    directed: bool
    bytes: int
    vector_bytes: int

    @property
    def bytes_a_graph(self) -> float:
        """On average, without vectors; 0 if there are no graphs."""
        return self.bytes / self.graphs if self.graphs else 0.0


class GraphIndex:
    """Graphs that can be searched for those nearest to a query: exactly, and for any costs.

    ``build`` makes one, ``load`` maps one from a file. Threads may search while another one adds or removes: each
    search sees the index as it was before, or as it is after. Nodes of the graphs that come back are named 0, 1, ...
    An index can be copied and pickled, all that it holds with it.

    >>> from graphedx import Graph, GraphIndex
    >>> paths = [Graph(n, [(k, k + 1) for k in range(n - 1)], name=f"path{n}") for n in range(1, 6)]
    >>> index = GraphIndex.build(paths)
    >>> [(hit.id, hit.distance) for hit in index.search(Graph(3, [(0, 1), (1, 2)]), k=2)]
    [('path3', 0.0), ('path2', 2.0)]
    """

    def __init__(self, state: State) -> None:
        self._state = state  # the only thing that changes, and in one step
        self._changing = threading.Lock()

    @classmethod
    def build(
        cls, graphs: Iterable[Any] | Dataset, *, ids: Iterable[str] | None = None, vectors: bool = False
    ) -> GraphIndex:
        """An index of these graphs: anything that ``ged`` takes, all directed or all undirected; or of a dataset.

        Ids default to the names of the graphs where all have different ones, else to "0", "1", ... With ``vectors`` it
        is ready for approximate searches; without, the first of those makes them. Vectors that are
        there are saved too, and kept when graphs are added and removed.
        """
        state = _state_of(graphs, ids, None)
        if vectors:
            state.vectors.search()
        return cls(state)

    @classmethod
    def load(cls, path: AnyPath) -> GraphIndex:
        """The index in a file that ``save`` wrote, mapped into memory; anything else is a FormatError."""
        return cls(files.load(path))

    def save(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Write the index to a file, whole or not at all; one that exists is replaced only with ``overwrite``.

        Labels must be text, finite numbers, booleans, ``None`` or tuples of those. Who has loaded the old file has what
        was in it.
        """
        files.save(self._state, path, overwrite=overwrite)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._state,)

    def __len__(self) -> int:
        return len(self._state)

    def __contains__(self, id: object) -> bool:
        return id in self._state.position

    def __getitem__(self, id: str) -> Graph:
        """The graph of this id, named by it."""
        state = self._state
        [position] = state.positions_of([id])
        return state.graph(position)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __repr__(self) -> str:
        return f"GraphIndex({len(self):,} graphs)"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all graphs, in the order in which they were added."""
        return self._state.ids

    def search(
        self,
        query: Any,
        k: int = 10,
        *,
        costs: EditCosts = UNIT,
        approximate: bool = False,
        time_limit: float | None = None,
        workers: int | None = None,
    ) -> Hits:
        """The ``k`` graphs nearest to the query: those of the least distance ``ged(query, graph, costs=costs)``.

        They are proven to be the nearest, unless ``time_limit`` (seconds) strikes before; then the hits say what is
        proven of them. ``workers`` is the number of threads, by default one for each core.

        With ``approximate`` they are only probably the nearest, found by vectors of counts; the interval of each
        distance is proven all the same. Making vectors where the index has none, about 3 µs a graph, happens once
        and is not under the time limit.
        """
        return self._found(Asked.checked(query, costs, k=k, approximate=approximate), time_limit, workers)

    def range(
        self,
        query: Any,
        radius: float,
        *,
        costs: EditCosts = UNIT,
        time_limit: float | None = None,
        workers: int | None = None,
    ) -> Hits:
        """All graphs of a distance of at most ``radius`` from the query; otherwise like ``search``."""
        return self._found(Asked.checked(query, costs, radius=radius), time_limit, workers)

    def add(self, graphs: Iterable[Any] | Dataset, *, ids: Iterable[str] | None = None) -> list[str]:
        """Put more graphs behind, and return their ids, chosen as by ``build``; all are added, or none."""
        with self._changing:
            before = self._state
            self._state = _state_of(graphs, ids, before)
            return list(self._state.ids[len(before) :])

    def remove(self, ids: Iterable[str]) -> None:
        """Take the graphs of these ids out; all are removed, or none.

        What only they had is gone too, such as labels: the index is then built anew, about 0.1 ms a graph,
        and its vectors too if it has some.
        """
        with self._changing:
            state = self._state
            gone = set(state.positions_of(ids))
            graphs = [state.collection.graph(position) for position in gone]
            nodes = state.nodes - sum(graph.num_nodes for graph in graphs)
            edges = state.edges - sum(graph.num_edges for graph in graphs)
            if nodes < 0 or edges < 0:  # a file may say anything, and nobody counts its edges
                raise GraphError("this index is damaged: these graphs have more nodes or edges than it says of all")
            collection = state.collection.without(gone)
            ids = tuple(id for position, id in enumerate(state.ids) if position not in gone)
            self._state = State(collection, ids, nodes, edges, state.vectors.without(collection, gone))

    def info(self) -> IndexInfo:
        """How many graphs, nodes, edges and labels there are, and how many bytes they take."""
        state = self._state
        collection = state.collection
        ids = sum(len(id.encode()) + 1 for id in state.ids)
        return IndexInfo(
            graphs=len(state),
            nodes=state.nodes,
            edges=state.edges,
            node_labels=len(collection.node_labels),
            edge_labels=len(collection.edge_labels),
            directed=bool(collection.directed),
            bytes=ids + collection.nbytes,
            vector_bytes=state.vectors.bytes,
        )

    def _found(self, asked: Asked, time_limit: float | None, workers: int | None) -> Hits:
        state, start = self._state, perf_counter()
        limit, threads = as_limit("time_limit", time_limit), worker_count(workers)
        _require_kind(state, asked)
        if asked.approximate:
            state.vectors.search()  # makes them if need be, and in this thread, where Ctrl-C is heard
        found = _interruptible(lambda cancel: nearest(state, asked, limit, threads, cancel))
        return gathered(asked, state, found, perf_counter() - start)


def nearest(state: State, asked: Asked, time_limit: float | None, threads: int, cancel: CancelFlag) -> Found:
    """What the collection finds, if the query is of its kind."""
    _require_kind(state, asked)
    approximate = state.vectors.search() if asked.approximate else None
    if not len(state):
        return _NOTHING if approximate is None else _NOTHING._replace(complete=False, unseen=0.0)
    query, costs, k, radius, _ = asked
    k, threads = k and min(k, len(state)), min(threads, len(state))  # the native core has no numbers beyond 64 bits
    if approximate is not None and k is not None:
        return approximate.search(query, costs, k=k, time_limit=time_limit, workers=threads, cancel=cancel)
    return state.collection.nearest(
        query, costs, k=k, radius=radius, time_limit=time_limit, workers=threads, cancel=cancel
    )


def _require_kind(state: State, asked: Asked) -> None:
    """Refuse a query that has not the direction of the graphs; an empty index has neither direction nor hits."""
    if len(state) and asked.query.directed != state.collection.directed:
        one, other = ("directed", "undirected") if asked.query.directed else ("undirected", "directed")
        raise GraphError(f"the query is {one} but the graphs of the index are {other}: convert one of them first")


def _state_of(graphs: Iterable[Any] | Dataset, ids: Iterable[str] | None, before: State | None) -> State:
    """The graphs behind those that were there before; each is looked at once, so they may come from a generator."""
    seen = _Seen()
    if before is None or not len(before):  # an empty collection has no direction yet
        collection = Collection.of(seen.converted(graphs, None))
        vectors = KeptVectors(collection) if before is None else before.vectors.extended(collection)
        return State(collection, chosen_ids(ids, seen.names, {}), seen.nodes, seen.edges, vectors)
    collection = before.collection.extended(seen.converted(graphs, before.collection.directed))
    new = chosen_ids(ids, seen.names, before.position)
    nodes, edges = before.nodes + seen.nodes, before.edges + seen.edges
    return State(collection, before.ids + new, nodes, edges, before.vectors.extended(collection))


class _Seen:
    """What is remembered of graphs that pass by."""

    def __init__(self) -> None:
        self.names: list[object] = []
        self.nodes = self.edges = 0

    def converted(self, graphs: Iterable[Any] | Dataset, directed: bool | None) -> Iterator[Graph]:
        things = graphs.graphs if isinstance(graphs, Dataset) else graphs
        require_graphs(things, wanted="a list of graphs or a dataset")
        for k, thing in enumerate(things):
            try:
                graph = as_graph(thing)
            except GraphError as error:
                raise GraphError(f"graphs[{k}]: {error}") from None
            directed = graph.directed if directed is None else directed
            if graph.directed != directed:
                one, other = ("directed", "undirected") if graph.directed else ("undirected", "directed")
                raise GraphError(f"graphs[{k}] is {one} but those before are {other}: convert one of them first")
            self.names.append(graph.name)
            self.nodes += graph.num_nodes
            self.edges += graph.num_edges
            yield graph


def _interruptible(search: Callable[[CancelFlag], T]) -> T:
    """What the search finds; it runs in a thread of its own, so that Ctrl-C is heard and stops it."""
    found: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()
    cancel = CancelFlag()

    def work() -> None:
        try:
            found.put((search(cancel), None))
        except BaseException as error:  # raised again where it can be seen, in the caller's thread
            found.put((None, error))

    thread = threading.Thread(target=work, daemon=True, name="graphedx-search")
    thread.start()
    try:
        while True:
            try:
                answer, error = found.get(timeout=0.5)  # a wait without end would not hear Ctrl-C on every system
                break
            except Empty:
                continue
    except BaseException:
        cancel.set()
        thread.join(_PATIENCE)
        raise
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]
