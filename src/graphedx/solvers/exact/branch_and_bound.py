"""The native branch and bound, registered as ``"exact"``."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.registry import Guarantee, register


@register("exact", Guarantee.EXACT, "branch and bound with dual ascent, in the native core", native=True)
def exact(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """The distance, or proven bounds when the time limit strikes.

    With a ``cutoff`` the distance is proven if it is at most the cutoff; otherwise only that it is above.
    """
    return _kernels.solve(source, target, costs, _kernels.Request("exact", time_limit, cutoff))
