"""Approximate search: the graphs whose vectors are nearest, and the nearest of those by bounds that hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphedx._collection import Collection, CountTable, Found, Look, SizeTable, nearest_counts
from graphedx._kernels import CancelFlag
from graphedx.costs import EditCosts, require_costs
from graphedx.engine.local import worker_count
from graphedx.errors import GraphError
from graphedx.graph import Graph, Label
from graphedx.search.vectors import BLOCKS, WHOLE, Vectors, blocks_for, columns_of, vectors, vectors_of, weighing

CANDIDATES = 1000
"""Graphs that are looked at for each query, unless told otherwise."""
PATIENCE = 50
"""Nodes of the search tree that a candidate is worth at each distance."""
PROPOSED = 2
"""Times as many graphs are proposed by vectors."""

Arrays = Mapping[str, NDArray[Any]]


class ApproximateSearch:
    """The graphs of a collection as vectors of counts, for any costs.

    What it finds is not proven to be nearest, but every distance comes with bounds that hold.
    """

    def __init__(self, collection: Collection, arrays: Arrays) -> None:
        blocks = blocks_for(collection.node_labels, collection.edge_labels)
        shapes = {"vector_sizes": (len(collection), 2), "vector_counts": (len(collection), _width(blocks))}
        kinds: dict[str, type[np.generic]] = {"vector_sizes": np.float32, "vector_counts": np.uint8}
        for name, shape in shapes.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype != kinds[name]:
                wanted = f"{name} must be {kinds[name].__name__} of {shape}"
                raise GraphError(f"these vectors do not belong to this collection: {wanted}")
        self._collection, self._blocks = collection, blocks
        self._vectors = Vectors(arrays["vector_sizes"], arrays["vector_counts"])

    @classmethod
    def of(cls, collection: Collection) -> ApproximateSearch:
        """Vectors of all graphs of the collection, made now: about 3 µs a graph."""
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
        self, query: Graph, costs: EditCosts, count: int = CANDIDATES, *, workers: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The positions of the graphs whose vectors are nearest to the query's, and the distances that these guess."""
        require_costs(costs)
        exact = weighing(costs, *self._labels)
        weights = exact.in_units()
        # What tells most comes first.
        order = sorted(weights.blocks, key=lambda name: -weights.blocks[name] * BLOCKS[name].bins)
        own, columns = vectors([query], *self._labels, order), columns_of(order)
        growths = weights.node_growth, weights.edge_growth
        sizes = SizeTable(self._vectors.sizes, own.sizes[0], weights.node, weights.edge, *growths)
        tables = [CountTable(self._tables[name], own.counts[0, columns[name]], weights.blocks[name]) for name in order]
        positions, distances = nearest_counts(sizes, tables, count, workers=workers)
        return positions, distances.astype(np.float64) * exact.unit

    @cached_property
    def _tables(self) -> Mapping[str, NDArray[np.uint8]]:
        """The counts block by block: most graphs are ruled out by the first, which is then all that is read of them."""
        columns = columns_of(self._blocks)
        return {name: np.ascontiguousarray(self._vectors.counts[:, columns[name]]) for name in self._blocks}

    @property
    def _labels(self) -> tuple[Sequence[Label], Sequence[Label]]:
        return self._collection.node_labels, self._collection.edge_labels

    def _nearest_colours(
        self, query: Graph, costs: EditCosts, positions: NDArray[np.int64], workers: int, time_limit: float | None
    ) -> tuple[NDArray[np.float64], float]:
        """Guesses that are closer than those of vectors, as colours are not in bins; and what their unit is."""
        weights = weighing(costs, *self._labels, WHOLE)
        order = sorted(weights.blocks, key=lambda name: BLOCKS[name][:3])  # as the native code wants it
        looks = [Look(*BLOCKS[name][:3], weights.blocks[name]) for name in order]
        nodes, edges = (self._vectors.sizes[positions] - (query.num_nodes, query.num_edges)).astype(np.float64).T
        by_size = weights.node * np.abs(nodes) + weights.edge * np.abs(edges)
        by_size += weights.node_growth * nodes + weights.edge_growth * edges
        unlike = self._collection.unlikeness(query, looks, positions, workers=workers, time_limit=time_limit)
        return by_size + unlike, weights.unit

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
        start = perf_counter()
        count = max(candidates, 4 * k)
        positions, _ = self.candidates(query, costs, PROPOSED * count, workers=workers)
        guesses, unit = self._nearest_colours(query, costs, positions, workers, time_limit)
        chosen = np.argsort(guesses, kind="stable")[:count]
        positions, guesses = positions[chosen], guesses[chosen]
        if time_limit is not None:
            time_limit = max(0.0, time_limit - (perf_counter() - start))
        found = self._collection.selected(positions).nearest(
            query,
            costs,
            k=k,
            time_limit=time_limit,
            workers=workers,
            cancel=cancel,
            patience=patience,
            guessed=guesses.tolist(),
            unit=unit,
        )
        order = np.lexsort((positions[found.positions], found.upper))
        return found._replace(
            positions=positions[found.positions][order],
            lower=found.lower[order],
            upper=found.upper[order],
            unseen=0.0,  # nothing is known of the graphs that were no candidates
        )


def _numbered_alike(less: Collection, more: Collection) -> bool:
    """Whether vectors of the one are vectors of the other: colours are mixed from the numbers of labels."""
    pairs = (less.node_labels, more.node_labels), (less.edge_labels, more.edge_labels)
    same = all(fewer == labels[: len(fewer)] for fewer, labels in pairs)
    return same and blocks_for(less.node_labels, less.edge_labels) == blocks_for(more.node_labels, more.edge_labels)


def _made(collection: Collection, positions: Sequence[int]) -> Vectors:
    blocks = blocks_for(collection.node_labels, collection.edge_labels)
    return vectors_of(collection, positions, blocks, workers=worker_count(None))


def _arrays(some: Vectors) -> Arrays:
    return {"vector_sizes": some.sizes, "vector_counts": some.counts}


def _width(blocks: Iterable[str]) -> int:
    return sum(BLOCKS[name].bins for name in blocks)
