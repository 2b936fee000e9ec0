"""The picture of an edit path: source and target side by side, one colour for each matched pair, and a legend."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import amount
from graphedx.drawing.labels import Rect
from graphedx.drawing.layout import PairLayout, layout_pair
from graphedx.drawing.legend import BADGE, MARGIN, describe_counts, legend_items
from graphedx.drawing.marks import PathMarks, marks_of
from graphedx.drawing.panel import RING_GAP, Panel, node_extents, panel_items, roomy_extents, visible_edge_length
from graphedx.drawing.shapes import Curve, Item, Point, Scene, Style, Words, centred_words, moved
from graphedx.drawing.text import clean, counted, shorten
from graphedx.edits import EditPath

Corner = NDArray[np.float64]  # (2,)
Extents = NDArray[np.float64]  # (N, 2): half width, half height

LEAST_PANEL = 370.0
LEAST_HEIGHT = 80.0


class LaidOut(NamedTuple):
    """What both the figure and the stepper start from."""

    marks: PathMarks
    extents: tuple[Extents, Extents]  # half sizes of the nodes as drawn
    room: tuple[Extents, Extents]  # half sizes that were kept free for them
    places: PairLayout


def lay_out(path: EditPath) -> LaidOut:
    """Mark both graphs of a path and give every node its place."""
    marks = marks_of(path)
    extents = node_extents(marks)
    room = roomy_extents(path.mapping, extents)
    return LaidOut(
        marks, extents, room, layout_pair(path.mapping, *room, visible_edge_length(marks, path.source.directed))
    )


def edit_path_panels(path: EditPath, laid_out: LaidOut) -> tuple[Panel, Panel]:
    """Both graphs of a path, in common coordinates."""
    marks, extents, _, places = laid_out
    return (
        Panel("source", path.source, marks.source, places.source, extents[0]),
        Panel("target", path.target, marks.target, places.target, extents[1]),
    )


def edit_path_scene(path: EditPath, title: str | None = None, laid_out: LaidOut | None = None) -> Scene:
    """Compose the picture of a path; lays it out first unless that is done."""
    laid_out = laid_out or lay_out(path)
    panels = edit_path_panels(path, laid_out)
    drawn = [panel_items(panel) for panel in panels]
    low, high = _common_box(panels, [rect for _, rects in drawn for rect in rects])
    size = np.maximum(high - low, [0.0, LEAST_HEIGHT])
    panel_width = max(float(size[0]), LEAST_PANEL)
    width = 2 * panel_width + 4 * MARGIN
    ui = min(max(width / 1100, 1.0), 1.8)  # captions keep their proportion to large pictures
    top = MARGIN + (34 * ui if title else 0.0)
    graph_top = top + 46 * ui
    items: list[Item] = [_title(title, ui)] if title else []
    for k, (panel, (graph_items, _)) in enumerate(zip(panels, drawn, strict=True)):
        left = MARGIN + k * (panel_width + 2 * MARGIN)
        shift = np.array([left + (panel_width - size[0]) / 2, graph_top]) - low
        items.append(_heading(panel, (left, top), panel_width, ui))
        items.extend(moved(item, float(shift[0]), float(shift[1])) for item in graph_items)
        if not graph_items:
            words = centred_words((left + panel_width / 2, graph_top + float(size[1]) / 2), "empty graph", 13, "muted")
            items.append(Item(f"empty {panel.side}", (words,)))
    bottom = graph_top + float(size[1]) + MARGIN
    items.append(_divider(width / 2, top, bottom - MARGIN / 2))
    legend, height = legend_items(path, laid_out.marks, width, bottom, ui)
    shown_title = clean(title) if title else f"Edit path of cost {amount(path.cost)}"
    return Scene(width, height, (*items, *legend), shown_title, describe_counts(path, laid_out.marks))


def _common_box(panels: tuple[Panel, Panel], notes: list[Rect]) -> tuple[Corner, Corner]:
    """Corners of a box that holds either graph with its notes, so that like places stay like on both panels."""
    rims = [panel.places + sign * (panel.extents + BADGE + RING_GAP) for panel in panels for sign in (-1, 1)]
    rims += [
        np.array([[rect.centre[0] + sign * rect.half_width, rect.centre[1] + sign * rect.half_height]])
        for rect in notes
        for sign in (-1, 1)
    ]
    corners = np.vstack(rims)
    return (corners.min(axis=0), corners.max(axis=0)) if len(corners) else (np.zeros(2), np.zeros(2))


def _title(title: str, ui: float) -> Item:
    return Item("title", (Words((MARGIN, MARGIN + 17 * ui), clean(title), 19 * ui, anchor="start", bold=True),))


def _heading(panel: Panel, at: Point, width: float, ui: float) -> Item:
    name = clean(panel.graph.name)
    fitting = max(8, int(width / (8.5 * ui)))
    heading = f"{panel.side.capitalize()}: {name}" if name else panel.side.capitalize()
    counts = f"{counted(panel.graph.num_nodes, 'node')}, {counted(panel.graph.num_edges, 'edge')}"
    return Item(
        f"heading {panel.side}",
        (
            Words((at[0], at[1] + 12 * ui), shorten(heading, fitting), 14 * ui, anchor="start", bold=True),
            Words((at[0], at[1] + 29 * ui), counts, 12 * ui, "muted", anchor="start"),
        ),
        tooltip=heading if len(heading) > fitting else "",
    )


def _divider(x: float, top: float, bottom: float) -> Item:
    return Item("divider", (Curve((x, top), (x, (top + bottom) / 2), (x, bottom), Style(stroke="frame", width=1.0)),))
