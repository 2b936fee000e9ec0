"""Layouts of rooted trees: children beside each other, parents centred over them, equal subtrees drawn alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.edits import NodeMapping
from graphedx.graph import Graph

Points = NDArray[np.float64]  # (N, 2)
Extents = NDArray[np.float64]  # (N, 2): half width, half height

SIBLING_GAP = 14.0
ROW_GAP = 8.0
LEVEL_GAP = 30.0
_WIDEST_TOP_DOWN = 1.9  # width to height; wider than this and the tree is turned to grow rightwards


class Forest(NamedTuple):
    """Rooted trees over the positions of a graph's nodes."""

    roots: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]

    def top_down(self) -> list[int]:
        """Every node, parents first."""
        order = list(self.roots)
        for node in order:
            order.extend(self.children[node])
        return order

    def depths(self) -> list[int]:
        depths = [0] * len(self.children)
        for node in self.top_down():
            for child in self.children[node]:
                depths[child] = depths[node] + 1
        return depths


def as_forest(graph: Graph) -> Forest | None:
    """The graph as trees with clear roots, or ``None``.

    Directed edges lead from parent to child. An undirected tree has no root to speak of, and a chain of atoms should
    look like one; only where nodes are numbered parents first and labelled with words is it read as a syntax tree.
    """
    parents: list[list[int]] = [[] for _ in graph.nodes]
    for u, v in graph.edge_index:
        parent, child = (u, v) if graph.directed else (min(u, v), max(u, v))
        parents[child].append(parent)
    if any(len(above) > 1 for above in parents) or not (graph.directed or _labelled_with_words(graph)):
        return None
    children: list[list[int]] = [[] for _ in parents]
    for child, above in enumerate(parents):
        for parent in above:
            children[parent].append(child)
    roots = tuple(node for node, above in enumerate(parents) if not above)
    forest = Forest(roots, tuple(tuple(below) for below in children))
    return forest if len(forest.top_down()) == len(graph) else None  # a ring of directed edges has no root


def _labelled_with_words(graph: Graph) -> bool:
    return len(graph) == 0 or any(isinstance(label, str) and len(label) > 3 for label in graph.node_labels)


def layout_trees(
    mapping: NodeMapping, forests: tuple[Forest, Forest], extents: tuple[Extents, Extents]
) -> tuple[Points, Points]:
    """Places for both graphs, growing downwards or, where that is too wide, rightwards; the target follows."""
    downwards = _layout_both(mapping, forests, extents, axis=0)
    width, height = _largest_extent(downwards, extents)
    if width <= _WIDEST_TOP_DOWN * height:
        return downwards
    rightwards = _layout_both(mapping, forests, extents, axis=1)
    other_width, other_height = _largest_extent(rightwards, extents)
    return rightwards if abs(log(other_width / other_height)) < log(width / height) else downwards


def _largest_extent(places: tuple[Points, Points], extents: tuple[Extents, Extents]) -> tuple[float, float]:
    sizes = [
        np.ptp(np.vstack([at - extent, at + extent]), axis=0)
        for at, extent in zip(places, extents, strict=True)
        if len(at)
    ]
    width, height = np.max(sizes, axis=0) if sizes else (1.0, 1.0)
    return float(width), float(height)


def _layout_both(
    mapping: NodeMapping, forests: tuple[Forest, Forest], extents: tuple[Extents, Extents], axis: int
) -> tuple[Points, Points]:
    """``axis`` is the direction of siblings: 0 for trees that grow downwards, 1 for trees that grow rightwards."""
    gap = SIBLING_GAP if axis == 0 else ROW_GAP
    source = _tidy(forests[0], extents[0][:, axis], gap)
    target_forest = _ordered_like_source(forests[1], mapping, source)
    target = _tidy(target_forest, extents[1][:, axis], gap)
    matched = [(i, j) for i, j in enumerate(mapping.images) if j >= 0]
    if matched:  # slide the target to where most of the source's nodes are
        target += np.median([source[i] - target[j] for i, j in matched])
    levels = _level_starts(forests, extents, 1 - axis)
    return (
        _places(source, forests[0], extents[0], levels, axis),
        _places(target, forests[1], extents[1], levels, axis),
    )


