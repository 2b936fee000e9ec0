"""The anchor-aware tree search, registered as ``"anchor_aware"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register(
    "anchor_aware", Guarantee.EXACT, "A* with the anchor-aware bound, depth first when memory is full", native=True
)
def anchor_aware(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """The distance by best-first search over partial mappings, or proven bounds when the time limit strikes."""
    return _kernels.solve(source, target, costs, _kernels.Request("anchor_aware", time_limit, cutoff))
