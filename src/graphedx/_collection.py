"""The way to the native module for search: many graphs in few bytes, and which of them are nearest to a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import _kernels, _native
from graphedx._checksums import BlockChecksums
from graphedx._kernels import CancelFlag
from graphedx.costs import EditCosts
from graphedx.errors import GraphError, IntegrityError
from graphedx.graph import Graph, Label

COLUMNS: Mapping[str, type[np.generic]] = {
    "graph_bytes": np.uint8,
    "graph_ends": np.int64,
    "star_bytes": np.uint8,
    "star_ends": np.int64,
    "view_bytes": np.uint8,
    "view_ends": np.int64,
    "counted_views": np.uint32,
    "counts": np.uint32,
    "counted_ends": np.int64,
}
"""The arrays that a collection is, by name; what is in them says ``native/include/graphedx/collection``."""

TIED = 1 + 1e-14
"""Distances that differ by no more are ties: the same costs were added in another order. The core has the same."""

Arrays = Mapping[str, NDArray[Any]]


class Found(NamedTuple):
    """What a search knows, sorted by upper bound, then position.

    If ``complete``, these are all graphs within the radius, or all that are no further than the k-th nearest: more than
    k if others are as near as that one. All their distances are proven. If not, time ran out, and these are the best
    known: within the radius for certain, or the k of the least upper bounds. No graph that is not listed is nearer than
    ``unseen``.
    """

    positions: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    complete: bool
    unseen: float
    bounded: int
    """Graphs that their counted views did not exclude."""
    searched: int
    """Those of them that took more than one bound: a tree search."""


class Look(NamedTuple):
    """What a node that looks like none of the other graph adds to the distance, about."""

    nodes: bool  # whether labels of nodes are seen
    edges: bool
    rounds: int  # of colour refinement; none: labels alone, or degrees if no labels are seen
    weight: float


class Block(NamedTuple):
    """Colours after so many rounds, of these labels, in bins; no rounds: labels alone, or degrees if none are seen."""

    nodes: bool
    edges: bool
    rounds: int
    bins: int


class StoredGraphs(NamedTuple):
    """The file that the arrays of a collection lie in, and the checksums of its ``graph_bytes``."""

    path: str
    checksums: BlockChecksums


class Collection:
    """Many graphs, immutable; its arrays may lie in a file that is mapped to memory.

    With ``stored``, each block of ``graph_bytes`` is verified before it is first read; a block that is damaged is an
    IntegrityError. The caller has verified the other arrays.
    """

    def __init__(
        self,
        arrays: Arrays,
        node_labels: Sequence[Label],
        edge_labels: Sequence[Label],
        *,
        directed: bool,
        stored: StoredGraphs | None = None,
    ) -> None:
        for name, kind in COLUMNS.items():
            if name not in arrays or arrays[name].dtype != kind or arrays[name].ndim != 1:
                raise GraphError(f"a collection needs the array {name!r} with one dimension of {kind.__name__}")
        self._arrays = {name: np.ascontiguousarray(arrays[name]) for name in COLUMNS}
        self.node_labels, self.edge_labels, self.directed = tuple(node_labels), tuple(edge_labels), directed
        self._path = stored.path if stored else ""
        with _damage_told(self._path):
            columns: list[Any] = [*self._arrays.values(), *(stored.checksums if stored else ())]
            self._native = _native.Collection(directed, *columns)

    @classmethod
    def of(cls, graphs: Iterable[Graph]) -> Collection:
        """These graphs, which are all directed or all not."""
        return _Builder().built(graphs)

    @property
    def arrays(self) -> Arrays:
        """What ``Collection`` takes; all of it is verified."""
        self.verify()
        return self._arrays

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self._arrays.values())

    def verify(self) -> None:
        """Verify all blocks that are not verified yet; IntegrityError if one is damaged."""
        with _damage_told(self._path):
            self._native.verify()

    def __len__(self) -> int:
        return len(self._native)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Collection, directed=self.directed), (self.arrays, self.node_labels, self.edge_labels)

    def graph(self, position: int) -> Graph:
        """As it was put in, but for its name."""
        try:
            nodes, edges, kinds = self._native.content(position)
            return Graph(
                len(nodes),
                edges,
                node_labels=[self.node_labels[number] for number in nodes],
                edge_labels=[self.edge_labels[number] for number in kinds],
                directed=self.directed,
            )
        except _native.DamagedBlock as error:
            raise _damaged(self._path, error) from None
        except (ValueError, IndexError) as error:
            raise GraphError(f"graph {position} of the collection: {error}") from None

    def extended(self, graphs: Iterable[Graph]) -> Collection:
        """These graphs behind those that there are."""
        return _Builder(self).built(graphs)

    def without(self, positions: Iterable[int]) -> Collection:
        """The others, in the same order, and nothing that only those had that are gone.

        A few ns a byte; but where the last graph with a label goes, labels are numbered anew, and the others with them:
        about 0.1 ms a graph.
        """
        kept = np.ones(len(self), dtype=bool)
        kept[np.fromiter(positions, dtype=np.int64)] = False
        arrays = dict(self.arrays)
        arrays["graph_bytes"], arrays["graph_ends"] = _kept(arrays["graph_bytes"], arrays["graph_ends"], kept)
        ends = arrays["counted_ends"]
        arrays["counted_views"], arrays["counted_ends"] = _kept(arrays["counted_views"], ends, kept)
        arrays["counts"], _ = _kept(arrays["counts"], ends, kept)
        less = self._like(arrays)
        used = _used(arrays["counted_views"], len(arrays["view_ends"]))
        return less if used.all() else less._tidied()

    def selected(self, positions: NDArray[np.int64]) -> Collection:
        """The graphs at these positions, in this order: some of many, quickly. Labels and stars stay as they are."""
        with _damage_told(self._path):
            self._native.verify_graphs(positions)
        arrays, ends = dict(self._arrays), self._arrays["counted_ends"]
        gathered = _native.gathered
        arrays["graph_bytes"], arrays["graph_ends"] = gathered(arrays["graph_bytes"], arrays["graph_ends"], positions)
        arrays["counts"], arrays["counted_ends"] = gathered(arrays["counts"], ends, positions)
        arrays["counted_views"], _ = gathered(arrays["counted_views"], ends, positions)
        # Only their own views: what a search does first takes time for each of those that there are.
        return self._like(_with_own_views(arrays))

    def _like(self, arrays: Arrays) -> Collection:
        return Collection(arrays, self.node_labels, self.edge_labels, directed=self.directed)

    def _tidied(self) -> Collection:
        """The same graphs without views, stars and labels that none of them has."""
        if not len(self):
            return Collection.of([])
        _continued(self, self.directed)  # reads all stars and views, so that they are not damaged
        arrays = _with_own_views(self.arrays)
        stars, views = (_Numbers.read(arrays[f"{name}_bytes"], arrays[f"{name}_ends"]) for name in ("star", "view"))
        # A view begins with its star; then come edges: two labels, a star and a count each.
        of_star = (views.places == 0) | (views.places % 4 == 3)
        used = _used(views.values[of_star], len(arrays["star_ends"]))
        # A star begins with its label; then come edges: two labels, each plus 1, and a count each.
        own = np.repeat(used, stars.lengths)
        nodes, edges = stars.values[own & (stars.places == 0)], stars.values[own & (stars.places % 3 > 0)]
        if not (_used(nodes, len(self.node_labels)).all() and _used(edges, len(self.edge_labels) + 1)[1:].all()):
            return Collection.of(self.graph(position) for position in range(len(self)))
        if not used.all():
            arrays["star_bytes"], arrays["star_ends"] = _kept(arrays["star_bytes"], arrays["star_ends"], used)
            views.values[of_star] = (np.cumsum(used) - 1)[views.values[of_star]]
            arrays["view_bytes"], arrays["view_ends"] = views.written()
        return self._like(arrays)

    def nearest(
        self,
        query: Graph,
        costs: EditCosts,
        *,
        k: int | None = None,
        radius: float | None = None,
        time_limit: float | None = None,
        workers: int = 1,
        cancel: CancelFlag | None = None,
        patience: int | None = None,
        guessed: Sequence[float] = (),
        unit: float = 1.0,
    ) -> Found:
        """The k graphs of the least distance from the query, or all within a radius; it does not hold the GIL.

        With ``patience`` (nodes of the search for one graph) it is in a hurry: graphs that take longer are left open,
        those of the least ``guessed`` distance are looked at first, and when nearer ones than the k that are found have
        become unlikely it is over; guesses are a few times ``unit`` off. The answer is never complete then; its bounds
        hold.
        """
        if (k is None) == (radius is None):
            raise TypeError("either k or radius is needed")
        within = float("inf") if radius is None else radius
        flag = cancel or CancelFlag()
        start = perf_counter()
        asked = self._asked(query, costs)
        # Costs of many labels take their time, which is the caller's too.
        left = None if time_limit is None else max(0.0, time_limit - (perf_counter() - start))
        with _kernels.HELPFUL_ERRORS, _damage_told(self._path):
            return Found(*self._native.nearest(*asked, k, within, left, workers, flag, patience, guessed, unit))

    def unlikeness(
        self,
        query: Graph,
        looks: Sequence[Look],
        positions: NDArray[np.int64],
        *,
        workers: int = 1,
        time_limit: float | None = None,
    ) -> NDArray[np.float64]:
        """How unlike the query the graphs at these positions are, for any costs; infinite where time was too short."""
        nodes, edges = _numbers(query.node_labels, self.node_labels), _numbers(query.edge_labels, self.edge_labels)
        with _damage_told(self._path):
            return self._native.likeness(nodes, query.edge_index, edges, looks, positions.tolist(), workers, time_limit)

    def colour_counts(
        self, blocks: Sequence[Block], positions: Sequence[int], *, workers: int = 1
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Of the graphs at these positions: (graphs, 2) nodes and edges, and (graphs, bins) ``colour_counts``."""
        with _damage_told(self._path):
            return self._native.colour_counts(blocks, positions, workers)

    def lower_bounds(self, query: Graph, costs: EditCosts, *, workers: int = 1) -> NDArray[np.float64]:
        """Of the distance from the query to every graph: what is quickly known, in the order of the graphs."""
        asked = self._asked(query, costs)
        with _damage_told(self._path):
            return self._native.lower_bounds(*asked, workers)

    def _asked(self, query: Graph, costs: EditCosts) -> tuple[_native.Graph, _native.CostTables, bool, bool]:
        if query.directed != self.directed and len(self) > 0:
            wanted, given = ("directed", "undirected") if self.directed else ("undirected", "directed")
            raise GraphError(f"the graphs of this collection are {wanted}, so a query must be; got one that is {given}")
        return _kernels.encoded_query(query, costs, self.node_labels, self.edge_labels)


