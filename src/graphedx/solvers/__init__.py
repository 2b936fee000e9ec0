"""Solvers: importing this package registers every method."""

from graphedx.solvers import auto, exact, milp
from graphedx.solvers.registry import Guarantee, Method, get, methods

__all__ = ["Guarantee", "Method", "auto", "exact", "get", "methods", "milp"]
