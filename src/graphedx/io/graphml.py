"""GraphML, as networkx, yEd and igraph write it; a file may hold many graphs.

networkx's own reader is not used because it makes up nodes that only edges mention, ignores defaults and reads the
first graph only.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from graphedx._quoting import quoted
from graphedx.convert.labels import LabelRule
from graphedx.errors import FormatError
from graphedx.graph import Graph, Label
from graphedx.io import _xml
from graphedx.io._records import Record, build, kind_of, name_texts

_KINDS = {"boolean": "bool", "int": "int", "integer": "int", "long": "int", "float": "float", "double": "float"}
_TYPES = {"bool": "boolean", "int": "long", "float": "double", "str": "string"}
_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""


class _Key(NamedTuple):
    scope: str
    name: str
    kind: str
    default: str | None


def parse(content: bytes, *, node_label: LabelRule = "label", edge_label: LabelRule = "label") -> list[Graph]:
    """Every graph of a GraphML document."""
    root = _xml.parse(content, "graphml")
    keys = {_xml.required(element, "id"): _key(element) for element in _xml.children(root, "key")}
    graphs = [_record(element, keys) for element in _xml.children(root, "graph")]
    return [build(record, node_label, edge_label) for record in graphs]


def serialize(graphs: Sequence[Graph]) -> str:
    """A GraphML document that networkx can read; a label ``None`` is left out, names become text."""
    lines = [_HEADER]
    for scope in ("node", "edge"):
        lines += [
            f'<key id="{scope}_{kind}" for="{scope}" attr.name="label" attr.type="{_TYPES[kind]}"/>\n'
            for kind in _kinds(graphs, scope)
        ]
    lines.append('<key id="name" for="graph" attr.name="name" attr.type="string"/>\n')
    for graph in graphs:
        lines += _graph_lines(graph)
    lines.append("</graphml>\n")
    return "".join(lines)


def _key(element: Element) -> _Key:
    default = next(_xml.children(element, "default"), None)
    return _Key(
        scope=element.get("for", "all"),
        name=element.get("attr.name") or element.get("yfiles.type") or _xml.required(element, "id"),
        kind=_KINDS.get(element.get("attr.type", "string"), "str"),
        default=None if default is None else default.text or "",
    )


def _record(element: Element, keys: dict[str, _Key]) -> Record:
    record = Record(directed=element.get("edgedefault") == "directed")
    defaults = {scope: _defaults(keys, scope) for scope in ("graph", "node", "edge")}
    attributes = _attributes(element, keys, defaults["graph"], "the graph")
    record.name = str(attributes.get("name", element.get("id", "")))
    for child in element:
        kind = _xml.tag(child)
        if kind == "node":
            name = _xml.required(child, "id")
            if _xml.has_child(child, "graph"):
                raise FormatError(f"node {quoted(name)} holds a graph: nested graphs cannot be compared")
            record.nodes.append((name, _attributes(child, keys, defaults["node"], f"node {quoted(name)}")))
        elif kind == "edge":
            record.edges.append(_edge(child, keys, defaults["edge"], record.directed))
        elif kind == "hyperedge":
            raise FormatError("has a hyperedge: edges join two nodes")
    return record


def _edge(
    element: Element, keys: dict[str, _Key], defaults: dict[str, Any], directed: bool
) -> tuple[str, str, MutableMapping[str, Any]]:
    u, v = _xml.required(element, "source"), _xml.required(element, "target")
    where = f"edge ({quoted(u)}, {quoted(v)})"
    if element.get("directed", str(directed)).lower() != str(directed).lower():
        raise FormatError(
            f"{where} is {'un' if directed else ''}directed and the graph is not: mixed graphs are refused"
        )
    return u, v, _attributes(element, keys, defaults, where)


def _defaults(keys: dict[str, _Key], scope: str) -> dict[str, Any]:
    return {
        key.name: _xml.value_of(key.default, key.kind, f"default of {quoted(key.name)}")
        for key in keys.values()
        if key.default is not None and key.scope in (scope, "all")
    }


def _attributes(
    element: Element, keys: dict[str, _Key], defaults: dict[str, Any], where: str
) -> MutableMapping[str, Any]:
    attributes = _xml.with_defaults(defaults)
    for data in _xml.children(element, "data"):
        key = keys.get(_xml.required(data, "key"))
        if key is None:
            raise FormatError(f"{where} has data with the key {quoted(data.get('key'))}, which is not declared")
        if len(data):
            drawn = _drawn_label(data)
            if drawn is not None:
                attributes["label"] = drawn
        else:
            attributes[key.name] = _xml.value_of(data.text or "", key.kind, f"{quoted(key.name)} of {where}")
    return attributes


def _drawn_label(data: Element) -> str | None:
    """The label that yEd keeps with the drawing."""
    drawn = (part.text or "" for part in data.iter() if _xml.tag(part) in ("NodeLabel", "EdgeLabel"))
    return next(drawn, None)


def _kinds(graphs: Sequence[Graph], scope: str) -> list[str]:
    found = set()
    for graph in graphs:
        things, labels = (graph.nodes, graph.node_labels) if scope == "node" else (graph.edges, graph.edge_labels)
        for thing, label in zip(things, labels, strict=True):
            found.add(kind_of(label, f"{scope} {quoted(thing)}", "GraphML"))
    return sorted(found - {"none"})


def _graph_lines(graph: Graph) -> list[str]:
    names = [_xml.escape(text) for text in name_texts(graph)]
    lines = [f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">\n']
    if graph.name:
        lines.append(f'  <data key="name">{_xml.escape(graph.name)}</data>\n')
    for name, label in zip(names, graph.node_labels, strict=True):
        lines.append(f'  <node id="{name}">{_data("node", label)}</node>\n')
    for (u, v), label in zip(graph.edge_index, graph.edge_labels, strict=True):
        lines.append(f'  <edge source="{names[u]}" target="{names[v]}">{_data("edge", label)}</edge>\n')
    return [*lines, "</graph>\n"]


def _data(scope: str, label: Label) -> str:
    kind = kind_of(label, scope, "GraphML")
    return "" if kind == "none" else f'<data key="{scope}_{kind}">{_xml.escape(_xml.text_of(label))}</data>'
