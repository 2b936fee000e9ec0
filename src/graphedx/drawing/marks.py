"""What an edit path does to each node and edge of both graphs: its fate, the text on it, the words in its tooltip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple

from graphedx.costs import amount
from graphedx.drawing.palette import fill
from graphedx.drawing.text import clean, shorten
from graphedx.edits import (
    DeleteEdge,
    DeleteNode,
    EditPath,
    InsertEdge,
    InsertNode,
    SubstituteEdge,
    SubstituteNode,
)
from graphedx.graph import Graph, Label, Name, same_label

LONGEST_NODE_TEXT = 12
LONGEST_EDGE_TEXT = 10
MOST_EDGE_TEXTS = 100
LONGEST_TOOLTIP_LABEL = 120
BONDS: Mapping[Label, str] = {"SINGLE": "1", "DOUBLE": "2", "TRIPLE": "3", "AROMATIC": "ar"}


class Fate(Enum):
    """What becomes of a node or edge."""

    KEPT = "kept"
    RELABELLED = "relabelled"
    DELETED = "deleted"
    INSERTED = "inserted"


class NodeMark(NamedTuple):
    fate: Fate
    match: int  # the number of the matched pair, or -1
    text: str
    note: str  # "C→N" on relabelled nodes of the target
    tooltip: str

    @property
    def fill(self) -> str:
        return fill(self.match) if self.match >= 0 else "paper"


class EdgeMark(NamedTuple):
    fate: Fate
    ends: tuple[int, int]
    text: str
    bond: Label  # a key of BONDS where edges are drawn as bonds, else None
    tooltip: str


class GraphMarks(NamedTuple):
    nodes: tuple[NodeMark, ...]
    edges: tuple[EdgeMark, ...]


class Tally(NamedTuple):
    """How many nodes and edges met a fate, and what that cost."""

    nodes: int
    edges: int
    cost: float


class PathMarks(NamedTuple):
    source: GraphMarks
    target: GraphMarks
    tallies: Mapping[Fate, Tally]
    footnote: str  # about edge labels that are not written; "" if all are


_FATES = {
    DeleteNode: Fate.DELETED,
    InsertNode: Fate.INSERTED,
    SubstituteNode: Fate.RELABELLED,
    DeleteEdge: Fate.DELETED,
    InsertEdge: Fate.INSERTED,
    SubstituteEdge: Fate.RELABELLED,
}


def marks_of(path: EditPath) -> PathMarks:
    """Mark both graphs of a path; fates are read off its operations, so the picture shows what the path charges for."""
    edge_text = _EdgeText(path)
    return PathMarks(
        GraphMarks(_source_nodes(path), _source_edges(path, edge_text)),
        GraphMarks(_target_nodes(path), _target_edges(path, edge_text)),
        _tallies(path),
        edge_text.footnote,
    )


def shows_names(path: EditPath) -> bool:
    """Whether nodes are shown by name, since none has a label."""
    return all(label is None for label in (*path.source.node_labels, *path.target.node_labels))


def node_text(name: Name, label: Label, by_name: bool) -> str:
    if by_name:
        return shorten(clean(name), LONGEST_NODE_TEXT)
    return "" if label is None else shorten(clean(label), LONGEST_NODE_TEXT)


def _said(label: Label) -> str:
    return "no label" if label is None else shorten(clean(label), LONGEST_TOOLTIP_LABEL)


def _node_said(graph: Graph, position: int) -> str:
    name, label = graph.nodes[position], graph.node_labels[position]
    return f"{_said(name)}" + ("" if label is None else f" ({_said(label)})")


def _edge_said(graph: Graph, u: int, v: int) -> str:
    link = "→" if graph.directed else "–"
    return f"{_said(graph.nodes[u])} {link} {_said(graph.nodes[v])}"


def _changed(old: str, new: str) -> str:
    return f"{old or '∅'}→{new or '∅'}"


# -- nodes -------------------------------------------------------------------------------------------------------------


def _match_numbers(path: EditPath) -> dict[int, int]:
    """Source position -> number of its matched pair, counted along the source."""
    matched = [i for i, j in enumerate(path.mapping.images) if j >= 0]
    return {i: number for number, i in enumerate(matched)}


def _source_nodes(path: EditPath) -> tuple[NodeMark, ...]:
    costs = {edit.node: edit.cost for edit in path if isinstance(edit, DeleteNode | SubstituteNode)}
    numbers, by_name = _match_numbers(path), shows_names(path)
    marks = []
    for i, (name, label) in enumerate(zip(path.source.nodes, path.source.node_labels, strict=True)):
        image = path.mapping.images[i]
        text, said = node_text(name, label, by_name), f"node {_node_said(path.source, i)}"
        if image < 0:
            marks.append(NodeMark(Fate.DELETED, -1, text, "", f"{said}: deleted, cost {amount(costs[name])}"))
            continue
        becomes = f"{said} ↔ {_node_said(path.target, image)}"
        if name in costs:
            tooltip = f"{becomes}: relabelled, cost {amount(costs[name])}"
            marks.append(NodeMark(Fate.RELABELLED, numbers[i], text, "", tooltip))
        else:
            marks.append(NodeMark(Fate.KEPT, numbers[i], text, "", becomes))
    return tuple(marks)


def _target_nodes(path: EditPath) -> tuple[NodeMark, ...]:
    insertions = {edit.target: edit.cost for edit in path if isinstance(edit, InsertNode)}
    by_name, source = shows_names(path), _source_nodes(path)
    came_from = {j: i for i, j in enumerate(path.mapping.images) if j >= 0}
    marks = []
    for j, (name, label) in enumerate(zip(path.target.nodes, path.target.node_labels, strict=True)):
        text = node_text(name, label, by_name)
        if j not in came_from:
            tooltip = f"node {_node_said(path.target, j)}: inserted, cost {amount(insertions[name])}"
            marks.append(NodeMark(Fate.INSERTED, -1, text, "", tooltip))
            continue
        before = source[came_from[j]]
        note = _changed(before.text, text) if before.fate is Fate.RELABELLED else ""
        marks.append(before._replace(text=text, note=note))
    return tuple(marks)


# -- edges -------------------------------------------------------------------------------------------------------------


class _EdgeText:
    """What is written on edges: bonds and the commonest label are left to the drawing and the caption."""

    def __init__(self, path: EditPath) -> None:
        labels = Counter([*path.source.edge_labels, *path.target.edge_labels])
        self.as_bonds = bool(labels) and not path.source.directed and all(label in BONDS for label in labels)
        common, count = labels.most_common(1)[0] if labels else (None, 0)
        self._unlabelled = set(labels) <= {None}
        self._usual = common if 2 * count >= labels.total() else None
        self._is_crowded = max(path.source.num_edges, path.target.num_edges) > MOST_EDGE_TEXTS

    @property
    def footnote(self) -> str:
        """Where to find the labels that are not written."""
        if self.as_bonds or self._written_on_all:
            return ""
        if self._is_crowded:
            return "Labels of unchanged edges are in their tooltips."
        return f"Edges without a written label are labelled {self.short(self._usual)!r}."

    @property
    def _written_on_all(self) -> bool:
        return self._usual is None and (self._unlabelled or not self._is_crowded)

    def of(self, label: Label) -> str:
        """What is written on an edge that keeps its label."""
        return "" if self.as_bonds or self._is_crowded or same_label(label, self._usual) else self.short(label)

    def short(self, label: Label) -> str:
        if label is None:
            return ""
        return BONDS[label] if self.as_bonds else shorten(clean(label), LONGEST_EDGE_TEXT)

    def bond(self, label: Label) -> Label:
        return label if self.as_bonds else None


def _source_edges(path: EditPath, text: _EdgeText) -> tuple[EdgeMark, ...]:
    edits = {(edit.source, edit.target): edit for edit in path if isinstance(edit, DeleteEdge | SubstituteEdge)}
    return _edge_marks(path.source, edits, text, of_source=True)


def _target_edges(path: EditPath, text: _EdgeText) -> tuple[EdgeMark, ...]:
    names = path.final_names
    edits: dict[tuple[Name, Name], InsertEdge | SubstituteEdge] = {}
    for edit in path:
        if isinstance(edit, InsertEdge | SubstituteEdge):
            edits[names[edit.source], names[edit.target]] = edit
    return _edge_marks(path.target, edits, text, of_source=False)


def _edge_marks(
    graph: Graph,
    edits: Mapping[tuple[Name, Name], DeleteEdge | InsertEdge | SubstituteEdge],
    text: _EdgeText,
    of_source: bool,
) -> tuple[EdgeMark, ...]:
    marks = []
    for (u, v), (a, b), label in zip(graph.edge_index, graph.edges, graph.edge_labels, strict=True):
        edit = edits.get((a, b)) or (None if graph.directed else edits.get((b, a)))
        fate = _FATES[type(edit)] if edit else Fate.KEPT
        written = text.of(label)
        said = f"edge {_edge_said(graph, u, v)}" + ("" if label is None else f" ({_said(label)})")
        if isinstance(edit, SubstituteEdge):
            said = f"edge {_edge_said(graph, u, v)} ({_said(edit.old)} → {_said(edit.new)})"
            written = text.short(label) if of_source else _changed(text.short(edit.old), text.short(edit.new))
        if edit:
            said += f": {fate.value}, cost {amount(edit.cost)}"
        marks.append(EdgeMark(fate, (u, v), written, text.bond(label), said))
    return tuple(marks)


# -- counts ------------------------------------------------------------------------------------------------------------


def _tallies(path: EditPath) -> Mapping[Fate, Tally]:
    kept_nodes = sum(mark.fate is Fate.KEPT for mark in _source_nodes(path))
    edge_fates = Counter(_FATES[type(edit)] for edit in path if isinstance(edit, DeleteEdge | SubstituteEdge))
    kept_edges = path.source.num_edges - sum(edge_fates.values())
    tallies = {Fate.KEPT: Tally(kept_nodes, kept_edges, 0.0)}
    for fate in (Fate.RELABELLED, Fate.DELETED, Fate.INSERTED):
        edits = [edit for edit in path if _FATES[type(edit)] is fate]
        nodes = _count_nodes(edits)
        tallies[fate] = Tally(nodes, len(edits) - nodes, sum(edit.cost for edit in edits))
    return tallies


def _count_nodes(edits: Iterable[object]) -> int:
    return sum(isinstance(edit, DeleteNode | InsertNode | SubstituteNode) for edit in edits)
