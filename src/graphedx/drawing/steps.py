"""The data of the stepper: where each node and edge of the working graph is, and from which step to which."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import amount
from graphedx.drawing.geometry import choose_bend
from graphedx.drawing.layout import PairLayout
from graphedx.drawing.marks import (
    BONDS,
    LONGEST_EDGE_TEXT,
    NodeMark,
    PathMarks,
    node_text,
    shows_names,
)
from graphedx.drawing.panel import (
    PILL_HALF_HEIGHT,
    RADIUS,
    half_width,
)
from graphedx.drawing.scene import LaidOut
from graphedx.drawing.text import clean, shorten
from graphedx.edits import (
    DeleteEdge,
    DeleteNode,
    EditOperation,
    EditPath,
    InsertEdge,
    InsertNode,
    SubstituteEdge,
    SubstituteNode,
)
from graphedx.graph import Graph, Label, Name

Points = NDArray[np.float64]  # (N, 2)
Span = list[Any]  # [first step, last step, text]

_MARGIN = 26.0
_LONGEST_ENTRY = 160


def stepper_data(path: EditPath, laid_out: LaidOut) -> dict[str, Any]:
    """Everything the page's script needs, as plain data with all text cleaned and shortened."""
    union = _Union(path, laid_out.marks, laid_out.places, laid_out.room)
    node_spans, edge_spans = _spans(path)
    nodes = [union.node(name, spans) for name, spans in node_spans.items()]
    edges = [union.edge(u, v, spans) for (u, v), spans in edge_spans.items()]
    order = {name: k for k, name in enumerate(node_spans)}
    edge_order = {key: k for k, key in enumerate(edge_spans)}
    costs = [edit.cost for edit in path]
    return {
        "directed": path.source.directed,
        "view": union.view(),
        "nodes": nodes,
        "edges": [edge | {"u": order[u], "v": order[v]} for edge, (u, v) in zip(edges, edge_spans, strict=True)],
        "edits": [_edit(edit, text, order, edge_order) for edit, text in zip(path, path.texts, strict=True)],
        "totals": [amount(fsum(costs[:k])) for k in range(len(costs) + 1)],
    }


class _Union:
    """All nodes that exist on the way, by their working names: the source's, then the inserted ones."""

    def __init__(self, path: EditPath, marks: PathMarks, layout: PairLayout, extents: tuple[Points, Points]) -> None:
        self._directed = path.source.directed
        self._target_at = {name: path.target.position[node] for name, node in path.final_names.items()}
        inserted = [edit.node for edit in path if isinstance(edit, InsertNode)]
        self._at = {name: k for k, name in enumerate((*path.source.nodes, *inserted))}
        inserted_marks = [marks.target.nodes[self._target_at[name]] for name in inserted]
        self._marks: tuple[NodeMark, ...] = (*marks.source.nodes, *inserted_marks)
        self._hold = np.vstack([layout.source, layout.inserted])
        self._end = layout.target
        self._target_extents = extents[1]
        inserted_extents = extents[1][[self._target_at[name] for name in inserted]]
        self._halves = np.vstack([extents[0], inserted_extents])
        pairs = {(u, v) for graph in (path.source, path.target) for u, v in graph.edges}
        self._twins = {(u, v) for u, v in pairs if (v, u) in pairs}

    def node(self, name: Name, spans: list[Span]) -> dict[str, Any]:
        k, j = self._at[name], self._target_at.get(name)
        mark = self._marks[k]
        return {
            "hold": _rounded(self._hold[k]),
            "end": None if j is None else _rounded(self._end[j]),
            "halfHeight": float(self._halves[k, 1]),
            "halfWidths": [round(self._half_width(k, text), 2) for _, _, text in spans],
            "fill": mark.fill if mark.match >= 0 else "",
            "title": mark.tooltip,
            "spans": spans,
        }

    def _half_width(self, k: int, text: str) -> float:
        return RADIUS if self._halves[k, 1] != PILL_HALF_HEIGHT else half_width(text)

    def edge(self, u: Name, v: Name, spans: list[Span]) -> dict[str, Any]:
        a, b = self._at[u], self._at[v]
        has_twin = self._directed and (u, v) in self._twins
        bend = choose_bend(a, b, self._hold, self._halves, has_twin)
        ends = self._target_at.get(u), self._target_at.get(v)
        last_bend = bend
        if ends[0] is not None and ends[1] is not None:
            last_bend = choose_bend(ends[0], ends[1], self._end, self._target_extents, has_twin)
        link = "→" if self._directed else "–"
        return {"bends": [bend, last_bend], "title": f"edge {clean(u)} {link} {clean(v)}", "spans": spans}

    def view(self) -> list[float]:
        """x, y, width and height of a box that holds every place of every node."""
        rims = [self._hold - self._halves, self._hold + self._halves]
        rims += [self._end - self._target_extents, self._end + self._target_extents]
        corners = np.vstack(rims)
        if not len(corners):
            return [0.0, 0.0, 300.0, 120.0]
        low, high = corners.min(axis=0) - _MARGIN, corners.max(axis=0) + _MARGIN
        size = np.maximum(high - low, [300.0, 160.0])  # a lone node is not blown up to the width of the page
        low = (low + high - size) / 2
        return [round(float(value), 2) for value in (*low, *size)]


