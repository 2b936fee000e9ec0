"""GXL, the format of the IAM graph collections; a file may hold many graphs.

Those collections keep labels in attributes such as ``chem`` or ``valence``: read them with ``node_label="chem"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from graphedx._quoting import quoted
from graphedx.convert.labels import LabelRule
from graphedx.errors import FormatError
from graphedx.graph import Graph, Label
from graphedx.io import _xml
from graphedx.io._records import Record, build, kind_of, name_texts

_KINDS = {"bool": "bool", "int": "int", "float": "float", "string": "str", "enum": "str"}
_TAGS = {"bool": "bool", "int": "int", "float": "float", "str": "string"}
_COMPOSITE = ("tup", "seq")


def parse(content: bytes, *, node_label: LabelRule = "label", edge_label: LabelRule = "label") -> list[Graph]:
    """Every graph of a GXL document."""
    root = _xml.parse(content, "gxl")
    records = [_record(graph) for graph in _xml.children(root, "graph")]
    return [build(record, node_label, edge_label) for record in records]


def serialize(graphs: Sequence[Graph]) -> str:
    """A GXL document with labels in the attribute ``label``; tuples are held too."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n<gxl>\n']
    for i, graph in enumerate(graphs):
        names = [_xml.escape(text) for text in name_texts(graph)]
        mode = "directed" if graph.directed else "undirected"
        lines.append(f'<graph id="{_xml.escape(graph.name or f"graph{i}")}" edgeids="false" edgemode="{mode}">\n')
        for name, node, label in zip(names, graph.nodes, graph.node_labels, strict=True):
            lines.append(f'<node id="{name}">{_attr(label, f"node {quoted(node)}")}</node>\n')
        for (u, v), edge, label in zip(graph.edge_index, graph.edges, graph.edge_labels, strict=True):
            lines.append(f'<edge from="{names[u]}" to="{names[v]}">{_attr(label, f"edge {quoted(edge)}")}</edge>\n')
        lines.append("</graph>\n")
    lines.append("</gxl>\n")
    return "".join(lines)


def _record(graph: Element) -> Record:
    mode = graph.get("edgemode", "directed")
    record = Record(directed=mode in ("directed", "defaultdirected"), name=graph.get("id", ""))
    for child in graph:
        kind = _xml.tag(child)
        if kind == "node":
            name = _xml.required(child, "id")
            if _xml.has_child(child, "graph"):
                raise FormatError(f"node {quoted(name)} holds a graph: nested graphs cannot be compared")
            record.nodes.append((name, _attributes(child, f"node {quoted(name)}")))
        elif kind == "edge":
            record.edges.append(_edge(child, record.directed))
        elif kind == "rel":
            raise FormatError("has a <rel> element: edges join two nodes")
    return record


def _edge(element: Element, directed: bool) -> tuple[str, str, dict[str, Any]]:
    u, v = _xml.required(element, "from"), _xml.required(element, "to")
    where = f"edge ({quoted(u)}, {quoted(v)})"
    if element.get("isdirected", str(directed)).lower() != str(directed).lower():
        raise FormatError(
            f"{where} is {'un' if directed else ''}directed and the graph is not: mixed graphs are refused"
        )
    return u, v, _attributes(element, where)


def _attributes(element: Element, where: str) -> dict[str, Any]:
    attributes = {}
    for attribute in _xml.children(element, "attr"):
        name = _xml.required(attribute, "name")
        values = list(_xml.children(attribute, *_KINDS, *_COMPOSITE))
        if len(values) != 1:
            raise FormatError(f"{quoted(name)} of {where} must have one value ({', '.join((*_KINDS, *_COMPOSITE))})")
        attributes[name] = _value(values[0], f"{quoted(name)} of {where}")
    return attributes


def _value(element: Element, where: str) -> Any:
    if _xml.tag(element) in _COMPOSITE:
        return tuple(_value(part, where) for part in _xml.children(element, *_KINDS, *_COMPOSITE))
    return _xml.value_of(element.text or "", _KINDS[_xml.tag(element)], where)


def _attr(label: Label, where: str) -> str:
    return "" if label is None else f'<attr name="label">{_element(label, where)}</attr>'


def _element(label: Label, where: str) -> str:
    if isinstance(label, tuple) and None not in label:
        return f"<tup>{''.join(_element(part, where) for part in label)}</tup>"
    kind = "none" if isinstance(label, tuple) else kind_of(label, where, "GXL")
    if kind == "none":
        raise FormatError(f"GXL cannot hold the label {quoted(label)} of {where}: None has no place in a tuple")
    return f"<{_TAGS[kind]}>{_xml.escape(_xml.text_of(label))}</{_TAGS[kind]}>"
