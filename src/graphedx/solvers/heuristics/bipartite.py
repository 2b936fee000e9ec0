"""Bipartite matching, registered as ``"bipartite"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("bipartite", Guarantee.UPPER, "one assignment of nodes with all of their edges", native=True)
def bipartite(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """Upper bound by one assignment of nodes with the edges around them (Riesen and Bunke)."""
    return _kernels.solve(source, target, costs, _kernels.Request("bipartite", time_limit, cutoff))
