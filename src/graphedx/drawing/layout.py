"""Where the nodes of two graphs go: the source laid out well, the target as like it as the edits allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.drawing.packing import COMPONENT_GAP, NODE_GAP, moved_apart, nearest_free, packed, spread
from graphedx.drawing.stress import Adjacency, best_places, ideal_distances, nearest_distances, relaxed, stress
from graphedx.drawing.trees import as_forest, layout_trees
from graphedx.edits import NodeMapping
from graphedx.graph import Graph

Points = NDArray[np.float64]  # (N, 2), y growing downwards
Extents = NDArray[np.float64]  # (N, 2): half width, half height

_ANCHOR_PULL = 0.25
_TOLERATED_STRESS = 1.6  # times the stress of a free layout; beyond, likeness costs too much legibility
_SLIGHT_STRESS = 0.05
_MOST_ENLARGED = 2.2


class _Shape(NamedTuple):
    """A component's nodes and their places, in edge lengths."""

    nodes: list[int]
    places: Points


class PairLayout(NamedTuple):
    """Places of the source's nodes, the target's nodes, and the nodes inserted on the way from one to the other.

    ``inserted`` holds one place for each of ``mapping.insertions``, clear of all nodes of the source.
    """

    source: Points
    target: Points
    inserted: Points


def layout_pair(
    mapping: NodeMapping, source_extents: Extents, target_extents: Extents, visible_edge: float = 26.0
) -> PairLayout:
    """Lay out both graphs of a mapping, matched nodes in like places; the same input gives the same places.

    ``visible_edge`` is how much of an edge should be seen between two nodes, except in trees. Trees with clear
    roots grow downwards or rightwards; everything else minimises stress, O(n^3) for n nodes.
    """
    extents = (source_extents, target_extents)
    forests = as_forest(mapping.source), as_forest(mapping.target)
    if forests[0] and forests[1] and mapping.source.num_edges + mapping.target.num_edges:
        source, target = layout_trees(mapping, (forests[0], forests[1]), extents)
    else:
        shapes = _shapes(mapping.source), _shapes(mapping.target)
        unit = _edge_length(np.vstack(extents), visible_edge)
        unit *= max(_crowding(*drawn, unit) for drawn in zip(shapes, extents, strict=True))
        source = _assembled(shapes[0], source_extents, unit)
        target = _layout_target(mapping, source, _assembled(shapes[1], target_extents, unit), target_extents, unit)
    return PairLayout(source, target, _clear_of_source(mapping, source, target, extents))


def layout_graph(graph: Graph, extents: Extents, unit: float) -> Points:
    """Lay out one graph by stress with edges about ``unit`` long, its components packed side by side."""
    return _assembled(_shapes(graph), extents, unit)


def _shapes(graph: Graph) -> list[_Shape]:
    neighbours = _neighbours(graph)
    shapes = []
    for component in _components(neighbours):
        places = best_places(ideal_distances(_within(component, neighbours)))
        shapes.append(_Shape(component, oriented(places, _edges_in(component, neighbours))))
    return shapes


def _assembled(shapes: list[_Shape], extents: Extents, unit: float) -> Points:
    places = np.zeros((len(extents), 2))
    blocks = [(spread(unit * shape.places, extents[shape.nodes]), extents[shape.nodes]) for shape in shapes]
    for shape, block in zip(shapes, packed(blocks), strict=True):
        places[shape.nodes] = block
    return places


def _crowding(shapes: list[_Shape], extents: Extents, unit: float) -> float:
    """By how much to enlarge dense graphs, so that most nodes find room without being pushed; 1 for sparse ones."""
    wanted = [1.0]
    for nodes, places in shapes:
        if len(nodes) > 1:
            room = 2 * float(extents[nodes].mean()) + NODE_GAP
            wanted.append(room / (unit * max(float(np.quantile(nearest_distances(places), 0.2)), 1e-9)))
    return min(max(wanted), _MOST_ENLARGED)


def _edge_length(extents: Extents, visible: float) -> float:
    """From centre to centre; a little longer than circles need where long labels make long nodes."""
    if not len(extents):
        return visible
    width, height = extents.mean(axis=0)
    return float(visible + 2 * height + 1.3 * (width - height))


# -- the target ------------------------------------------------------------------------------------------------------


def _layout_target(mapping: NodeMapping, source: Points, free: Points, extents: Extents, unit: float) -> Points:
    """Start from the source's places, relax a little; turn to the ``free`` layout only where that is illegible."""
    matched = np.array([j for j in mapping.images if j >= 0], dtype=np.intp)
    if not len(matched):
        return free
    anchors = np.zeros((len(mapping.target), 2))
    anchors[matched] = source[[i for i, j in enumerate(mapping.images) if j >= 0]]
    neighbours = _neighbours(mapping.target)
    components = _components(neighbours)
    is_matched = np.zeros(len(anchors), dtype=bool)
    is_matched[matched] = True
    ideal = _ideal_of_all(neighbours, components)
    start = _place_new_nodes(anchors, is_matched, neighbours, unit)
    pull = np.where(is_matched, _ANCHOR_PULL, 0.0)
    held = unit * relaxed(start / unit, ideal, anchors=anchors / unit, pull=pull)
    too_tense = stress(held / unit, ideal) > _TOLERATED_STRESS * stress(free / unit, ideal) + _SLIGHT_STRESS
    if too_tense:
        return spread(superposed(free, anchors, matched), extents)
    apart = moved_apart(held, extents, [c for c in components if is_matched[c].any()], mapping.target.edge_index)
    return spread(_set_aside(apart, is_matched, components, extents), extents)


