"""Solvers: importing this package registers every method."""

from graphedx.solvers import auto as _auto
from graphedx.solvers import exact as _exact
from graphedx.solvers.registry import Guarantee, Method, get, methods

__all__ = ["Guarantee", "Method", "get", "methods"]
