"""The tightened branch bound, registered as ``"branch_tight"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register(
    "branch_tight",
    Guarantee.BOTH,
    "branch, and rounds that move edge costs to where there is room",
    native=True,
    effort="rounds",
)
def branch_tight(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
    rounds: int = 200,
) -> GedResult:
    """Lower and upper bound: ``branch``, and then ``rounds`` of dual ascent at most, as long as they gain something."""
    return _kernels.solve(source, target, costs, _kernels.Request("branch_tight", time_limit, cutoff, rounds))
