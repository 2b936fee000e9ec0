"""Quadtree and Flowtree: distances of sets of node vectors, by a randomly shifted tree of cells.

A cell of the tree halves in every direction from level to level. Where two sets have the same numbers of nodes in every
cell they are alike; a node that goes with one in another cell pays for the way up to the cell that has both. Sets of
different sizes are filled up with nodes at zero, as GraphEdX does.

Reference: Backurs, Dong, Indyk, Razenshteyn, Wagner: Scalable nearest neighbor search for optimal transport, ICML 2020.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVELS = 10
_ODD = np.uint64(0x9E3779B97F4A7C15)

Floats = NDArray[np.float32]
Cells = NDArray[np.uint64]
Positions = NDArray[np.int64]


class Sets(NamedTuple):
    """Node vectors of many graphs, one graph after the other."""

    points: Floats  # (nodes, d)
    sizes: Positions  # (graphs,)

    @property
    def owners(self) -> Positions:
        """(nodes,): the graph of each node."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


class Tree:
    """Cells of the space that the points lie in; a cell is a number that its place and its level are hashed to."""

    def __init__(self, points: Floats, seed: int, levels: int = LEVELS) -> None:
        draw = np.random.default_rng(seed)
        width = points.shape[1]
        self._side = 2 * float(np.abs(points).max(initial=1e-6))
        self._shift = draw.uniform(0, self._side, width).astype(np.float32)
        self._factors = draw.integers(1, 2**63, width, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        self.sides = self._side / 2.0 ** np.arange(levels)  # (levels,), largest first
        self.zero = self.cells(np.zeros((1, width), np.float32))[0]  # (levels,): where sets are filled up

    def cells(self, points: Floats) -> Cells:
        """(points, levels)"""
        found = np.empty((len(points), len(self.sides)), dtype=np.uint64)
        for level, side in enumerate(self.sides):
            places = np.floor((points + self._shift) / np.float32(side)).astype(np.int64).view(np.uint64)
            found[:, level] = _mixed(places @ self._factors + np.uint64(level))
        return found


class QuadtreeIndex:
    """Sets as sparse vectors: nodes a cell times the side of the cell; the distance is L1, by an inverted index."""

    def __init__(self, tree: Tree, sets: Sets) -> None:
        self._tree = tree
        self._graphs = len(sets.sizes)
        cells, self._owners, self._values = self._entries(tree.cells(sets.points), sets.sizes)
        self._norms = np.bincount(self._owners, np.abs(self._values), minlength=self._graphs)
        self._cells, self._starts = np.unique(cells, return_index=True)
        self._ends = np.append(self._starts[1:], len(cells))

    def distances(self, points: Floats) -> NDArray[np.float64]:
        """(graphs,): from the set of these points to each set; cells that it has no nodes in are not read."""
        cells, _, values = self._entries(self._tree.cells(points), np.array([len(points)]))
        found = self._norms + np.abs(values).sum()
        places = np.minimum(np.searchsorted(self._cells, cells), len(self._cells) - 1)
        for place in np.flatnonzero(self._cells[places] == cells):
            at = slice(self._starts[places[place]], self._ends[places[place]])
            own, others = values[place], self._values[at]
            found[self._owners[at]] += np.abs(own - others) - np.abs(own) - np.abs(others)  # each graph once a cell
        return found

    def _entries(self, cells: Cells, sizes: Positions) -> tuple[Cells, Positions, Floats]:
        """What is not 0, sorted by cell: the cell, the graph, and the value; filling is mass taken away at zero."""
        zero = self._tree.zero
        owners = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.arange(len(sizes))])
        masses = np.concatenate([np.ones(sizes.sum()), -sizes])
        parts = []
        for level, side in enumerate(self._tree.sides):
            here = np.concatenate([cells[:, level], np.repeat(zero[level], len(sizes))])
            order = np.lexsort((owners, here))
            first = np.ones(len(order), dtype=bool)
            first[1:] = (np.diff(here[order]) != 0) | (np.diff(owners[order]) != 0)
            sums = np.add.reduceat(masses[order], np.flatnonzero(first)) * side
            kept = sums != 0
            parts.append((here[order][first][kept], owners[order][first][kept], sums[kept].astype(np.float32)))
        found, whose, values = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(found, kind="stable")
        return found[order], whose[order], values[order]


def flowtree(tree: Tree, points: Floats, sets: Sets, cells: Cells) -> NDArray[np.float64]:
    """(graphs,): the tree pairs the nodes, as deep in it as it can, and each pair costs its Euclidean distance.

    ``cells`` are those of all points of the sets, which need to be computed only once.
    """
    graphs = np.arange(len(sets.sizes))
    zero = np.zeros((1, points.shape[1]), np.float32)
    own, own_cells = np.concatenate([points, zero]), tree.cells(np.concatenate([points, zero]))
    others, other_cells = np.concatenate([sets.points, zero]), np.concatenate([cells, own_cells[-1:]])
    # The nodes that have no partner yet, on either side: where they are, and in which comparison; fillings are last.
    missing, surplus = np.maximum(sets.sizes - len(points), 0), np.maximum(len(points) - sets.sizes, 0)
    left = np.concatenate([np.tile(np.arange(len(points)), len(graphs)), np.full(missing.sum(), len(points))])
    left_of = np.concatenate([np.repeat(graphs, len(points)), np.repeat(graphs, missing)])
    right = np.concatenate([np.arange(len(sets.points)), np.full(surplus.sum(), len(sets.points))])
    right_of = np.concatenate([sets.owners, np.repeat(graphs, surplus)])
    total = np.zeros(len(graphs))
    for level in range(len(tree.sides) - 1, -2, -1):  # above the largest cells there is one that has all
        root = np.zeros(1, np.uint64)
        a = _ranked(left_of, own_cells[left, level] if level >= 0 else root.repeat(len(left)))
        b = _ranked(right_of, other_cells[right, level] if level >= 0 else root.repeat(len(right)))
        _, k, m = np.intersect1d(a, b, assume_unique=True, return_indices=True)
        apart = np.linalg.norm(own[left[k]] - others[right[m]], axis=1)
        total += np.bincount(left_of[k], apart, minlength=len(total))
        left, left_of, right, right_of = (
            np.delete(part, paired) for part, paired in ((left, k), (left_of, k), (right, m), (right_of, m))
        )
    return total


def _ranked(owners: Positions, cells: Cells) -> Cells:
    """A number for each node: of its comparison, its cell, and its rank among those that have both in common."""
    keys = _mixed(cells + owners.astype(np.uint64) * _ODD)
    order = np.argsort(keys, kind="stable")
    first = np.ones(len(keys), dtype=bool)
    first[1:] = np.diff(keys[order]) != 0
    starts = np.flatnonzero(first)
    ranks = np.empty(len(keys), dtype=np.uint64)
    ranks[order] = np.arange(len(keys)) - starts[np.cumsum(first) - 1]
    return _mixed(keys + ranks * _ODD)


def _mixed(numbers: Cells) -> Cells:
    """Numbers that look random, the same for the same (the finaliser of splitmix64)."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
