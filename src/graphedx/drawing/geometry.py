"""Where edges run: from rim to rim, around nodes in their way, with heads where they have a direction."""

from __future__ import annotations

from collections.abc import Iterable
from math import atan2, cos, hypot, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from graphedx.drawing.shapes import Point

Points = NDArray[np.float64]  # (N, 2)
Extents = NDArray[np.float64]  # (N, 2): half width, half height

HEAD_LENGTH = 8.0
_HEAD_HALF_WIDTH = 3.6
_CLEARANCE = 3.0
_BENDS = (0.0, 0.14, -0.14, 0.26, -0.26, 0.4, -0.4)
_SAMPLES = np.linspace(0.06, 0.94, 23)


def control_point(start: Point, end: Point, bend: float) -> Point:
    """The control point of a curve that leaves the straight line by ``bend`` / 2 times its length, leftwards if > 0."""
    return (
        (start[0] + end[0]) / 2 + bend * (end[1] - start[1]),
        (start[1] + end[1]) / 2 - bend * (end[0] - start[0]),
    )


def choose_bend(u: int, v: int, places: Points, extents: Extents, has_twin: bool) -> float:
    """The slightest bend that passes no other node; an edge with a twin in the other direction always bends."""
    bends = [bend for bend in _BENDS if bend > 0] if has_twin else list(_BENDS)
    others = np.array([k for k in range(len(places)) if k not in (u, v)], dtype=np.intp)
    if not len(others):
        return bends[0]
    hits = [_nodes_hit(places[u], places[v], bend, places[others], extents[others]) for bend in bends]
    return bends[hits.index(min(hits))]


def _nodes_hit(start: NDArray[np.float64], end: NDArray[np.float64], bend: float, at: Points, extents: Extents) -> int:
    control = np.array(control_point((start[0], start[1]), (end[0], end[1]), bend))
    t = _SAMPLES[:, None]
    curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end  # (S, 2)
    ratio = np.abs(curve[:, None] - at[None]) / (extents[None] + _CLEARANCE)  # (S, N, 2)
    inside = np.hypot(ratio[..., 0], ratio[..., 1]) < 1.0
    return int(inside.any(axis=0).sum())


def rim(centre: Point, towards: Point, half_width: float, half_height: float, gap: float = 0.0) -> Point:
    """Where the line from a pill's centre towards a point leaves the pill, ``gap`` farther out."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    length = hypot(dx, dy)
    if length < 1e-9:
        return centre
    dx, dy = dx / length, dy / length
    reach = min(_pill_reach(abs(dx), abs(dy), half_width, half_height) + gap, length)
    return centre[0] + reach * dx, centre[1] + reach * dy


def _pill_reach(dx: float, dy: float, half_width: float, half_height: float) -> float:
    straight = half_width - half_height  # half the length of the straight part
    if dy > 0 and dx * half_height / dy <= straight:
        return half_height / dy
    along = straight * dx
    return along + sqrt(max(along**2 - straight**2 + half_height**2, 0.0))


def arrow_head(tip: Point, coming_from: Point) -> tuple[Point, Point, Point]:
    """A slim triangle at the tip of a line."""
    angle = atan2(tip[1] - coming_from[1], tip[0] - coming_from[0])
    back = tip[0] - HEAD_LENGTH * cos(angle), tip[1] - HEAD_LENGTH * sin(angle)
    side = _HEAD_HALF_WIDTH * -sin(angle), _HEAD_HALF_WIDTH * cos(angle)
    return tip, (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])


def shifted(start: Point, control: Point, end: Point, by: float) -> tuple[Point, Point, Point]:
    """The same curve moved sideways, for the lines of a double bond."""
    length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    dx, dy = by * (end[1] - start[1]) / length, -by * (end[0] - start[0]) / length
    return (start[0] + dx, start[1] + dy), (control[0] + dx, control[1] + dy), (end[0] + dx, end[1] + dy)


def turns_left(u: int, v: int, edges: Iterable[tuple[int, int]], places: Points) -> bool:
    """Whether the edges next to u and v lie to the left of the way from u to v, mostly: there the ring is."""
    along = places[v] - places[u]
    lean = 0.0
    for pair in edges:
        for end, other in (pair, pair[::-1]):
            if end in (u, v) and other not in (u, v):
                away = places[other] - places[end]
                lean += float(along[1] * away[0] - along[0] * away[1]) / max(float(np.hypot(*away)), 1e-9)
    return lean > 0