def _places(along: NDArray[np.float64], forest: Forest, extents: Extents, levels: Sequence[float], axis: int) -> Points:
    places = np.zeros((len(along), 2))
    places[:, axis] = along
    for node, depth in enumerate(forest.depths()):
        places[node, 1 - axis] = levels[depth] + extents[node, 1 - axis]  # nodes of a level begin on one line
    return places


def _level_starts(forests: tuple[Forest, Forest], extents: tuple[Extents, Extents], across: int) -> list[float]:
    """Where each level begins, shared by both trees so that equal depths line up."""
    thickness: dict[int, float] = {}
    for forest, extent in zip(forests, extents, strict=True):
        for node, depth in enumerate(forest.depths()):
            thickness[depth] = max(thickness.get(depth, 0.0), 2 * float(extent[node, across]))
    starts = [0.0]
    for depth in range(len(thickness)):
        starts.append(starts[-1] + thickness[depth] + LEVEL_GAP)
    return starts


def _ordered_like_source(forest: Forest, mapping: NodeMapping, source: NDArray[np.float64]) -> Forest:
    """Siblings in the order of their matched nodes in the source; new subtrees stay behind their elder sibling."""
    place: list[list[float]] = [[] for _ in forest.children]
    for i, j in enumerate(mapping.images):
        if j >= 0:
            place[j].append(float(source[i]))
    for node in reversed(forest.top_down()):
        for child in forest.children[node]:
            place[node].extend(place[child])

    def ordered(siblings: Sequence[int]) -> tuple[int, ...]:
        last, keys = -np.inf, []
        for node in siblings:
            last = float(np.mean(place[node])) if place[node] else last
            keys.append(last)
        return tuple(siblings[k] for k in sorted(range(len(siblings)), key=lambda k: (keys[k], k)))

    return Forest(ordered(forest.roots), tuple(ordered(below) for below in forest.children))


def _tidy(forest: Forest, half: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Where each node lies along its level: subtrees as close as their outlines allow, parents over the middle.

    Bottom-up as in Reingold and Tilford (1981), with outlines kept as one (least, greatest) pair a level.
    """
    offset = np.zeros(len(half))  # of a node from its parent
    outlines: dict[int, list[tuple[float, float]]] = {}
    for node in reversed(forest.top_down()):
        below = forest.children[node]
        outline = _join(below, outlines, offset, gap)
        outlines[node] = [(-float(half[node]), float(half[node])), *outline]
    _join(forest.roots, outlines, offset, 2 * gap)
    along = offset
    for node in forest.top_down():
        for child in forest.children[node]:
            along[child] += along[node]
    return along


def _join(
    siblings: Sequence[int], outlines: dict[int, list[tuple[float, float]]], offset: NDArray[np.float64], gap: float
) -> list[tuple[float, float]]:
    """Set the siblings' offsets side by side around 0, and return the outline of all of them."""
    joined: list[tuple[float, float]] = []
    for node in siblings:
        own = outlines.pop(node)
        pairs = zip(joined, own, strict=False)
        shift = max((right - left + gap for (_, right), (left, _) in pairs), default=0.0)
        offset[node] = shift
        moved = [(left + shift, right + shift) for left, right in own]
        shared = [(a[0], b[1]) for a, b in zip(joined, moved, strict=False)]
        joined = shared + joined[len(shared) :] + moved[len(shared) :]
    middle = (offset[siblings[0]] + offset[siblings[-1]]) / 2 if siblings else 0.0
    for node in siblings:
        offset[node] -= middle
    return [(left - middle, right - middle) for left, right in joined]