def colour_counts(
    graph: Graph, node_labels: Sequence[Label], edge_labels: Sequence[Label], blocks: Sequence[Block]
) -> NDArray[np.uint8]:
    """How many nodes have a colour in each bin, block after block, and 255 if more have; labels are numbered so."""
    nodes, edges = _numbers(graph.node_labels, node_labels), _numbers(graph.edge_labels, edge_labels)
    return _native.colour_counts(nodes, graph.edge_index, edges, graph.directed, blocks)


class CountTable(NamedTuple):
    """A row of counts for each graph, the query's own, and what each count that differs by one weighs."""

    counts: NDArray[np.uint8]  # (graphs, width)
    own: NDArray[np.uint8]  # (width,)
    weight: float


class SizeTable(NamedTuple):
    """Nodes and edges of graphs, and of the query, and what a difference weighs."""

    sizes: NDArray[np.float32]  # (graphs, 2)
    own: NDArray[np.float32]  # (2,)
    node: float  # of each more or less
    edge: float
    node_growth: float  # of each more; of each less, taken away
    edge_growth: float


def nearest_counts(
    sizes: SizeTable, tables: Iterable[CountTable], count: int, *, workers: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The graphs at the least weighted L1 distance from the query, nearest first, and how far; the GIL is not held.

    Of those that are equally far the first come first. Tables that tell most should come first: of graphs that are too
    far by then, the others are not read.
    """
    nodes, edges = sizes.own.tolist()
    weights = sizes.node, sizes.edge, sizes.node_growth, sizes.edge_growth
    return _native.nearest_counts(sizes.sizes, (nodes, edges), weights, list(tables), count, workers)


class _Builder:
    """Puts graphs behind those of a collection, or of none."""

    def __init__(self, begun: Collection | None = None) -> None:
        self._begun = begun
        self._nodes = _numbered(begun.node_labels if begun else ())
        self._edges = _numbered(begun.edge_labels if begun else ())

    def built(self, graphs: Iterable[Graph]) -> Collection:
        begun = self._begun
        directed = begun.directed if begun and len(begun) else None
        builder = None
        for graph in graphs:
            if directed is None:
                directed = graph.directed
            if graph.directed != directed:
                raise GraphError("the graphs of a collection must all be directed, or none of them")
            if builder is None:
                builder = _continued(begun, directed)
            nodes = [self._nodes.setdefault(label, len(self._nodes)) for label in graph.node_labels]
            edges = [self._edges.setdefault(label, len(self._edges)) for label in graph.edge_labels]
            builder.add(nodes, graph.edge_index, edges)
        if builder is None:
            builder = _continued(begun, bool(directed))
        arrays: dict[str, NDArray[Any]] = dict(zip(COLUMNS, builder.columns(), strict=True))
        if begun:
            arrays = {name: _joined(name, begun.arrays, arrays) for name in COLUMNS}
        return Collection(arrays, tuple(self._nodes), tuple(self._edges), directed=bool(directed))


def _continued(begun: Collection | None, directed: bool) -> _native.CollectionBuilder:
    with _damage_told():
        return _native.CollectionBuilder(directed, begun._native if begun else None)


@contextmanager
def _damage_told(path: str = "") -> Iterator[None]:
    """Arrays may come from files that anyone has written: what the core finds wrong with them is an error of ours."""
    try:
        yield
    except _native.DamagedBlock as error:
        raise _damaged(path, error) from None
    except ValueError as error:
        raise GraphError(f"this is no collection of graphs, or it is damaged: {error}") from None


def _damaged(path: str, error: Exception) -> IntegrityError:
    return IntegrityError(f"{path}: is damaged: {error}; restore the file or build the index again")


def _joined(name: str, first: Arrays, second: Arrays) -> NDArray[Any]:
    """The column of both; the stars and views of the second include those of the first."""
    if name.startswith(("star_", "view_")):
        return second[name]
    shift = first[name][-1:].sum() if name.endswith("_ends") else 0
    return np.concatenate([first[name], second[name] + shift]).astype(COLUMNS[name], copy=False)


def _kept(
    values: NDArray[Any], ends: NDArray[np.int64], kept: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The strings that are kept, one after the other, and where they end."""
    lengths = np.diff(ends, prepend=0)
    return values[np.repeat(kept, lengths)], np.cumsum(lengths[kept], dtype=np.int64)


def _used(numbers: NDArray[Any], count: int) -> NDArray[np.bool_]:
    """Which of 0, 1, ... are among the numbers; those of damaged files may be larger."""
    used = np.zeros(count, dtype=bool)
    used[numbers[numbers < count]] = True
    return used


def _with_own_views(arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Without the views that are not counted for any graph."""
    used = _used(arrays["counted_views"], len(arrays["view_ends"]))
    content, ends = _native.gathered(arrays["view_bytes"], arrays["view_ends"], np.flatnonzero(used))
    counted = (np.cumsum(used, dtype=np.uint32) - np.uint32(1))[arrays["counted_views"]]
    return {**arrays, "counted_views": counted, "view_bytes": content, "view_ends": ends}


class _Numbers(NamedTuple):
    """Strings of whole numbers, which ``native/include/graphedx/collection/numbers.hpp`` writes as bytes."""

    values: NDArray[np.int64]
    places: NDArray[np.int64]  # of each number in its string
    lengths: NDArray[np.int64]  # of each string

    @classmethod
    def read(cls, content: NDArray[np.uint8], ends: NDArray[np.int64]) -> _Numbers:
        """What the core has read without complaint."""
        last = content < 128  # bytes of a number; seven bits each, the lowest first
        begins = np.flatnonzero(np.concatenate([[True], last[:-1]])[: len(content)])
        shifts = 7 * (np.arange(len(content)) - np.repeat(begins, np.diff(begins, append=len(content))))
        bits = (content & 127).astype(np.int64) << shifts
        values = (np.add.reduceat(bits, begins) if len(begins) else bits) & 0xFFFFFFFF  # as the core does
        lengths = np.diff(np.concatenate([[0], np.cumsum(last)])[ends], prepend=0)
        return cls(values, np.arange(len(values)) - np.repeat(np.cumsum(lengths) - lengths, lengths), lengths)

    def written(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Bytes, and where each string ends."""
        digits = self.values[:, None] >> (7 * np.arange(6))  # the sixth is always 0
        more = digits[:, 1:] > 0
        there = np.concatenate([np.ones((len(digits), 1), dtype=bool), more[:, :-1]], axis=1)
        content = ((digits[:, :-1] & 127) | np.where(more, 128, 0))[there].astype(np.uint8)
        ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])[np.cumsum(self.lengths)]
        return content, ends.astype(np.int64)


def _numbers(own: Iterable[Label], labels: Sequence[Label]) -> list[int]:
    """Where these are among the labels of a collection; behind them all if it has no such label."""
    known = _numbered(labels)
    return [known.get(label, len(known)) for label in own]


def _numbered(labels: Iterable[Label]) -> dict[Label, int]:
    return {label: number for number, label in enumerate(labels)}
