"""JSON: networkx's node-link form, or ``{"n", "labels", "graph"}`` as GED benchmarks have it; one graph or many."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from graphedx._quoting import quoted
from graphedx.convert.labels import LabelRule
from graphedx.errors import FormatError
from graphedx.graph import Graph, Label
from graphedx.io import _load
from graphedx.io._budget import MAX_NODES, NodeBudget
from graphedx.io._records import Record, build, cannot_hold

_SCALARS = (str, int, float, bool, type(None))


def parse(content: bytes, *, node_label: LabelRule = "label", edge_label: LabelRule = "label") -> list[Graph]:
    """The graph of a JSON object, or the graphs of a JSON list."""
    text = _load.decode(content)
    _load.require_short_numbers(text)
    document = _loads(text, "is not JSON")
    items = document if isinstance(document, list) else [document]
    budget = NodeBudget(len(content))
    records = [
        _record(item, f"graph {i}: " if isinstance(document, list) else "", budget) for i, item in enumerate(items)
    ]
    return [build(record, node_label, edge_label) for record in records]


def parse_lines(content: bytes, *, node_label: LabelRule = "label", edge_label: LabelRule = "label") -> list[Graph]:
    """One graph a line; empty lines are skipped."""
    graphs = []
    if not content.strip():
        raise FormatError("is not JSON: the file is empty")
    text = _load.decode(content)
    _load.require_short_numbers(text)
    budget = NodeBudget(len(content))
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            document = _loads(line, f"line {number} is not JSON")
            graphs.append(build(_record(document, f"line {number}: ", budget), node_label, edge_label))
    return graphs


def from_document(document: Any, budget: NodeBudget) -> Graph:
    """Build the graph of one JSON object; its nodes count against the budget of its file."""
    return build(_record(document, "", budget), "label", "label")


def serialize(graphs: Sequence[Graph]) -> str:
    """An object for one graph, a list for several; names and labels keep their types, tuples become lists."""
    documents = [_document(graph) for graph in graphs]
    return json.dumps(documents[0] if len(documents) == 1 else documents, indent=1) + "\n"


def serialize_lines(graphs: Sequence[Graph]) -> str:
    """One graph a line."""
    return "".join(json.dumps(_document(graph)) + "\n" for graph in graphs)


def _loads(text: str, complaint: str) -> Any:
    if not text.strip():
        raise FormatError(f"{complaint}: the file is empty")
    try:
        return json.loads(text)
    except ValueError as error:  # a number of too many digits is no JSONDecodeError
        raise FormatError(f"{complaint}: {error}") from None


def _record(item: Any, where: str, budget: NodeBudget) -> Record:
    if not isinstance(item, dict):
        raise FormatError(f"{where}a graph is a JSON object, got {_kind(item)}")
    if "nodes" in item:
        return _node_link(item, where)
    if "n" in item:
        return _counted(item, where, budget)
    raise FormatError(
        f'{where}a graph has "nodes" and "edges" (node-link), or "n" and "graph"; got {str(sorted(item))[:80]}'
    )


def _node_link(item: dict[str, Any], where: str) -> Record:
    graph = item.get("graph", {})
    record = Record(directed=_directed(item, where), text_names=False)
    record.name = str(graph.get("name", "")) if isinstance(graph, dict) else ""
    for i, node in enumerate(_list(item["nodes"], f'{where}"nodes"')):
        if not isinstance(node, dict) or "id" not in node:
            raise FormatError(f'{where}node {i} must be an object with an "id"')
        record.nodes.append((_frozen(node["id"]), _attributes(node)))
    key = "edges" if "edges" in item else "links"
    for i, edge in enumerate(_list(item.get(key, []), f'{where}"{key}"')):
        if not isinstance(edge, dict) or "source" not in edge or "target" not in edge:
            raise FormatError(f'{where}edge {i} must be an object with "source" and "target"')
        record.edges.append((_frozen(edge["source"]), _frozen(edge["target"]), _attributes(edge)))
    return record


def _counted(item: dict[str, Any], where: str, budget: NodeBudget) -> Record:
    """``{"n": 3, "m": 2, "labels": ["C", "C", "O"], "graph": [[0, 1], [1, 2]]}``; labels may be null."""
    count = item["n"]
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MAX_NODES:
        raise FormatError(f'{where}"n" must be a whole number from 0 to {MAX_NODES}, got {quoted(count)}')
    try:
        budget.take(count)
    except FormatError as error:
        raise FormatError(f"{where}{error}") from None
    labels = item.get("labels")
    if labels is not None and len(_list(labels, f'{where}"labels"')) != count:
        raise FormatError(f'{where}"labels" must be null or one a node, got {len(labels)} for {count} nodes')
    record = Record(directed=_directed(item, where), name=str(item.get("name", "")), text_names=False)
    record.nodes = [(i, {} if labels is None else {"label": _frozen(labels[i])}) for i in range(count)]
    key = "graph" if "graph" in item else "edges"
    for i, edge in enumerate(_list(item.get(key), f'{where}"{key}"')):
        if not isinstance(edge, list) or len(edge) != 2:
            raise FormatError(f"{where}edge {i} must be a pair of node numbers, got {json.dumps(edge)[:60]}")
        record.edges.append((_frozen(edge[0]), _frozen(edge[1]), {}))
    if "m" in item and item["m"] != len(record.edges):
        raise FormatError(f'{where}"m" promises {quoted(item["m"])} edges but there are {len(record.edges)}')
    return record


def _directed(item: dict[str, Any], where: str) -> bool:
    directed = item.get("directed", False)
    if not isinstance(directed, bool):
        raise FormatError(f'{where}"directed" must be true or false, got {json.dumps(directed)[:60]}')
    return directed


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{where} must be a list, got {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    return {dict: "an object", str: "a string", type(None): "null", list: "a list"}.get(type(value), repr(value))


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value


def _attributes(thing: dict[str, Any]) -> dict[str, Any]:
    return {key: _frozen(value) for key, value in thing.items()}


def _document(graph: Graph) -> dict[str, Any]:
    nodes = zip(graph.nodes, graph.node_labels, strict=True)
    edges = zip(graph.edges, graph.edge_labels, strict=True)
    return {
        "directed": graph.directed,
        "multigraph": False,
        "graph": {"name": graph.name} if graph.name else {},
        "nodes": [
            _labelled({"id": _plain(name, f"node {quoted(name)}")}, label, f"node {quoted(name)}")
            for name, label in nodes
        ],
        "edges": [
            _labelled(
                {"source": _plain(u, f"node {quoted(u)}"), "target": _plain(v, f"node {quoted(v)}")},
                label,
                f"edge {quoted((u, v))}",
            )
            for (u, v), label in edges
        ],
    }


def _labelled(thing: dict[str, Any], label: Label, where: str) -> dict[str, Any]:
    return thing if label is None else {**thing, "label": _plain(label, where)}


def _plain(value: Label, where: str) -> Any:
    if isinstance(value, tuple):
        return [_plain(part, where) for part in value]
    if not isinstance(value, _SCALARS):
        raise cannot_hold(value, where, "JSON")
    return value
