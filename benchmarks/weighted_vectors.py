"""The vectors of approximate search as rows of floats, weighted beforehand: what FAISS can search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphedx import EditCosts, Graph
from graphedx._collection import Collection
from graphedx.search.approximate import ApproximateSearch
from graphedx.search.vectors import Vectors, blocks_for, columns_of, vectors, weighing


class WeightedVectors:
    """The L1 distance of rows is the guessed one, for costs that are the same both ways."""

    def __init__(self, collection: Collection, search: ApproximateSearch, costs: EditCosts) -> None:
        self._labels = collection.node_labels, collection.edge_labels
        self._blocks = blocks_for(*self._labels)
        self._weights = weighing(costs, *self._labels).in_units()
        self.rows = self._weighted(Vectors(search.arrays["vector_sizes"], search.arrays["vector_counts"]))

    def row(self, query: Graph) -> NDArray[np.float32]:
        """(1, columns) of a graph that is none of them."""
        return self._weighted(vectors([query], *self._labels, self._blocks))

    def _weighted(self, some: Vectors) -> NDArray[np.float32]:
        columns = columns_of(self._blocks)
        parts = [some.sizes * np.array([self._weights.node, self._weights.edge], dtype=np.float32)]
        parts += [some.counts[:, columns[name]] * np.float32(by) for name, by in self._weights.blocks.items()]
        return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.float32)
