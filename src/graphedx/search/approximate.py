"""Approximate search: the graphs whose vectors are nearest, and the nearest of those by bounds that hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx._collection import Collection, Found
from graphedx._kernels import CancelFlag
from graphedx.costs import EditCosts, require_costs
from graphedx.errors import GraphError, MissingExtraError
from graphedx.graph import Graph
from graphedx.search.vectors import BLOCKS, Vectors, Weighing, blocks_for, columns_of, vectors, weighing

CANDIDATES = 800
"""Graphs that are looked at for each query, unless told otherwise."""
PATIENCE = 100
"""Nodes of the search tree that a candidate is worth at each distance."""
_SLACK = 6.0  # edges by which the guess from vectors may be too large: 97 % of the nearest molecules are within it
_KEPT = 4  # cost settings whose weighted vectors stay in memory

Arrays = Mapping[str, NDArray[Any]]


class Weighted(NamedTuple):
    """The vectors under some costs, by increasing number of nodes."""

    order: NDArray[np.int64]  # positions in the collection
    nodes: NDArray[np.float32]
    rows: NDArray[np.float32]  # (graphs, 3 + columns): nodes, edges, growth, counts
    weights: Weighing  # in units of
    unit: float
    least_growth: float


class ApproximateSearch:
    """The graphs of a collection as vectors in FAISS, for any costs; needs the extra ``search``.

    What it finds is not proven to be nearest, but every distance comes with bounds that hold. The first search under
    new costs weighs the vectors of all graphs, a few µs each.
    """

    def __init__(self, collection: Collection, arrays: Arrays) -> None:
        blocks = blocks_for(collection.node_labels, collection.edge_labels)
        shapes = {"vector_sizes": (len(collection), 2), "vector_counts": (len(collection), _width(blocks))}
        kinds: dict[str, type[np.generic]] = {"vector_sizes": np.float32, "vector_counts": np.uint8}
        for name, shape in shapes.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype != kinds[name]:
                wanted = f"{name} must be {kinds[name].__name__} of {shape}"
                raise GraphError(f"these vectors do not belong to this collection: {wanted}")
        _faiss()
        self._collection, self._blocks = collection, blocks
        self._vectors = Vectors(arrays["vector_sizes"], arrays["vector_counts"])
        # Not of a bound method: what it keeps is large, and must go with the last who holds this search.
        self.weighted = lru_cache(maxsize=_KEPT)(partial(_weighed, collection, self._vectors, blocks))

    @classmethod
    def of(cls, collection: Collection) -> ApproximateSearch:
        """Vectors of all graphs of the collection, made now: about 0.1 ms a graph."""
        return cls(collection, _arrays(_made(collection, range(len(collection)))))

    @property
    def arrays(self) -> Arrays:
        """What ``ApproximateSearch`` takes besides the collection, to be kept with it."""
        return _arrays(self._vectors)

    def extended(self, collection: Collection) -> ApproximateSearch:
        """For the collection with more graphs behind; theirs only are made, unless there are labels of a new kind."""
        if blocks_for(collection.node_labels, collection.edge_labels) != self._blocks:
            return ApproximateSearch.of(collection)
        more = _made(collection, range(len(self._collection), len(collection)))
        sizes = np.concatenate([self._vectors.sizes, more.sizes])
        counts = np.concatenate([self._vectors.counts, more.counts])
        return ApproximateSearch(collection, _arrays(Vectors(sizes, counts)))

    def without(self, collection: Collection, positions: Iterable[int]) -> ApproximateSearch:
        """For the collection that is left without these positions; made anew if its labels have other numbers."""
        if not _numbered_alike(collection, self._collection):
            return ApproximateSearch.of(collection)
        kept = np.ones(len(self._collection), dtype=bool)
        kept[np.fromiter(positions, dtype=np.int64)] = False
        return ApproximateSearch(collection, _arrays(Vectors(self._vectors.sizes[kept], self._vectors.counts[kept])))

    def candidates(
        self, query: Graph, costs: EditCosts, count: int = CANDIDATES
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The positions of the graphs whose vectors are nearest to the query's, and the distances that these guess."""
        require_costs(costs)
        return _nearest_rows(
            self.weighted(costs), self.row(query, costs), len(query), min(count, len(self._collection))
        )

    def row(self, query: Graph, costs: EditCosts) -> NDArray[np.float32]:
        """(1, columns): the query among the rows of ``weighted(costs)``."""
        weighted = self.weighted(costs)
        own = vectors([query], self._collection.node_labels, self._collection.edge_labels, self._blocks)
        row = _rows(own, weighted.weights, columns_of(self._blocks))
        row[:, 2] = weighted.least_growth
        return row

    def search(
        self,
        query: Graph,
        costs: EditCosts,
        *,
        k: int,
        time_limit: float | None = None,
        workers: int = 1,
        cancel: CancelFlag | None = None,
        candidates: int = CANDIDATES,
        patience: int = PATIENCE,
    ) -> Found:
        """The k graphs that are probably nearest, as ``Collection.nearest`` lists them; never ``complete``."""
        positions, guesses = self.candidates(query, costs, max(candidates, 4 * k))
        slack = _SLACK * self.weighted(costs).unit
        found = self._collection.selected(positions).nearest(
            query,
            costs,
            k=k,
            time_limit=time_limit,
            workers=workers,
            cancel=cancel,
            patience=patience,
            guessed=(guesses - slack).tolist(),
        )
        order = np.lexsort((positions[found.positions], found.upper))
        return found._replace(
            positions=positions[found.positions][order],
            lower=found.lower[order],
            upper=found.upper[order],
            unseen=0.0,  # nothing is known of the graphs that were no candidates
        )


