"""Solvers: importing this package registers every method."""

from graphedx.solvers import auto, bounds, exact, heuristics, milp
from graphedx.solvers.registry import Guarantee, Method, get, methods

__all__ = ["Guarantee", "Method", "auto", "bounds", "exact", "get", "heuristics", "methods", "milp"]
