"""Multi-start local search, registered as ``"refine"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("refine", Guarantee.BOTH, "local search from assignments and shaken mappings", native=True, effort="starts")
def refine(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
    starts: int = 300,
) -> GedResult:
    """Upper bound by local search from ``starts`` mappings, and the lower bound met on the way."""
    return _kernels.solve(source, target, costs, _kernels.Request("refine", time_limit, cutoff, starts))
