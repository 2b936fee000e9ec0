"""GML, as networkx, igraph and yEd write it; one graph a file.

In GML the key ``label`` names a node (networkx reads and writes it so, and no two nodes may share it). The label that
matters for the distance is therefore written under the key ``node_label`` and read from there. For files whose
``label`` is the node's label, read with ``node_label="label"``; nodes are then named by ``id``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from graphedx._quoting import quoted, shortened
from graphedx.convert.labels import LabelRule, rule_names
from graphedx.errors import FormatError
from graphedx.graph import Graph, Label
from graphedx.io._load import decode, require_short_numbers
from graphedx.io._records import Record, build, cannot_hold, kind_of, name_texts

_NOT_TEXT = ("()", "[]")  # networkx reads these two strings as empty containers


def parse(content: bytes, *, node_label: LabelRule = "node_label", edge_label: LabelRule = "label") -> list[Graph]:
    """The graph of a GML file."""
    import networkx as nx

    text = decode(content)
    if not text.strip():
        raise FormatError("is not GML: the file is empty")
    require_short_numbers(text)
    try:
        graph = nx.parse_gml(text, label="id")
    except RecursionError:
        raise
    except Exception as error:  # the parser raises whatever it stumbles over
        raise FormatError(f"is not GML: {shortened(str(error), 120) or type(error).__name__}") from None
    wants_label = (
        node_label is not None and not callable(node_label) and "label" in rule_names(node_label, "node_label")
    )
    record = Record(directed=graph.is_directed(), name=str(graph.graph.get("name", graph.graph.get("label", ""))))
    name = {} if wants_label else _names(graph)
    record.nodes = [(name.get(node, node), _hashable(attributes)) for node, attributes in graph.nodes(data=True)]
    record.edges = [(name.get(u, u), name.get(v, v), _hashable(data)) for u, v, data in graph.edges(data=True)]
    return [build(record, node_label, edge_label)]


def serialize(graphs: Sequence[Graph]) -> str:
    """A GML file that networkx can read; a label ``None`` is left out, names become text."""
    [graph] = graphs
    lines = ["graph ["]
    if graph.directed:
        lines.append("  directed 1")
    if graph.name:
        lines.append(f'  name "{_escape(graph.name)}"')
    names = name_texts(graph)
    for i, (name, node, label) in enumerate(zip(names, graph.nodes, graph.node_labels, strict=True)):
        if name in _NOT_TEXT:
            raise FormatError(f"GML cannot hold the node name {quoted(node)}; rename it first")
        lines += ["  node [", f"    id {i}", f'    label "{_escape(name)}"']
        lines += [*_entry("node_label", label, f"node {quoted(node)}"), "  ]"]
    for (u, v), edge, label in zip(graph.edge_index, graph.edges, graph.edge_labels, strict=True):
        lines += [
            "  edge [",
            f"    source {u}",
            f"    target {v}",
            *_entry("label", label, f"edge {quoted(edge)}"),
            "  ]",
        ]
    return "\n".join([*lines, "]", ""])


def _names(graph: Any) -> dict[Any, Any]:
    """Node id -> name: the key ``label`` where every node has one."""
    names = {node: attributes.get("label") for node, attributes in graph.nodes(data=True)}
    if any(name is None for name in names.values()):
        return {}
    owner: dict[Any, Any] = {}
    for node, name in names.items():
        key = repr(name)
        if key in owner:
            raise FormatError(
                f"nodes {quoted(owner[key])} and {quoted(node)} share the GML label {quoted(name)}, which names nodes; "
                'to compare by it read with node_label="label"'
            )
        owner[key] = node
    return {node: str(name) for node, name in names.items()}


def _hashable(attributes: dict[str, Any]) -> dict[str, Any]:
    """A key given several times is a list to networkx; as a label it is a tuple."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in attributes.items()}


def _entry(key: str, label: Label, where: str) -> list[str]:
    kind = kind_of(label, where, "GML", integer_bits=32)
    if kind == "none":
        return []
    if kind == "bool" or label in _NOT_TEXT:
        raise cannot_hold(label, where, "GML")
    value = f'"{_escape(str(label))}"' if kind == "str" else _real(label) if isinstance(label, float) else str(label)
    return [f"    {key} {value}"]


def _real(number: float) -> str:
    """A GML real has a decimal point, and infinity a sign."""
    text = repr(float(number)).upper()
    if text == "INF":
        return "+INF"
    mantissa, exponent, power = text.partition("E")
    return text if "." in mantissa or "INF" in text else f"{mantissa}.0{exponent}{power}"


def _escape(text: str) -> str:
    return re.sub('[^ -~]|[&"]', lambda match: f"&#{ord(match.group())};", text)
