"""Room for everybody: components side by side, and no node on top of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # (N, 2)
Extents = NDArray[np.float64]  # (N, 2): half width, half height

COMPONENT_GAP = 30.0
NODE_GAP = 8.0
_WIDER_THAN_HIGH = 1.25


def packed(blocks: Sequence[tuple[Points, Extents]]) -> list[Points]:
    """The blocks moved next to each other, tallest first on shelves, so that the whole is about as wide as high."""
    corners = [_corners(places, extents) for places, extents in blocks]
    sizes = [high - low for low, high in corners]
    area = sum(float(np.prod(size + COMPONENT_GAP)) for size in sizes)
    shelf_width = max([_WIDER_THAN_HIGH * area**0.5, *(float(size[0]) for size in sizes)])
    result = [places for places, _ in blocks]
    x = y = shelf_height = 0.0
    for k in sorted(range(len(blocks)), key=lambda k: (-round(float(sizes[k][1]), 3), -len(blocks[k][0]), k)):
        width, height = sizes[k]
        if x > 0 and x + width > shelf_width + 1e-6:
            x, y, shelf_height = 0.0, y + shelf_height + COMPONENT_GAP, 0.0
        result[k] = blocks[k][0] - corners[k][0] + np.array([x, y])
        x += width + COMPONENT_GAP
        shelf_height = max(shelf_height, height)
    return result


def _corners(places: Points, extents: Extents) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (places - extents).min(axis=0), (places + extents).max(axis=0)


def moved_apart(
    places: Points, extents: Extents, components: Sequence[Sequence[int]], edges: Sequence[tuple[int, int]]
) -> Points:
    """Shift whole components, small ones first, until no node lies on another component's nodes or edges."""
    places = places.copy()
    in_order = sorted(components, key=lambda component: (-len(component), component[0]))
    for _ in range(60):
        shifts = 0
        for k, small in enumerate(in_order):
            for large in in_order[:k]:
                move = _way_out(places, extents, small, large, edges)
                places[list(small)] += move
                shifts += bool(move.any())
        if not shifts:
            break
    return places


def _way_out(
    places: Points, extents: Extents, small: Sequence[int], large: Sequence[int], edges: Sequence[tuple[int, int]]
) -> NDArray[np.float64]:
    """How far the small component must move because of its point that is closest to the large one; 0 if it is clear."""
    here, here_reach = _occupied(places, extents, small, edges)
    there, there_reach = _occupied(places, extents, large, edges)
    delta = here[:, None] - there[None]  # (S, L, 2)
    lacking = here_reach[:, None] + there_reach[None] + 1.5 * NODE_GAP - np.hypot(delta[..., 0], delta[..., 1])
    i, j = np.unravel_index(int(np.argmax(np.round(lacking, 6))), lacking.shape)
    if lacking[i, j] <= 1e-6:
        return np.zeros(2)
    way = here.mean(axis=0) - there[j]  # towards the small component's own middle, so that it does not get stuck
    length = float(np.hypot(*way))
    direction = way / length if length > 1e-6 else np.array([0.0, 1.0])
    move: NDArray[np.float64] = direction * (lacking[i, j] + 0.5)
    return move


def _occupied(
    places: Points, extents: Extents, component: Sequence[int], edges: Sequence[tuple[int, int]]
) -> tuple[Points, NDArray[np.float64]]:
    """Points that a component takes up, and how far around each: its nodes, and points along its edges."""
    members = set(component)
    ends = np.array([edge for edge in edges if edge[0] in members], dtype=np.intp).reshape(-1, 2)
    along = [(1 - t) * places[ends[:, 0]] + t * places[ends[:, 1]] for t in (0.25, 0.5, 0.75)]
    nodes = list(component)
    points = np.vstack([places[nodes], *along])
    reach = np.concatenate([extents[nodes].max(axis=1), np.zeros(3 * len(ends))])
    return points, reach


def spread(places: Points, extents: Extents, rounds: int = 100) -> Points:
    """Push overlapping nodes apart, each as little as it takes."""
    places = places.copy()
    for _ in range(rounds):
        pairs = np.argwhere(np.triu(_touching(places, extents, places, extents), k=1))
        if not len(pairs):
            break
        for i, j in pairs:
            push = _push(places[j] - places[i], extents[i] + extents[j] + NODE_GAP, int(i) + int(j))
            places[i] -= 0.5 * push
            places[j] += 0.5 * push
    return places


def nearest_free(
    place: NDArray[np.float64], extent: NDArray[np.float64], places: Points, extents: Extents
) -> NDArray[np.float64]:
    """The place nearest to the wanted one, by growing circles around it, where a node touches none of the others."""
    turns = np.arange(16) * np.pi / 8
    circle = np.column_stack([np.cos(turns), np.sin(turns)])  # (16, 2)
    candidates, reach = place[None], 0.0
    while True:
        is_free = ~_touching(candidates, np.broadcast_to(extent, candidates.shape), places, extents).any(axis=1)
        if is_free.any():
            found: NDArray[np.float64] = candidates[int(np.argmax(is_free))]
            return found
        reach += NODE_GAP
        candidates = place + reach * circle


def _touching(a: Points, a_extents: Extents, b: Points, b_extents: Extents) -> NDArray[np.bool_]:
    """Which nodes of one set are too close to which of another."""
    room = a_extents[:, None] + b_extents[None] + NODE_GAP - 1e-3
    return _elliptic(np.abs(a[:, None] - b[None]), room) < 1.0


def _elliptic(delta: NDArray[np.float64], room: NDArray[np.float64]) -> NDArray[np.float64]:
    """Below 1 where two nodes meet: round nodes by distance, long ones by their boxes."""
    ratio = delta / room
    is_round = np.abs(room[..., 0] - room[..., 1]) < 1e-6
    reach: NDArray[np.float64] = np.where(is_round, np.hypot(ratio[..., 0], ratio[..., 1]), ratio.max(axis=-1))
    return reach


def _push(delta: NDArray[np.float64], room: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """The shortest move of the second node that frees a pair; by ``number`` alone where both are in one place."""
    distance = float(np.hypot(*delta))
    if distance < 1e-6:
        angle = 2.399963 * number
        delta, distance = np.array([np.cos(angle), np.sin(angle)]), 1.0
        return delta * room
    if abs(room[0] - room[1]) < 1e-6:
        push: NDArray[np.float64] = delta / distance * (room[0] - distance)
        return push
    lacking = room - np.abs(delta)
    axis = int(np.argmin(lacking))
    push = np.zeros(2)
    push[axis] = lacking[axis] if delta[axis] >= 0 else -lacking[axis]
    return push
