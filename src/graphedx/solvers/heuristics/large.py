"""Bounds and a mapping for graphs of thousands of nodes, registered as ``"large"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("large", Guarantee.BOTH, "candidate lists and grown mappings, for thousands of nodes", native=True)
def large(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """Lower and upper bound without a table of all node pairs; stops when neither gets any better."""
    return _kernels.solve(source, target, costs, _kernels.Request("large", time_limit, cutoff))
