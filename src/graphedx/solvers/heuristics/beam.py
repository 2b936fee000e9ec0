"""Beam search, registered as ``"beam"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register(
    "beam",
    Guarantee.BOTH,
    "a tree of partial mappings with assignment bounds, so wide and no wider",
    native=True,
    effort="expansions",
)
def beam(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
    expansions: int = 3000,
) -> GedResult:
    """Upper and lower bound by ``expansions`` nodes of the anchor-aware tree; proven if that was all of it."""
    return _kernels.solve(source, target, costs, _kernels.Request("beam", time_limit, cutoff, expansions))
