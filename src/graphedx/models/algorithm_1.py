"""The paper's Algorithm 1 to the letter: nodes by one assignment, edges by a second one of their own.

Reference: Jain, Roy, Meher, Chakrabarti, De: Graph Edit Distance with General Costs Using Neural Set Divergence,
NeurIPS 2024, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import EditCosts
from graphedx.edits import DeleteEdge, DeleteNode, EditOperation, InsertEdge, InsertNode
from graphedx.errors import ModelError
from graphedx.graph import Graph, Name

MAX_NODES = 141
"""Of the padded graphs: their node pairs make a plan of at most 10^8 cells."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Algorithm1Edits:
    """The edits of Algorithm 1, which need not turn the source into the target.

    Nodes are matched by the assignment of the largest mass in P, node pairs by the one of the largest mass in S. Soft
    plans do not force the two to agree, so that edges may be kept whose ends are mapped elsewhere. Therefore ``cost``
    is no bound of the distance, unless ``valid``. As in the paper there are no substitutions.
    """

    operations: tuple[EditOperation, ...]
    cost: float
    valid: bool  # whether the operations turn the source into the target


class _Assigned(NamedTuple):
    """Both assignments: the image of each padded node, and of each node pair (u, v), u < v."""

    nodes: Sequence[int]
    pairs: dict[tuple[int, int], tuple[int, int]]


def algorithm_1(source: Graph, target: Graph, costs: EditCosts, plan: Floats, pair_plan: Floats) -> Algorithm1Edits:
    """Make the edits of Algorithm 1 from the soft plans of nodes and of node pairs.

    ``plan`` is (N, N), padding last; ``pair_plan`` is (M, M) with M = N (N - 1) / 2, in the order of
    ``itertools.combinations(range(N), 2)``. Takes O(M^3) time.

    Raises:
        ModelError: the plans do not fit each other or the graphs, or have more than MAX_NODES nodes.
    """
    size = len(plan)
    slots = list(combinations(range(size), 2))
    if size > MAX_NODES:
        raise ModelError(f"Algorithm 1 takes padded graphs of at most {MAX_NODES} nodes, got {size}")
    if plan.shape != (size, size) or pair_plan.shape != (len(slots),) * 2 or size < max(len(source), len(target)):
        raise ModelError(
            f"a plan of {plan.shape} nodes and one of {pair_plan.shape} node pairs do not fit each other or graphs of "
            f"{len(source)} and {len(target)} nodes"
        )
    assigned = _assigned(plan, pair_plan, slots)
    edits = _Edits(source, target, costs, assigned)
    operations = (*edits.node_insertions(), *edits.edges(), *edits.node_deletions())
    return Algorithm1Edits(operations, fsum(operation.cost for operation in operations), edits.valid)


def _assigned(plan: Floats, pair_plan: Floats, slots: list[tuple[int, int]]) -> _Assigned:
    from scipy.optimize import linear_sum_assignment

    _, nodes = linear_sum_assignment(plan, maximize=True)
    _, pairs = linear_sum_assignment(pair_plan, maximize=True)
    return _Assigned(nodes.tolist(), {slots[k]: slots[image] for k, image in enumerate(pairs.tolist())})


class _Edits:
    """The three loops of Algorithm 1."""

    def __init__(self, source: Graph, target: Graph, costs: EditCosts, assigned: _Assigned) -> None:
        self._source, self._target, self._assigned = source, target, assigned
        self._tables = costs.tables(source, target)
        self._names = list(_names(source, target, assigned.nodes))
        self._edges, self._target_edges = (
            {(min(pair), max(pair)): e for e, pair in enumerate(graph.edge_index)} for graph in (source, target)
        )

    def node_insertions(self) -> Iterator[EditOperation]:
        for u, v in enumerate(self._assigned.nodes):
            if u >= len(self._source) and v < len(self._target):
                cost = float(self._tables.node_ins[self._target.node_classes[1][v]])
                yield InsertNode(self._names[u], self._target.node_labels[v], self._target.nodes[v], cost)

    def edges(self) -> Iterator[EditOperation]:
        for (u, v), image in self._assigned.pairs.items():
            edge, other = self._edges.get((u, v)), self._target_edges.get(image)
            if edge is None and other is not None:
                cost = float(self._tables.edge_ins[self._target.edge_classes[1][other]])
                yield InsertEdge(self._names[u], self._names[v], self._target.edge_labels[other], cost)
            if edge is not None and other is None:
                cost = float(self._tables.edge_del[self._source.edge_classes[1][edge]])
                yield DeleteEdge(self._names[u], self._names[v], cost)

    def node_deletions(self) -> Iterator[EditOperation]:
        for u, v in enumerate(self._assigned.nodes):
            if u < len(self._source) and v >= len(self._target):
                cost = float(self._tables.node_del[self._source.node_classes[1][u]])
                yield DeleteNode(self._names[u], cost)

    @property
    def valid(self) -> bool:
        """Whether the edges after all edits are those of the target under the mapping of the nodes."""
        nodes, pairs = self._assigned
        left = {tuple(sorted((nodes[u], nodes[v]))) for (u, v), image in pairs.items() if image in self._target_edges}
        return left == set(self._target_edges)


def _names(source: Graph, target: Graph, images: Sequence[int]) -> Iterator[Name]:
    """The name of each padded node: the source's, that of the target node which is inserted, or that of padding."""
    taken = set(source.nodes)
    for u, v in enumerate(images):
        if u < len(source):
            yield source.nodes[u]
            continue
        name = target.nodes[v] if v < len(target) else f"padding {u - len(source)}"
        while name in taken:
            name = f"{name}'"
        taken.add(name)
        yield name
