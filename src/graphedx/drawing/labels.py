"""Places for text beside nodes and edges: of several candidates the one that covers least of what is there already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.drawing.shapes import Point

Points = NDArray[np.float64]  # (N, 2)
Extents = NDArray[np.float64]  # (N, 2): half width, half height

_COVERED_NODE = 8.0  # a fully covered node is this much worse than a crossed edge sample
_LATER_CANDIDATE = 0.15


class Rect(NamedTuple):
    centre: Point
    half_width: float
    half_height: float


class Room:
    """What is on a panel: boxes of nodes and texts, and points along the edges."""

    def __init__(self, places: Points, extents: Extents, on_edges: Sequence[Point]) -> None:
        self._centres = places
        self._halves = extents
        self._on_edges = np.array(on_edges, dtype=np.float64).reshape(-1, 2)

    def take_best(self, candidates: Sequence[Rect]) -> Rect:
        """The candidate in least conflict, earlier ones first; it counts as taken afterwards."""
        conflicts = [self._conflict(rect) + _LATER_CANDIDATE * k for k, rect in enumerate(candidates)]
        best = candidates[int(np.argmin(np.round(conflicts, 6)))]
        self._centres = np.vstack([self._centres, best.centre])
        self._halves = np.vstack([self._halves, [best.half_width, best.half_height]])
        return best

    def _conflict(self, rect: Rect) -> float:
        return _COVERED_NODE * self._overlap(rect) + self._crossed(rect)

    def _overlap(self, rect: Rect) -> float:
        """The part of the rectangle that boxes cover."""
        halves = np.array([rect.half_width, rect.half_height])
        apart = np.abs(self._centres - np.array(rect.centre))
        common = np.clip(self._halves + halves - apart, 0.0, 2 * halves)
        return float(np.prod(common / (2 * halves), axis=1).sum())

    def _crossed(self, rect: Rect) -> float:
        apart = np.abs(self._on_edges - np.array(rect.centre))
        return float(((apart[:, 0] < rect.half_width + 1) & (apart[:, 1] < rect.half_height + 1)).sum())


def around_node(centre: Point, half_width: float, half_height: float, text: Point) -> list[Rect]:
    """Candidates below, above, right, left and at the corners of a node, for a text of half size ``text``."""
    across, up = half_width + text[0], half_height + text[1]
    beside = [(0.0, up), (0.0, -up), (across, 0.0), (-across, 0.0)]
    corners = [
        (0.8 * across, 0.8 * up),
        (-0.8 * across, 0.8 * up),
        (0.8 * across, -0.8 * up),
        (-0.8 * across, -0.8 * up),
    ]
    return [Rect((centre[0] + dx, centre[1] + dy), *text) for dx, dy in (*beside, *corners)]


def beside_edge(start: Point, control: Point, end: Point, text: Point, gap: float) -> list[Rect]:
    """Candidates on both sides of a curve near its middle, and on the curve itself."""
    candidates = []
    for t in (0.5, 0.38, 0.62):
        at = _on_curve(start, control, end, t)
        normal = np.array([end[1] - start[1], start[0] - end[0]])
        normal = normal / max(float(np.hypot(*normal)), 1e-9)
        reach = abs(normal[0]) * text[0] + abs(normal[1]) * text[1] + gap
        for side in (1.0, -1.0):
            x, y = at + side * reach * normal
            candidates.append(Rect((float(x), float(y)), *text))
    x, y = _on_curve(start, control, end, 0.5)
    return [*candidates, Rect((float(x), float(y)), *text)]


def along(start: Point, control: Point, end: Point) -> list[Point]:
    """Points along a curve, close enough that a text cannot slip between them."""
    samples = max(5, int(np.hypot(end[0] - start[0], end[1] - start[1]) / 7))
    points = [_on_curve(start, control, end, t) for t in np.linspace(0.0, 1.0, samples)]
    return [(float(x), float(y)) for x, y in points]


def _on_curve(start: Point, control: Point, end: Point, t: float) -> NDArray[np.float64]:
    a, b, c = np.array(start), np.array(control), np.array(end)
    point: NDArray[np.float64] = (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c
    return point
