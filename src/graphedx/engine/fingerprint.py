"""A fingerprint of what is computed: equal inputs have the same in every run, on every machine."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple

import numpy as np

from graphedx.costs import EditCosts, label_cost, substitution_cost
from graphedx.errors import CostError
from graphedx.graph import Graph, Label


def fingerprint(
    rows: Sequence[Graph], columns: Sequence[Graph] | None, costs: EditCosts, question: Sequence[object]
) -> str:
    """SHA-256 over the graphs, what their labels cost, and the question: the method, its options and the limits.

    Labels count by which are equal and what they cost, not by how they are written: a callable cost has no name that
    outlives the process, but its values do.
    """
    graphs = [*rows, *(columns or ())]
    nodes = _numbered(graph.node_classes[0] for graph in graphs)
    edges = _numbered(graph.edge_classes[0] for graph in graphs)
    digest = hashlib.sha256()
    head = [len(rows), None if columns is None else len(columns), *question]
    digest.update(json.dumps(head).encode())
    for graph in graphs:
        digest.update(struct.pack("<qq?", graph.num_nodes, graph.num_edges, graph.directed))
        digest.update(np.array(graph.edge_index, dtype="<i4").tobytes())
        digest.update(np.array([nodes[label] for label in graph.node_labels], dtype="<i4").tobytes())
        digest.update(np.array([edges[label] for label in graph.edge_labels], dtype="<i4").tobytes())
    if costs.all_numbers:
        digest.update(struct.pack("<6d", *astuple(costs)))
    else:
        for values in _cost_values(costs, tuple(nodes), tuple(edges)):
            digest.update(np.array(values, dtype="<f8").tobytes())
    return digest.hexdigest()


def _numbered(vocabularies: Iterable[Sequence[Label]]) -> dict[Label, int]:
    number: dict[Label, int] = {}
    for labels in vocabularies:
        for label in labels:
            number.setdefault(label, len(number))
    return number


def _cost_values(costs: EditCosts, nodes: Sequence[Label], edges: Sequence[Label]) -> Iterable[list[float]]:
    """Row by row, since a vocabulary may be too large for a whole table."""
    for kind, labels in (("node", nodes), ("edge", edges)):
        for name in (f"{kind}_del", f"{kind}_ins"):
            yield [_value(label_cost, name, getattr(costs, name), label) for label in labels]
        name = f"{kind}_sub"
        for a in labels:
            yield [_value(substitution_cost, name, getattr(costs, name), a, b) for b in labels]


def _value(evaluate: Callable[..., float], *arguments: object) -> float:
    """The cost, or NaN where there is none: labels that never meet need no cost, and those that do will complain."""
    try:
        return evaluate(*arguments)
    except CostError:
        return float("nan")
