"""One graph of the picture: its edges, its nodes and the notes beside them, every edit marked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.drawing.geometry import (
    HEAD_LENGTH,
    arrow_head,
    choose_bend,
    control_point,
    rim,
    shifted,
    turns_left,
)
from graphedx.drawing.labels import Rect, Room, along, around_node, beside_edge
from graphedx.drawing.legend import badge
from graphedx.drawing.marks import EdgeMark, Fate, GraphMarks, NodeMark, PathMarks
from graphedx.drawing.palette import FILL_INK
from graphedx.drawing.shapes import Curve, Item, Pill, Point, Polygon, Shape, Style, centred_words
from graphedx.drawing.text import text_width
from graphedx.edits import NodeMapping
from graphedx.graph import Graph

Points = NDArray[np.float64]  # (N, 2)
Extents = NDArray[np.float64]  # (N, 2): half width, half height

RADIUS = 16.0
PILL_HALF_HEIGHT = 13.0
NODE_FONT = 13.0
NOTE_FONT = 11.0
RING_GAP = 3.2  # from a node's rim to the ring that marks its fate
_BOND_GAP = 2.7
_SHORTEST_EDGE = 26.0  # what is to be seen of it
_LONGEST_EDGE = 84.0

_RINGS = {
    Fate.RELABELLED: Style(stroke="relabelled", width=2.4),
    Fate.INSERTED: Style(stroke="inserted", width=2.6),
}
_LINES = {
    Fate.KEPT: Style(stroke="line", width=1.7),
    Fate.RELABELLED: Style(stroke="relabelled", width=2.4),
    Fate.DELETED: Style(stroke="deleted", width=2.0, dash=(5.0, 3.5)),
    Fate.INSERTED: Style(stroke="inserted", width=2.6),
}


class Panel(NamedTuple):
    """A graph with everything needed to draw it."""

    side: str
    graph: Graph
    marks: GraphMarks
    places: Points
    extents: Extents


class EdgeRun(NamedTuple):
    """The curve of an edge, from rim to rim."""

    start: Point
    control: Point
    end: Point


def node_extents(marks: PathMarks) -> tuple[Extents, Extents]:
    """Half sizes of all nodes: circles if every text fits into one, else pills as long as their text."""
    widths = [[text_width(mark.text, NODE_FONT) for mark in side.nodes] for side in (marks.source, marks.target)]
    if max((*widths[0], *widths[1]), default=0.0) <= 2 * RADIUS - 6:
        return np.full((len(widths[0]), 2), RADIUS), np.full((len(widths[1]), 2), RADIUS)
    source, target = (
        np.array([[half_width(mark.text), PILL_HALF_HEIGHT] for mark in side.nodes]).reshape(-1, 2)
        for side in (marks.source, marks.target)
    )
    return source, target


def half_width(text: str) -> float:
    """Of a pill around a text."""
    return max(text_width(text, NODE_FONT) / 2 + 9, RADIUS)


def roomy_extents(mapping: NodeMapping, extents: tuple[Extents, Extents]) -> tuple[Extents, Extents]:
    """Half sizes to lay out with: matched nodes get room for the longer of their two texts."""
    source, target = extents[0].copy(), extents[1].copy()
    for i, j in enumerate(mapping.images):
        if j >= 0:
            source[i] = target[j] = np.maximum(source[i], target[j])
    return source, target


def visible_edge_length(marks: PathMarks, directed: bool) -> float:
    """How much of an edge must be seen between two nodes: enough for its head and about enough for its text."""
    texts = [mark.text for side in (marks.source, marks.target) for mark in side.edges if mark.text]
    widest = max((text_width(text, NOTE_FONT) for text in texts), default=0.0)
    return min(max(_SHORTEST_EDGE + HEAD_LENGTH * directed, widest + 10), _LONGEST_EDGE)


def panel_items(panel: Panel) -> tuple[list[Item], list[Rect]]:
    """The items of one graph, nodes on top of edges and notes on top of both, and the room that the notes take."""
    runs = [edge_run(mark, panel) for mark in panel.marks.edges]
    room = Room(panel.places, panel.extents + RING_GAP, [point for run in runs for point in along(*run)])
    edges = [_edge_item(mark, run, panel) for mark, run in zip(panel.marks.edges, runs, strict=True)]
    nodes = [_node_item(k, mark, panel) for k, mark in enumerate(panel.marks.nodes)]
    notes = [_note(k, mark, panel, room) for k, mark in enumerate(panel.marks.nodes) if mark.note]
    texts = [_edge_text(mark, run, panel, room) for mark, run in zip(panel.marks.edges, runs, strict=True) if mark.text]
    written = [*texts, *notes]
    return [*edges, *nodes, *(item for item, _ in written)], [rect for _, rect in written]


# -- nodes ------------------------------------------------------------------------------------------------------------


def _pill_of(position: int, panel: Panel) -> tuple[Point, float, float]:
    x, y = panel.places[position]
    half_width, half_height = panel.extents[position]
    return (float(x), float(y)), float(half_width), float(half_height)


def _node_item(position: int, mark: NodeMark, panel: Panel) -> Item:
    centre, half_width, half_height = _pill_of(position, panel)
    outline = Style(mark.fill, "outline", 1.2)
    if mark.fate is Fate.DELETED:
        outline = Style("paper", "deleted", 2.0, (4.5, 3.0))
    elif mark.fate is Fate.INSERTED:
        outline = Style("paper", "inserted", 1.2)
    shapes: list[Shape] = [Pill(centre, half_width, half_height, outline)]
    if mark.fate in _RINGS:
        shapes.append(Pill(centre, half_width + RING_GAP, half_height + RING_GAP, _RINGS[mark.fate]))
    if mark.text:
        shapes.append(centred_words(centre, mark.text, NODE_FONT, "ink" if mark.match < 0 else FILL_INK))
    if mark.fate in (Fate.DELETED, Fate.INSERTED):
        corner = centre[0] + half_width - 0.29 * half_height, centre[1] - 0.75 * half_height - 1.5
        shapes.extend(badge(corner, mark.fate))
    data = (("match", str(mark.match)),) if mark.match >= 0 else ()
    return Item(f"node {mark.fate.value} {panel.side}", tuple(shapes), mark.tooltip, data)


def _note(position: int, mark: NodeMark, panel: Panel, room: Room) -> tuple[Item, Rect]:
    """The change of a node's label, beside the node."""
    centre, half_width, half_height = _pill_of(position, panel)
    half_text = text_width(mark.note, NOTE_FONT) / 2 + 2, 0.6 * NOTE_FONT
    gap = RING_GAP + 2.5
    rect = room.take_best(around_node(centre, half_width + gap, half_height + gap, half_text))
    words = centred_words(rect.centre, mark.note, NOTE_FONT, "relabelled", bold=True)._replace(halo=True)
    return Item(f"note {panel.side}", (words,), mark.tooltip), rect


