"""``"auto"``: the portfolio that answers best in the time there is."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("auto", Guarantee.EXACT, "the best certified answer in the time given, a minute if none is", native=True)
def auto(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """The distance, or proven bounds when the time limit strikes."""
    return _kernels.solve(source, target, costs, _kernels.Request("auto", time_limit, cutoff))
