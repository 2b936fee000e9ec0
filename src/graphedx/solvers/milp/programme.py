"""What every formulation has in common: its variables, what they are worth, and the sparse matrix of its rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import CostTables
from graphedx.graph import Graph

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]


class Programme(NamedTuple):
    """Minimise ``base + gains @ (x, y)`` in [0, most], x whole, subject to ``A (x, y) <= limits``; A by columns.

    ``x[i,k]`` says that source node i becomes target node k, a ``y`` that a source edge becomes a target edge. The
    first rows say that a node has at most one image and at most one origin; the others let a ``y`` only be where the
    ``x`` of its ends are. Once the x are whole, the best y are whole by themselves: leaving them continuous makes the
    tree smaller.
    """

    base: float
    shape: tuple[int, int]
    gains: Floats
    most: Floats
    limits: Floats
    starts: Ints
    rows: Ints
    values: Floats

    @property
    def pairs(self) -> int:
        """How many of the columns are the x of node pairs; the others are the y of edge pairs."""
        return self.shape[0] * self.shape[1]

    @property
    def scale(self) -> float:
        """The largest gain or loss: HiGHS is given the objective in this unit."""
        return float(np.abs(self.gains).max(initial=0.0))

    @property
    def column(self) -> Places:
        """The column of each entry of the matrix."""
        return np.repeat(np.arange(len(self.gains)), np.diff(self.starts))


class Gains(NamedTuple):
    """What substituting costs more than deleting and inserting, and what deleting and inserting everything costs."""

    node: Floats  # (n, m)
    edge: Floats  # (source edges, target edges)
    base: float

    @classmethod
    def of(cls, source: Graph, target: Graph, tables: CostTables) -> Gains:
        a, b = (np.array(g.node_classes[1], dtype=np.int64) for g in (source, target))
        c, d = (np.array(g.edge_classes[1], dtype=np.int64) for g in (source, target))
        node = tables.node_sub[np.ix_(a, b)] - tables.node_del[a][:, None] - tables.node_ins[b][None, :]
        edge = tables.edge_sub[np.ix_(c, d)] - tables.edge_del[c][:, None] - tables.edge_ins[d][None, :]
        parts = (tables.node_del[a], tables.node_ins[b], tables.edge_del[c], tables.edge_ins[d])
        return cls(node, edge, float(sum(part.sum() for part in parts)))


def ends_of(graph: Graph) -> Places:
    """The two ends of each edge: (edges, 2)."""
    return np.array(graph.edge_index, dtype=np.int64).reshape(-1, 2)


def assemble(
    gains: Gains, ends: Places, worth: Floats, y_rows: Places, x_rows: Places, x_columns: Places, rows: int
) -> Programme:
    """The programme whose y are worth that much, each with a 1 in ``y_rows`` (y, rows of one y), and whose x have a
    -1 in ``x_rows``; ``ends`` are those of the source's edges. The rows of the assignment come first.
    """
    n, m = gains.node.shape
    x_count, y_count = n * m, len(worth)
    every_x = np.arange(x_count)
    columns = np.concatenate([every_x, every_x, x_columns])
    x_entries = np.concatenate([every_x // max(m, 1), n + every_x % max(m, 1), x_rows])
    order = np.argsort(columns, kind="stable")
    values = np.concatenate([np.where(order < 2 * x_count, 1.0, -1.0), np.ones(y_rows.size)])
    sizes = np.concatenate([np.bincount(columns, minlength=x_count), np.full(y_count, y_rows.shape[1])])
    limits = np.zeros(rows)
    limits[: n + m] = 1.0
    hopeless = _hopeless(gains, ends)
    return Programme(
        base=gains.base,
        shape=(n, m),
        gains=np.concatenate([np.where(hopeless, 0.0, gains.node).ravel(), worth]),
        most=np.concatenate([np.where(hopeless, 0.0, 1.0).ravel(), np.ones(y_count)]),
        limits=limits,
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        rows=np.concatenate([x_entries[order], y_rows.ravel()]).astype(np.int32),
        values=values,
    )


def point(programme: Programme, images: tuple[int, ...]) -> Floats:
    """The x and y of a mapping. Node pairs that cost more than they can win are left out, which is never dearer."""
    n, m = programme.shape
    solution = np.zeros(len(programme.gains))
    mapped = np.array([i * m + k for i, k in enumerate(images) if k >= 0], dtype=np.int64)
    solution[mapped] = programme.most[mapped]
    if len(solution) > n * m:
        used = np.bincount(programme.rows, programme.values * solution[programme.column], len(programme.limits))
        room = programme.limits - used
        first = programme.starts[n * m]
        # All y gain something, and whole x never leave room for two y in one row: each takes the room there is.
        least = np.minimum.reduceat(room[programme.rows[first:]], programme.starts[n * m : -1] - first)
        solution[n * m :] = np.clip(least, 0.0, 1.0)
    return solution


def _hopeless(gains: Gains, ends: Places) -> NDArray[np.bool_]:
    """Node pairs that cost more than all edges at the source node can win back; huge costs would spoil the scaling."""
    worth = np.zeros(len(gains.node))
    most = np.maximum(0.0, -gains.edge).max(axis=1, initial=0.0)
    for side in (0, 1):
        np.add.at(worth, ends[:, side], most)
    return gains.node > worth[:, None]