def _weighed(collection: Collection, some: Vectors, blocks: Sequence[str], costs: EditCosts) -> Weighted:
    exact = weighing(costs, collection.node_labels, collection.edge_labels)
    weights = exact.in_units()
    order = np.argsort(some.sizes[:, 0], kind="stable")
    some = Vectors(some.sizes[order], some.counts[order])
    rows = _rows(some, weights, columns_of(blocks))
    return Weighted(order, some.sizes[:, 0], rows, weights, exact.unit, float(rows[:, 2].min(initial=0.0)))


def _nearest_rows(
    weighted: Weighted, row: NDArray[np.float32], nodes: float, count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """By L1 distance. Graphs that their size alone excludes are not read; the result is the same."""
    places, distances = np.empty(0, np.int64), np.empty(0, np.float32)
    width, node = 4.0, weighted.weights.node
    begin = end = int(np.searchsorted(weighted.nodes, nodes))  # of the rows that were read
    while count > 0:
        first, last = np.searchsorted(weighted.nodes, [nodes - width, nodes + width + 0.5])
        for start, stop in ((first, begin), (end, last)):
            found = _nearest_of(weighted.rows[start:stop], row, count)
            places = np.concatenate([places, start + found[1]])
            distances = np.concatenate([distances, found[0]])
        order = np.lexsort((places, distances))[:count]
        places, distances, begin, end = places[order], distances[order], first, last
        if end - begin == len(weighted.nodes):
            break
        if len(places) == count:  # a graph with one node more or less is this far away, at least
            if distances[-1] <= node * (math.floor(width) + 1):
                break
            width = float(distances[-1]) / node if node > 0 else math.inf
        else:
            width *= 2
    return weighted.order[places], distances.astype(np.float64) * weighted.unit


def _nearest_of(
    rows: NDArray[np.float32], row: NDArray[np.float32], count: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    if len(rows) == 0:
        return np.empty(0, np.float32), np.empty(0, np.int64)
    faiss = _faiss()
    distances, places = faiss.knn(row, rows, min(count, len(rows)), metric=faiss.METRIC_L1)
    return distances[0], places[0]


def _rows(some: Vectors, weights: Weighing, columns: Mapping[str, slice]) -> NDArray[np.float32]:
    """Each column times its weight, so that the guessed distance is the L1 distance of rows.

    What growing costs more than shrinking is linear in the sizes: a column in which no row is below a query's.
    """
    nodes, edges = some.sizes[:, :1], some.sizes[:, 1:]
    parts = [nodes * weights.node, edges * weights.edge, nodes * weights.node_growth + edges * weights.edge_growth]
    parts += [some.counts[:, columns[name]] * np.float32(weight) for name, weight in weights.blocks.items()]
    return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.float32)


def _numbered_alike(less: Collection, more: Collection) -> bool:
    """Whether vectors of the one are vectors of the other: colours are mixed from the numbers of labels."""
    pairs = (less.node_labels, more.node_labels), (less.edge_labels, more.edge_labels)
    same = all(fewer == labels[: len(fewer)] for fewer, labels in pairs)
    return same and blocks_for(less.node_labels, less.edge_labels) == blocks_for(more.node_labels, more.edge_labels)


def _made(collection: Collection, positions: Iterable[int]) -> Vectors:
    labels = collection.node_labels, collection.edge_labels
    return vectors((collection.graph(position) for position in positions), *labels, blocks_for(*labels))


def _arrays(some: Vectors) -> Arrays:
    return {"vector_sizes": some.sizes, "vector_counts": some.counts}


def _width(blocks: Iterable[str]) -> int:
    return sum(BLOCKS[name].bins for name in blocks)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise MissingExtraError("faiss", "search") from None
    return faiss
