"""Stress layouts: places such that drawn distances follow graph distances, with rings round and edges equally long."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import pi, sin

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # (N, 2)
Matrix = NDArray[np.float64]
Adjacency = Sequence[Sequence[int]]

LARGEST_RING = 8
_CLOSE_ENOUGH = 1e-4
_MOST_STARTS = 12
_NODES_OF_ALL_STARTS = 480


def ideal_distances(neighbours: Adjacency) -> Matrix:
    """How far apart two nodes of a connected graph should be drawn, in edge lengths.

    Chains are measured as zigzags with angles of 120 degrees and small rings as regular polygons, so that molecules
    come out the way chemists draw them; on other graphs the measure is close to 0.87 times the graph distance.
    """
    hops = np.array([_hops_from(node, neighbours) for node in range(len(neighbours))], dtype=np.float64)
    ideal = np.sqrt(0.75 * hops**2 + 0.25 * (hops % 2))
    for ring in sorted(_rings(neighbours), key=len, reverse=True):  # small rings are the stiffest: they go last
        _measure_ring(ring, ideal)
    return ideal


def _measure_ring(ring: Sequence[int], ideal: Matrix) -> None:
    size = len(ring)
    for a in range(size):
        for b in range(a + 1, size):
            chord = sin(pi * (b - a) / size) / sin(pi / size)
            ideal[ring[a], ring[b]] = ideal[ring[b], ring[a]] = chord


def _hops_from(start: int, neighbours: Adjacency) -> list[int]:
    hops = [0] * len(neighbours)
    seen = {start}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in neighbours[node]:
            if other not in seen:
                seen.add(other)
                hops[other] = hops[node] + 1
                queue.append(other)
    return hops


def _rings(neighbours: Adjacency) -> list[tuple[int, ...]]:
    """For each edge the shortest ring through it, up to ``LARGEST_RING`` nodes; each ring once."""
    rings: dict[frozenset[int], tuple[int, ...]] = {}
    for u, around in enumerate(neighbours):
        for v in around:
            if u < v:
                ring = _shortest_detour(u, v, neighbours)
                if ring:
                    rings.setdefault(frozenset(ring), ring)
    return list(rings.values())


def _shortest_detour(start: int, end: int, neighbours: Adjacency) -> tuple[int, ...]:
    """The nodes of a shortest way from start to end that avoids the edge between them, or () if it is too long."""
    came_from = {start: start}
    queue = deque([(start, 1)])
    while queue:
        node, length = queue.popleft()
        for other in neighbours[node]:
            if other in came_from or (node == start and other == end):
                continue
            came_from[other] = node
            if other == end:
                return _way_back(end, came_from)
            if length + 1 < LARGEST_RING:
                queue.append((other, length + 1))
    return ()


def _way_back(node: int, came_from: dict[int, int]) -> tuple[int, ...]:
    way = [node]
    while came_from[node] != node:
        node = came_from[node]
        way.append(node)
    return tuple(way)


def best_places(ideal: Matrix) -> Points:
    """A layout of one component: the least stress among several starts, in edge lengths.

    One start is not enough: a ring in a long chain may begin folded over and stay so. Small graphs get more starts.
    """
    if len(ideal) == 1:
        return np.zeros((1, 2))
    scaled = _classical_scaling(ideal)
    starts = min(_MOST_STARTS, max(2, _NODES_OF_ALL_STARTS // len(ideal)))
    ends = [relaxed(scaled + _shake(len(ideal), attempt), ideal) for attempt in range(starts)]
    stresses = [round(stress(end, ideal), 6) for end in ends]  # ties go to the first start on every machine
    return ends[stresses.index(min(stresses))]


def _classical_scaling(ideal: Matrix) -> Points:
    squares = ideal**2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(centred)
    places: Points = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0))  # (N, 2)
    return places if places.shape[1] == 2 else np.column_stack([places, np.zeros(len(ideal))])


def _shake(n: int, attempt: int) -> Points:
    """Small moves, always the same ones, that take the nodes off their lines of symmetry."""
    angles = 2.399963 * (attempt + 1) * np.arange(1, n + 1)  # the golden angle never repeats a direction
    reach = 0.12 + 0.16 * attempt
    return reach * np.column_stack([np.cos(angles), np.sin(1.7 * angles)])


def relaxed(
    places: Points,
    ideal: Matrix,
    *,
    anchors: Points | None = None,
    pull: NDArray[np.float64] | None = None,
    rounds: int = 300,
) -> Points:
    """Majorise the stress sum((|x_i - x_j| - ideal_ij)^2 / ideal_ij^2), from ``places`` down to a local minimum.

    Pairs without an ideal distance (infinite: other components) are left alone. ``anchors`` are places to stay near,
    ``pull`` how strongly each node does, 0 for not at all. O(N^2) a round after one O(N^3) factorisation.
    """
    from scipy.linalg import cho_factor, cho_solve

    n = len(places)
    weights = _weights(ideal)
    pulls = np.zeros(n) if pull is None else pull
    anchored = np.zeros((n, 2)) if anchors is None else anchors * pulls[:, None]
    laplacian = np.diag(weights.sum(axis=1) + pulls) - weights
    free_to_drift = 1.0 / n  # fixes the centre of what nothing anchors; the places are centred on it below
    factor = cho_factor(laplacian + free_to_drift * np.eye(n))
    wanted = weights * np.where(np.isfinite(ideal), ideal, 0.0)
    for _ in range(rounds):
        moved = cho_solve(factor, _gradient_target(places, wanted) + anchored + free_to_drift * places)
        step = float(np.abs(moved - places).max()) if n else 0.0
        places = moved
        if step < _CLOSE_ENOUGH:
            break
    return places


def stress(places: Points, ideal: Matrix) -> float:
    """Mean squared relative error of the drawn distances, over the pairs that have an ideal one."""
    weights = _weights(ideal)
    pairs = int(np.count_nonzero(weights))
    if not pairs:
        return 0.0
    errors = np.where(weights > 0, _distances(places) - np.where(weights > 0, ideal, 0.0), 0.0)
    return float((weights * errors**2).sum() / pairs)


def nearest_distances(places: Points) -> NDArray[np.float64]:
    """For each of at least two points, how far its nearest neighbour is."""
    distances = _distances(places)
    np.fill_diagonal(distances, np.inf)
    nearest: NDArray[np.float64] = distances.min(axis=1)
    return nearest


def _weights(ideal: Matrix) -> Matrix:
    usable = np.isfinite(ideal) & (ideal > 0)
    return np.where(usable, 1.0 / np.where(usable, ideal, 1.0) ** 2, 0.0)


def _distances(places: Points) -> Matrix:
    deltas = places[:, None, :] - places[None, :, :]  # (N, N, 2)
    distances: Matrix = np.hypot(deltas[..., 0], deltas[..., 1])
    return distances


def _gradient_target(places: Points, wanted: Matrix) -> Points:
    """The right-hand side of Gansner, Koren and North's majorisation step (Graph Drawing 2004)."""
    ratio = wanted / np.maximum(_distances(places), 1e-9)
    target: Points = ratio.sum(axis=1)[:, None] * places - ratio @ places
    return target
