"""GEXF, as Gephi and networkx write it; one graph a file.

A GEXF node's ``label`` is what is drawn beside it, and writers without a label repeat the node's id there. So a label
equal to the id counts as none, and an attribute titled "label" comes before it.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from graphedx._quoting import quoted, shortened
from graphedx.convert.labels import LabelRule
from graphedx.errors import FormatError
from graphedx.graph import Graph, Label
from graphedx.io import _xml
from graphedx.io._records import Record, build, kind_of, name_texts

_KINDS = {
    "boolean": "bool",
    "byte": "int",
    "short": "int",
    "integer": "int",
    "long": "int",
    "float": "float",
    "double": "float",
}
_TYPES = {"bool": "boolean", "int": "long", "float": "double", "str": "string"}
_Declared = dict[str, tuple[str, str, str | None]]  # id -> title, kind, default


def parse(content: bytes, *, node_label: LabelRule = "label", edge_label: LabelRule = "label") -> list[Graph]:
    """The graph of a GEXF document."""
    root = _xml.parse(content, "gexf")
    return [build(_record(root, graph), node_label, edge_label) for graph in _xml.children(root, "graph")]


def serialize(graphs: Sequence[Graph]) -> str:
    """A GEXF document; networkx reads the node labels as text, graphedx as what they were."""
    [graph] = graphs
    kinds = {
        "node": _kinds("node", graph.nodes, graph.node_labels),
        "edge": _kinds("edge", graph.edges, graph.edge_labels),
    }
    names = [_xml.escape(text) for text in name_texts(graph)]
    mode = "directed" if graph.directed else "undirected"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n',
        f"<meta><description>{_xml.escape(graph.name)}</description></meta>\n" if graph.name else "",
        f'<graph defaultedgetype="{mode}" mode="static">\n',
    ]
    for scope, found in kinds.items():
        declared = (f'<attribute id="{scope}_{kind}" title="label" type="{_TYPES[kind]}"/>' for kind in found)
        lines.append(f'<attributes class="{scope}" mode="static">{"".join(declared)}</attributes>\n')
    lines.append("<nodes>\n")
    for name, label in zip(names, graph.node_labels, strict=True):
        shown = name if label is None else _xml.escape(_xml.text_of(label))
        lines.append(f'  <node id="{name}" label="{shown}">{_value("node", label)}</node>\n')
    lines.append("</nodes>\n<edges>\n")
    for i, ((u, v), label) in enumerate(zip(graph.edge_index, graph.edge_labels, strict=True)):
        value = _value("edge", label)
        lines.append(f'  <edge id="{i}" source="{names[u]}" target="{names[v]}">{value}</edge>\n')
    lines.append("</edges>\n</graph>\n</gexf>\n")
    return "".join(lines)


def _record(root: Element, graph: Element) -> Record:
    if graph.get("mode") == "dynamic":
        raise FormatError("is a dynamic graph: graphs that change over time cannot be compared")
    declared = {
        scope: _declared(element for element in _xml.children(graph, "attributes") if element.get("class") == scope)
        for scope in ("node", "edge")
    }
    defaults = {scope: _defaults(those) for scope, those in declared.items()}
    described = [text for meta in _xml.children(root, "meta") for text in _xml.children(meta, "description")]
    record = Record(directed=graph.get("defaultedgetype") == "directed")
    record.name = graph.get("name") or (described[0].text or "" if described else "")
    for nodes in _xml.children(graph, "nodes"):
        record.nodes += [_node(node, declared["node"], defaults["node"]) for node in _xml.children(nodes, "node")]
    for edges in _xml.children(graph, "edges"):
        record.edges += [
            _edge(edge, declared["edge"], defaults["edge"], record.directed) for edge in _xml.children(edges, "edge")
        ]
    return record


def _declared(groups: Any) -> _Declared:
    declared: _Declared = {}
    for group in groups:
        for attribute in _xml.children(group, "attribute"):
            default = next(_xml.children(attribute, "default"), None)
            declared[_xml.required(attribute, "id")] = (
                _xml.required(attribute, "title"),
                _KINDS.get(attribute.get("type", "string"), "str"),
                None if default is None else default.text or "",
            )
    return declared


def _node(element: Element, declared: _Declared, defaults: dict[str, Any]) -> tuple[str, MutableMapping[str, Any]]:
    name = _xml.required(element, "id")
    if _xml.has_child(element, "nodes", "edges"):
        raise FormatError(f"node {quoted(name)} holds nodes: nested graphs cannot be compared")
    attributes = _attributes(element, declared, defaults, f"node {quoted(name)}")
    if element.get("label") not in (None, name):
        attributes.setdefault("label", element.get("label"))
    return name, attributes


def _edge(
    element: Element, declared: _Declared, defaults: dict[str, Any], directed: bool
) -> tuple[str, str, MutableMapping[str, Any]]:
    u, v = _xml.required(element, "source"), _xml.required(element, "target")
    where = f"edge ({quoted(u)}, {quoted(v)})"
    mode = "directed" if directed else "undirected"
    if element.get("type", mode) != mode:
        raise FormatError(
            f"{where} is {shortened(element.get('type', ''))} in a graph that is {mode}: mixed graphs are refused"
        )
    attributes = _attributes(element, declared, defaults, where)
    for plain in ("label", "weight"):
        if element.get(plain) is not None:
            attributes.setdefault(plain, element.get(plain))
    return u, v, attributes


def _defaults(declared: _Declared) -> dict[str, Any]:
    return {
        title: _xml.value_of(default, kind, f"default of {quoted(title)}")
        for title, kind, default in declared.values()
        if default is not None
    }


def _attributes(
    element: Element, declared: _Declared, defaults: dict[str, Any], where: str
) -> MutableMapping[str, Any]:
    attributes = _xml.with_defaults(defaults)
    for values in _xml.children(element, "attvalues"):
        for value in _xml.children(values, "attvalue"):
            key = value.get("for", value.get("id", ""))
            if key not in declared:
                raise FormatError(f"{where} has a value for the attribute {quoted(key)}, which is not declared")
            title, kind, _ = declared[key]
            attributes[title] = _xml.value_of(_xml.required(value, "value"), kind, f"{quoted(title)} of {where}")
    return attributes


def _kinds(scope: str, things: Sequence[object], labels: Sequence[Label]) -> list[str]:
    found = {kind_of(label, f"{scope} {quoted(thing)}", "GEXF") for thing, label in zip(things, labels, strict=True)}
    return sorted(found - {"none"})


def _value(scope: str, label: Label) -> str:
    kind = kind_of(label, scope, "GEXF")
    if kind == "none":
        return ""
    text = _xml.escape(_xml.text_of(label))
    return f'<attvalues><attvalue for="{scope}_{kind}" value="{text}"/></attvalues>'