# -- edges ------------------------------------------------------------------------------------------------------------


def edge_bend(mark: EdgeMark, panel: Panel) -> float:
    """How much an edge bends to pass its twin and the nodes in its way."""
    u, v = mark.ends
    has_twin = panel.graph.directed and (v, u) in panel.graph.label_between
    return choose_bend(u, v, panel.places, panel.extents, has_twin)


def edge_run(mark: EdgeMark, panel: Panel) -> EdgeRun:
    u, v = mark.ends
    start, end = _pill_of(u, panel), _pill_of(v, panel)
    control = control_point(start[0], end[0], edge_bend(mark, panel))
    return EdgeRun(
        rim(start[0], control, *start[1:], gap=_gap(panel.marks.nodes[u])),
        control,
        rim(end[0], control, *end[1:], gap=_gap(panel.marks.nodes[v])),
    )


def _gap(mark: NodeMark) -> float:
    """Edges end at the ring of a marked node, not inside it."""
    return RING_GAP + 1.3 if mark.fate in _RINGS else 0.6


def _edge_item(mark: EdgeMark, run: EdgeRun, panel: Panel) -> Item:
    style = _LINES[mark.fate]
    if panel.graph.directed:
        neck = rim(run.end, run.control, HEAD_LENGTH - 1.5, HEAD_LENGTH - 1.5)
        head = Polygon(arrow_head(run.end, run.control), Style(fill=style.stroke))
        shapes: tuple[Shape, ...] = (Curve(run.start, run.control, neck, style), head)
    else:
        shapes = tuple(_bond(mark, run, style, panel))
    return Item(f"edge {mark.fate.value} {panel.side}", shapes, mark.tooltip)


def _bond(mark: EdgeMark, run: EdgeRun, style: Style, panel: Panel) -> list[Shape]:
    """One line, or as many as the bond has; the dashes of an aromatic one go inside the ring."""
    thin = style._replace(width=0.85 * style.width)
    match mark.bond:
        case "DOUBLE":
            return [Curve(*shifted(*run, gap), thin) for gap in (-_BOND_GAP, _BOND_GAP)]
        case "TRIPLE":
            return [Curve(*shifted(*run, gap), thin) for gap in (-1.7 * _BOND_GAP, 0.0, 1.7 * _BOND_GAP)]
        case "AROMATIC":
            inside = _BOND_GAP if turns_left(*mark.ends, panel.graph.edge_index, panel.places) else -_BOND_GAP
            dashed = thin._replace(dash=(2.5, 2.5))
            return [Curve(*shifted(*run, -inside), thin), Curve(*shifted(*run, inside), dashed)]
        case _:
            return [Curve(*run, style)]


def _edge_text(mark: EdgeMark, run: EdgeRun, panel: Panel, room: Room) -> tuple[Item, Rect]:
    half_text = text_width(mark.text, NOTE_FONT) / 2 + 1, 0.55 * NOTE_FONT
    gap = 3.0 if mark.bond in (None, "SINGLE") else 3.0 + _BOND_GAP
    rect = room.take_best(beside_edge(*run, half_text, gap))
    colour = "muted" if mark.fate is Fate.KEPT else mark.fate.value
    words = centred_words(rect.centre, mark.text, NOTE_FONT, colour, bold=mark.fate is Fate.RELABELLED)
    return Item(f"label {mark.fate.value} {panel.side}", (words._replace(halo=True),), mark.tooltip), rect