def _place_new_nodes(anchors: Points, is_matched: NDArray[np.bool_], neighbours: Adjacency, unit: float) -> Points:
    """Inserted nodes near their neighbours, those with most placed neighbours first; islands stay at the origin."""
    places, placed = anchors.copy(), is_matched.copy()
    waiting = [node for node in range(len(places)) if not placed[node]]
    while waiting:
        near = {node: [other for other in neighbours[node] if placed[other]] for node in waiting}
        node = max(waiting, key=lambda node: (len(near[node]), -node))
        waiting.remove(node)
        if near[node]:
            places[node] = _beside(node, near[node], places, placed, unit)
            placed[node] = True
    islands = np.flatnonzero(~placed)
    turns = 2.399963 * np.arange(len(islands))
    places[islands] += 0.5 * unit * np.column_stack([np.cos(turns), np.sin(turns)])  # apart, so that they can unfold
    return places


def _beside(node: int, near: list[int], places: Points, placed: NDArray[np.bool_], unit: float) -> NDArray[np.float64]:
    """Among twelve directions from the middle of the placed neighbours, the one farthest from all other nodes."""
    middle = places[near].mean(axis=0)
    turns = np.arange(12) * np.pi / 6
    reach = unit if len(near) == 1 else 0.6 * unit
    candidates = middle + reach * np.column_stack([np.cos(turns), np.sin(turns)])  # (12, 2)
    others = places[[k for k in np.flatnonzero(placed) if k != node]]
    room = np.linalg.norm(candidates[:, None] - others[None], axis=-1).min(axis=1)
    best: NDArray[np.float64] = candidates[int(np.argmax(np.round(room, 6)))]
    return best


def _set_aside(places: Points, is_matched: NDArray[np.bool_], components: list[list[int]], extents: Extents) -> Points:
    """Move components that are wholly new to a row below all others."""
    islands = [component for component in components if not is_matched[component].any()]
    if not islands:
        return places
    rest = np.setdiff1d(np.arange(len(places)), np.concatenate(islands))
    low = (places[rest] - extents[rest]).min(axis=0)
    floor = float((places[rest, 1] + extents[rest, 1]).max()) + COMPONENT_GAP
    blocks = packed([(spread(places[island], extents[island]), extents[island]) for island in islands])
    for island, block in zip(islands, blocks, strict=True):
        places[island] = block + np.array([low[0], floor])
    return places


def _clear_of_source(mapping: NodeMapping, source: Points, target: Points, extents: tuple[Extents, Extents]) -> Points:
    """The inserted nodes' places in the target, moved off the source's nodes, all of which are still there then."""
    inserted = [mapping.target.position[node] for node in mapping.insertions]
    places, sizes = source, extents[0]
    for j in inserted:
        free = nearest_free(target[j], extents[1][j], places, sizes)
        places, sizes = np.vstack([places, free]), np.vstack([sizes, extents[1][j]])
    return places[len(source) :]


# -- shapes ----------------------------------------------------------------------------------------------------------


def superposed(places: Points, anchors: Points, matched: NDArray[np.intp]) -> Points:
    """Turn, mirror and shift the places so that the matched ones lie nearest to their anchors (Procrustes)."""
    here, there = places[matched], anchors[matched]
    u, _, vt = np.linalg.svd((here - here.mean(axis=0)).T @ (there - there.mean(axis=0)))
    result: Points = (places - here.mean(axis=0)) @ (u @ vt) + there.mean(axis=0)
    return result


def oriented(places: Points, edges: list[tuple[int, int]]) -> Points:
    """Long axis across the page, edges at multiples of 30 degrees where possible, the first node upper left."""
    if len(places) < 2:
        return np.zeros_like(places)
    places = places - places.mean(axis=0)
    values, axes = np.linalg.eigh(places.T @ places)
    if values[0] < 0.7 * values[1]:
        places = places @ axes[:, ::-1]
    vectors = np.array([places[v] - places[u] for u, v in edges])
    angles = np.arctan2(vectors[:, 1], vectors[:, 0])
    turn = -np.angle(np.exp(12j * angles).sum()) / 12
    places = places @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    signs = np.where(np.round(places[0], 6) > 0, -1.0, 1.0)
    result: Points = places * signs
    return result


# -- graphs by position ----------------------------------------------------------------------------------------------


def _neighbours(graph: Graph) -> list[list[int]]:
    around: list[set[int]] = [set() for _ in graph.nodes]
    for u, v in graph.edge_index:
        around[u].add(v)
        around[v].add(u)
    return [sorted(others) for others in around]


def _components(neighbours: Adjacency) -> list[list[int]]:
    components, seen = [], set[int]()
    for start in range(len(neighbours)):
        if start in seen:
            continue
        members = [start]
        seen.add(start)
        for node in members:
            fresh = [other for other in neighbours[node] if other not in seen]
            seen.update(fresh)
            members.extend(fresh)
        components.append(sorted(members))
    return components


def _within(component: list[int], neighbours: Adjacency) -> list[list[int]]:
    local = {node: k for k, node in enumerate(component)}
    return [[local[other] for other in neighbours[node]] for node in component]


def _edges_in(component: list[int], neighbours: Adjacency) -> list[tuple[int, int]]:
    return [(u, v) for u, around in enumerate(_within(component, neighbours)) for v in around if u < v]


def _ideal_of_all(neighbours: Adjacency, components: list[list[int]]) -> NDArray[np.float64]:
    ideal = np.full((len(neighbours), len(neighbours)), np.inf)
    for component in components:
        ideal[np.ix_(component, component)] = ideal_distances(_within(component, neighbours))
    return ideal
