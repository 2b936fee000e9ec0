"""Edge lists and networkx graphs, there and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from graphedx.convert.labels import LabelRule, label_reader, label_writer
from graphedx.errors import GraphError, MissingExtraError
from graphedx.graph import EdgeLabels, Graph, Name, NodeLabels

if TYPE_CHECKING:
    import networkx as nx


def from_edges(
    edges: Iterable[tuple[Name, Name]],
    *,
    nodes: int | Iterable[Name] | None = None,
    node_labels: NodeLabels = None,
    edge_labels: EdgeLabels = None,
    directed: bool = False,
    name: str = "",
) -> Graph:
    """The graph of an edge list: first the given ``nodes``, in their order, then the others as they appear.

    >>> from_edges([("b", "a"), ("a", "c")], nodes=["lonely"]).nodes
    ('lonely', 'b', 'a', 'c')
    """
    try:
        pairs = list(edges)
    except TypeError:
        raise GraphError(f"edges must be pairs of node names, got {type(edges).__name__}") from None
    names = list(Graph(0 if nodes is None else nodes).nodes)
    try:
        known = set(names)
        for pair in pairs:
            for node in pair:
                if node not in known:
                    known.add(node)
                    names.append(node)
    except TypeError:
        pass  # not a pair, or not hashable: Graph says so in better words
    return Graph(names, pairs, node_labels=node_labels, edge_labels=edge_labels, directed=directed, name=name)


def from_networkx(
    graph: nx.Graph[Any],
    *,
    node_label: LabelRule = "label",
    edge_label: LabelRule = "label",
    name: str | None = None,
) -> Graph:
    """The Graph of a networkx graph or digraph, with the same node names in the same order.

    ``node_label`` and ``edge_label`` are an attribute's name, several names (tuple label), a callable on the attribute
    dictionary, or ``None`` for structure only; a missing attribute gives the label ``None``. Multigraphs are fine as
    long as no two edges are parallel; self-loops are not.
    """
    if not all(hasattr(graph, attribute) for attribute in ("is_directed", "nodes", "edges", "graph")):
        raise GraphError(f"from_networkx needs a networkx Graph or DiGraph, got {type(graph).__name__}")
    node_reader, edge_reader = label_reader(node_label), label_reader(edge_label, "edge_label")
    edges = list(graph.edges(data=True))
    return Graph(
        graph.nodes,
        [(u, v) for u, v, _ in edges],
        node_labels=[node_reader(attributes) for _, attributes in graph.nodes(data=True)],
        edge_labels=[edge_reader(attributes) for _, _, attributes in edges],
        directed=graph.is_directed(),
        name=str(graph.graph.get("name", "")) if name is None else name,
    )


def to_networkx(graph: Graph, *, node_label: LabelRule = "label", edge_label: LabelRule = "label") -> nx.Graph[Any]:
    """A networkx Graph or DiGraph; labels go into the named attributes, and a label ``None`` is left out."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingExtraError("networkx", "all") from None
    node_writer, edge_writer = label_writer(node_label), label_writer(edge_label, "edge_label")
    result = nx.DiGraph() if graph.directed else nx.Graph()
    if graph.name:
        result.graph["name"] = graph.name
    labelled = zip(graph.nodes, graph.node_labels, strict=True)
    result.add_nodes_from((node, node_writer(label)) for node, label in labelled)
    labelled_edges = zip(graph.edges, graph.edge_labels, strict=True)
    result.add_edges_from((u, v, edge_writer(label)) for (u, v), label in labelled_edges)
    return result
