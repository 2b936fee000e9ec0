"""What the laws share: a cached truth, a tolerance with a reason, and how many examples a method can afford."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import HealthCheck, assume, settings

from graphedx import EditCosts, GedResult, Graph, ged, solvers

# Every example of a parametrised test is run for every method, so the slowest of them sets the number.
FEW = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

# Methods that compute with tolerances of their own may be off by that much and still call it proven; see their docs.
LOOSENESS = {"f2": 1e-6, "fori": 1e-6}


def truth(source: Graph, target: Graph, costs: EditCosts) -> float:
    return ged(source, target, costs=costs, method="brute_force").distance


def close(a: float, b: float, method: str = "exact") -> bool:
    """Equal up to the rounding of a sum of a few dozen costs, or to the method's own tolerance."""
    return math.isclose(a, b, rel_tol=LOOSENESS.get(method, 1e-12), abs_tol=1e-12)


def at_most(a: float, b: float, method: str = "exact") -> bool:
    return a <= b or close(a, b, method)


def solved(method: str, source: Graph, target: Graph, costs: EditCosts, **limits: Any) -> GedResult:
    """What the method says; pairs and costs that a model refuses are another test's."""
    guesses = solvers.methods()[method] is solvers.Guarantee.ESTIMATE
    assume(not guesses or (costs.all_numbers and not source.directed))
    return ged(source, target, costs=costs, method=method, **limits)
