"""Which costs share labels.

Where relabelling is free, a mapping of all nodes of the smaller graph that keeps the most edges is optimal whatever
deleting and inserting cost: one search serves all such costs. With c common edges the distance is

    node_del * max(0, n - n') + node_ins * max(0, n' - n) + edge_del * (m - c) + edge_ins * (m' - c).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from fractions import Fraction
from operator import mul
from typing import cast

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import EDGE_ONLY, LABELLED, NON_UNIFORM, UNIFORM, EditCosts
from graphedx.datasets.dataset import Dataset
from graphedx.errors import CostError

PAPER = {"uniform": UNIFORM, "non-uniform": NON_UNIFORM, "edge-only": EDGE_ONLY, "labelled": LABELLED}
"""The paper's four regimes."""
STRUCTURE = "structure"
_WHOLE = 2.0**52  # below, doubles are exact also for halves of whole numbers
Floats = NDArray[np.float64]


def has_node_labels(dataset: Dataset) -> bool:
    """Whether any two nodes can be told apart by their labels."""
    return len({label for graph in dataset.graphs for label in graph.node_classes[0]}) > 1


def has_edge_labels(dataset: Dataset) -> bool:
    """Whether any two edges can be told apart by their labels."""
    return len({label for graph in dataset.graphs for label in graph.edge_classes[0]}) > 1


def costs_text(costs: EditCosts) -> str:
    """Costs that are numbers as ``EditCosts.parse`` reads them, to the last digit and none more: 0.1 stays 0.1."""
    return ",".join(repr(cost).removesuffix(".0") for cost in astuple(costs))


@dataclass(frozen=True, slots=True)
class Regime:
    """Labels that are found by one search a pair."""

    key: str  # the name of their folder
    costs: EditCosts  # what the search is run with

    @property
    def is_structural(self) -> bool:
        """Whether the labels of all costs without substitutions follow from these."""
        return self.key == STRUCTURE

    @property
    def costs_text(self) -> str:
        """The costs of the search, as ``EditCosts.parse`` reads them."""
        return costs_text(self.costs)

    @classmethod
    def of(cls, costs: EditCosts, dataset: Dataset) -> Regime:
        """The regime that labels of these costs belong to; without labels, substitutions cost nothing anyway."""
        if not costs.all_numbers:
            raise CostError("labels are kept for costs that are numbers: tables and callables have no name on disk")
        numbers = list(map(float, astuple(costs)))
        if not has_node_labels(dataset):
            numbers[4] = 0.0
        if not has_edge_labels(dataset):
            numbers[5] = 0.0
        if numbers[4] == numbers[5] == 0:
            return cls(STRUCTURE, UNIFORM)
        exact = EditCosts(*numbers)
        return cls(costs_text(exact), exact)

    @classmethod
    def named(cls, key: str, dataset: Dataset) -> Regime | None:
        """The regime of this dataset that has the key; ``None`` if it is that of no costs."""
        try:
            regime = cls.of(UNIFORM if key == STRUCTURE else EditCosts.parse(key), dataset)
        except CostError:
            return None
        return regime if regime.key == key else None


@dataclass(frozen=True, slots=True)
class Sizes:
    """Nodes and edges of both ends of every pair."""

    source_nodes: NDArray[np.int64]
    source_edges: NDArray[np.int64]
    target_nodes: NDArray[np.int64]
    target_edges: NDArray[np.int64]

    @classmethod
    def of(cls, dataset: Dataset, pairs: NDArray[np.int32]) -> Sizes:
        nodes, edges = dataset.node_counts, dataset.edge_counts
        source, target = pairs[:, 0], pairs[:, 1]
        return cls(nodes[source], edges[source], nodes[target], edges[target])

    def common_edges(self, uniform: Floats) -> Floats:
        """The edges that are common at this distance under uniform costs."""
        changed = np.abs(self.source_nodes - self.target_nodes)
        common: Floats = (self.source_edges + self.target_edges + changed - uniform) / 2
        return common

    def distance(self, common: Floats, costs: EditCosts) -> Floats:
        """The distance at so many common edges, under costs that are numbers and relabel for nothing.

        It is rounded once, so that it is to the last bit what ``induced_cost`` says of the mapping.
        """
        prices = cast("tuple[float, ...]", astuple(costs)[:4])
        grown = self.target_nodes - self.source_nodes
        edges = self.source_edges - common, self.target_edges - common
        counts = np.stack([np.maximum(0, -grown), np.maximum(0, grown), *edges], axis=1)  # (pairs, 4)
        total: Floats = counts @ np.array(prices)
        if all(price.is_integer() for price in prices) and total.max(initial=0.0) < _WHOLE:
            return total
        rows = list(map(tuple, counts.tolist()))
        exact = {row: float(sum(map(mul, map(Fraction, row), map(Fraction, prices)))) for row in set(rows)}
        return np.array([exact[row] for row in rows], dtype=np.float64)
