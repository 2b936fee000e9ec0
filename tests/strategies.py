"""Hypothesis strategies: graphs, pairs of graphs and edit costs, with everything that the library claims to take."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import strategies as st

from graphedx import EditCosts, Graph

NODE_LABELS = ("C", "N", None)
EDGE_LABELS = (1, 2, None)

WHOLE = st.integers(0, 4)
REALS = st.floats(0, 3, allow_subnormal=False).map(lambda x: round(x, 9))
DECIMALS = st.sampled_from([0.1, 0.2, 0.3, 0.825, 5.5, 1 / 3])
HUGE_RATIOS = st.sampled_from([0, 1e-6, 1, 1e6])
KINDS_OF_NUMBERS = st.sampled_from([WHOLE, REALS, DECIMALS, HUGE_RATIOS])


@st.composite
def graphs(draw: st.DrawFn, most: int = 5, directed: bool | None = None, named: bool = False) -> Graph:
    """A simple graph of 0 to ``most`` nodes; disconnected as often as not. Names are 0, 1, ... unless ``named``."""
    n = draw(st.integers(0, most))
    names: Any = draw(st.permutations("abcdefgh"[:n])) if named else range(n)
    directed = draw(st.booleans()) if directed is None else directed
    pairs = [(u, v) for i, u in enumerate(names) for j, v in enumerate(names) if (i != j if directed else i < j)]
    # One bit a possible edge: every graph is as likely as every other, and shrinking removes edges.
    chosen = draw(st.integers(0, 2 ** len(pairs) - 1))
    edges = [pair for bit, pair in enumerate(pairs) if chosen >> bit & 1]
    kinds = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    return Graph(
        names,
        edges,
        node_labels=[draw(st.sampled_from(NODE_LABELS[: kinds[0]])) for _ in names],
        edge_labels=[draw(st.sampled_from(EDGE_LABELS[: kinds[1]])) for _ in edges],
        directed=directed,
    )


@st.composite
def pairs_of_graphs(draw: st.DrawFn, most: int = 4, directed: bool | None = None) -> tuple[Graph, Graph]:
    """Two graphs, both directed or both not."""
    directed = draw(st.booleans()) if directed is None else directed
    return draw(graphs(most=most, directed=directed)), draw(graphs(most=most, directed=directed))


@st.composite
def number_costs(draw: st.DrawFn, numbers: Any = None) -> EditCosts:
    """Six numbers of one kind: whole, real, decimal, or of hugely different size."""
    kind = draw(KINDS_OF_NUMBERS) if numbers is None else numbers
    return EditCosts(*(draw(kind) for _ in range(6)))


@st.composite
def label_costs(draw: st.DrawFn) -> EditCosts:
    """Costs by label: tables, tables with a default, and callables, mixed with numbers."""
    kind = draw(KINDS_OF_NUMBERS)
    node, edge = (draw(_costs_of(labels, kind)) for labels in (NODE_LABELS, EDGE_LABELS))
    return EditCosts(node[0], node[1], edge[0], edge[1], node[2], edge[2])


@st.composite
def _costs_of(draw: st.DrawFn, labels: tuple[Any, ...], kind: Any) -> tuple[Any, Any, Any]:
    """Deletion, insertion and substitution costs over these labels."""
    single = st.one_of(kind, st.fixed_dictionaries(dict.fromkeys(labels, kind)), _default_table(labels, kind))
    pairs = [(a, b) for a in labels for b in labels]
    table = st.fixed_dictionaries(dict.fromkeys(pairs, kind))
    double = st.one_of(kind, table, table.map(lambda costs: lambda a, b: costs[a, b]))
    return draw(single), draw(single), draw(double)


@st.composite
def _default_table(draw: st.DrawFn, labels: tuple[Any, ...], kind: Any) -> defaultdict[Any, float]:
    default = draw(kind)
    return defaultdict(lambda: default, {labels[0]: draw(kind)})


def costs() -> st.SearchStrategy[EditCosts]:
    """Any costs."""
    return number_costs() | number_costs() | label_costs()


@st.composite
def metric_costs(draw: st.DrawFn) -> EditCosts:
    """Costs under which the distance is a metric: the same both ways, and no substitution dearer than a detour."""
    node, edge = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return EditCosts(node, node, edge, edge, draw(st.integers(1, 2 * node)), draw(st.integers(1, 2 * edge)))


@st.composite
def shuffled(draw: st.DrawFn, graph: Graph) -> Graph:
    """The same graph with its nodes renamed and reordered, its edges reordered and, if undirected, turned around."""
    new_name = dict(zip(graph.nodes, draw(st.permutations([f"v{i}" for i in range(len(graph))])), strict=True))
    node_order = draw(st.permutations(range(len(graph))))
    edge_order = draw(st.permutations(range(graph.num_edges)))
    edges = [tuple(new_name[end] for end in graph.edges[e]) for e in edge_order]
    if not graph.directed:
        edges = [(v, u) if draw(st.booleans()) else (u, v) for u, v in edges]
    return Graph(
        [new_name[graph.nodes[i]] for i in node_order],
        edges,
        node_labels=[graph.node_labels[i] for i in node_order],
        edge_labels=[graph.edge_labels[e] for e in edge_order],
        directed=graph.directed,
    )
