"""Integer projected fixed point, registered as ``"ipfp"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register(
    "ipfp",
    Guarantee.UPPER,
    "Frank-Wolfe steps on the relaxed problem, from several starts",
    native=True,
    effort="starts",
)
def ipfp(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
    starts: int = 10,
) -> GedResult:
    """Upper bound by Frank-Wolfe steps on the relaxed quadratic problem, from ``starts`` starts."""
    return _kernels.solve(source, target, costs, _kernels.Request("ipfp", time_limit, cutoff, starts))
