"""The branch bound, registered as ``"branch"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("branch", Guarantee.BOTH, "one assignment of nodes with half of their edges", native=True)
def branch(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """Lower and upper bound by one assignment of nodes, each with half of the edges at it."""
    return _kernels.solve(source, target, costs, _kernels.Request("branch", time_limit, cutoff))
