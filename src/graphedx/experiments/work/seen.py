"""Graphs as the paper compares them; without torch, which methods do not need."""

from __future__ import annotations

from collections.abc import Sequence

from graphedx.costs import EditCosts
from graphedx.graph import Graph


def seen(graphs: Sequence[Graph], costs: EditCosts) -> list[Graph]:
    """Structure only, unless relabelling costs something."""
    return list(graphs) if costs.node_sub or costs.edge_sub else [graph.unlabelled() for graph in graphs]
