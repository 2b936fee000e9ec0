"""A fingerprint of what is computed: equal inputs have the same in every run, on every machine."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from graphedx.costs import Cost, EditCosts
from graphedx.graph import Graph, Label, same_label


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
    for one, other, substitution, labels in (
        (costs.node_del, costs.node_ins, costs.node_sub, nodes),
        (costs.edge_del, costs.edge_ins, costs.edge_sub, edges),
    ):
        yield [_value(one, label) for label in labels]
        yield [_value(other, label) for label in labels]
        for a in labels:
            yield [0.0 if same_label(a, b) else _value(substitution, a, b) for b in labels]


def _value(cost: Cost, *labels: Any) -> float:
    """The cost, or NaN where there is none: labels that never meet need no cost, and those that do will complain."""
    if isinstance(cost, float):
        return cost
    try:
        if isinstance(cost, Mapping):
            return float(cost[labels if len(labels) > 1 else labels[0]])
        return float(cost(*labels))
    except Exception:
        return float("nan")
