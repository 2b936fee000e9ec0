"""The one list of methods: a name, what it guarantees, and the function that solves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from graphedx.costs import EditCosts
from graphedx.errors import MethodError
from graphedx.graph import Graph
from graphedx.result import GedResult


class Guarantee(Enum):
    """What a method proves when it is given the time it wants."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"
    BOTH = "lower and upper"


class Solver(Protocol):
    """Two graphs and costs in, proven bounds out."""

    def __call__(
        self, source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None, cutoff: float | None
    ) -> GedResult: ...


@dataclass(frozen=True, slots=True)
class Method:
    """A registered solver."""

    name: str
    guarantee: Guarantee
    summary: str
    solve: Solver


_METHODS: dict[str, Method] = {}


def register(name: str, guarantee: Guarantee, summary: str) -> Callable[[Solver], Solver]:
    """Decorator that makes a solver known under its name."""

    def add(solve: Solver) -> Solver:
        if name in _METHODS:
            raise MethodError(f"method {name!r} is registered twice")
        _METHODS[name] = Method(name, guarantee, summary, solve)
        return solve

    return add


def get(name: str) -> Method:
    """The method of that name; an unknown one is an error that lists the known ones."""
    try:
        return _METHODS[name]
    except (KeyError, TypeError):  # not there, or not even hashable
        raise MethodError(f"unknown method {name!r}; known: {', '.join(sorted(_METHODS))}") from None


def methods() -> dict[str, Guarantee]:
    """Every method's name and guarantee."""
    return {name: method.guarantee for name, method in _METHODS.items()}
