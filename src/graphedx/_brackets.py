"""The native core for models that look at a pair before they guess: certified intervals and what was left open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import _native
from graphedx.errors import MethodError

COLUMNS = ("lower", "upper", "root", "step", "shared", "hope", "open", "open_by_one", "open_by_two", "nodes")
"""Bounds; the lower one before the search; what a possible distance is a multiple of below ``upper`` (0: not known);
what sharing an edge saves at most; what the best partial mapping left open would save beyond ``upper``; how many
promise more than 0, 1 and 2 shared edges; search nodes."""

FULL_SIZE = 20
"""Nodes of the smaller graph up to which a beam has the expansions that it is given, and from which on its width."""

Whole = NDArray[np.int64]


class Outlines(NamedTuple):
    """Undirected graphs, one after the other; labels are any whole numbers."""

    nodes: Whole  # (graphs,) counts
    labels: Whole  # (all nodes,)
    edges: Whole  # (graphs,) counts
    ends: Whole  # (all edges, 2) places within the graph
    edge_labels: Whole  # (all edges,)


def brackets(
    graphs: Outlines, pairs: NDArray[np.int32], costs: Sequence[float], expansions: int, threads: int
) -> NDArray[np.float64]:
    """A row of COLUMNS for each pair (K, 2) of places, under six costs; the interpreter is free meanwhile.

    ``expansions`` are those for graphs of at most FULL_SIZE; larger ones get more, see ``expansions_for``. Labels that
    cost nothing to change are not looked at: they would only hide symmetry from the search.
    """
    node_del, node_ins, edge_del, edge_ins, node_sub, edge_sub = costs
    node_kinds, node_kind = _kinds(graphs.labels, bool(node_sub))
    edge_kinds, edge_kind = _kinds(graphs.edge_labels, bool(edge_sub))
    tables = _native.CostTables(
        *([node_del] * node_kinds, [node_ins] * node_kinds, _unlike(node_kinds, node_sub)),
        *([edge_del] * edge_kinds, [edge_ins] * edge_kinds, _unlike(edge_kinds, edge_sub)),
    )
    first_node, first_edge = (np.concatenate([[0], np.cumsum(counts)]) for counts in (graphs.nodes, graphs.edges))
    nodes, edges, ends = node_kind.tolist(), edge_kind.tolist(), list(map(tuple, graphs.ends.tolist()))
    made = [
        _native.Graph(nodes[a:b], ends[c:d], edges[c:d], False)
        for a, b, c, d in zip(first_node[:-1], first_node[1:], first_edge[:-1], first_edge[1:], strict=True)
    ]
    try:
        each = expansions_for(expansions, graphs.nodes[pairs].min(1))
        return _native.brackets(_native.GraphList(made), pairs, tables, each, threads)
    except _native.TooLarge as error:
        raise MethodError(str(error)) from None


def expansions_for(expansions: int, sizes: Whole) -> NDArray[np.int32]:
    """In proportion to the size of the smaller graph, where that is large: or the beam would be ever narrower."""
    wanted = np.minimum(expansions * np.maximum(sizes, FULL_SIZE) // FULL_SIZE, np.iinfo(np.int32).max)
    return np.asarray(wanted, dtype=np.int32)


def _kinds(labels: Whole, matter: bool) -> tuple[int, Whole]:
    if not matter or not len(labels):
        return 1, np.zeros(len(labels), np.int64)
    distinct, kind = np.unique(labels, return_inverse=True)
    return len(distinct), kind


def _unlike(kinds: int, cost: float) -> list[float]:
    found: list[float] = (cost * (1 - np.eye(kinds))).ravel().tolist()
    return found
