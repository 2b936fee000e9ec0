"""The Hausdorff edit distance, registered as ``"hed"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("hed", Guarantee.LOWER, "Hausdorff edit distance: every node finds its nearest", native=True)
def hed(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """A quick lower bound: every node and edge pays half of what its nearest in the other graph costs."""
    return _kernels.solve(source, target, costs, _kernels.Request("hed", time_limit, cutoff))