def _spans(path: EditPath) -> tuple[dict[Name, list[Span]], dict[tuple[Name, Name], list[Span]]]:
    """For each node and each edge on the way, when it is there and what is written on it, as the path itself says."""
    by_name = shows_names(path)
    plain_bonds = all(label in BONDS for label in (*path.source.edge_labels, *path.target.edge_labels))
    nodes: dict[Name, list[Span]] = {}
    edges: dict[tuple[Name, Name], list[Span]] = {}
    for step, graph in enumerate(path.steps()):
        for name, label in zip(graph.nodes, graph.node_labels, strict=True):
            _extend(nodes, name, step, node_text(name, label, by_name))
        for (u, v), label in zip(graph.edges, graph.edge_labels, strict=True):
            _extend(edges, _edge_key(u, v, edges, graph), step, _edge_text(label, plain_bonds))
    return nodes, edges


def _extend(spans: dict[Any, list[Span]], key: Hashable, step: int, text: str) -> None:
    own = spans.setdefault(key, [])
    if own and own[-1][1] == step - 1 and own[-1][2] == text:
        own[-1][1] = step
    else:
        own.append([step, step, text])


def _edge_key(u: Name, v: Name, known: Iterable[Any], graph: Graph) -> tuple[Name, Name]:
    return (v, u) if not graph.directed and (v, u) in known else (u, v)


def _edge_text(label: Label, plain_bonds: bool) -> str:
    if label is None:
        return ""
    if plain_bonds:
        return "" if label == "SINGLE" else BONDS[label]
    return shorten(clean(label), LONGEST_EDGE_TEXT)


def _edit(
    edit: EditOperation, text: str, nodes: dict[Name, int], edges: dict[tuple[Name, Name], int]
) -> dict[str, Any]:
    actions = {
        InsertNode: "insert",
        SubstituteNode: "relabel",
        DeleteNode: "delete",
        InsertEdge: "insert",
        SubstituteEdge: "relabel",
        DeleteEdge: "delete",
    }
    if isinstance(edit, InsertNode | SubstituteNode | DeleteNode):
        kind, index = "node", nodes[edit.node]
    else:
        key = (edit.source, edit.target)
        kind, index = "edge", edges[key] if key in edges else edges[key[::-1]]
    text = shorten(clean(text), _LONGEST_ENTRY)
    return {"action": actions[type(edit)], "kind": kind, "index": index, "text": text, "cost": amount(edit.cost)}


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), 2) for value in values]
