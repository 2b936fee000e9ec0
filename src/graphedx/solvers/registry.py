"""The one list of methods: a name, what it guarantees, and the function that solves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from inspect import signature
from numbers import Integral
from typing import cast

from graphedx import _kernels
from graphedx.errors import MethodError
from graphedx.result import GedResult


class Guarantee(Enum):
    """What a method proves when it is given the time it wants."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"
    BOTH = "lower and upper"
    ESTIMATE = "estimate"  # nothing of the guess itself, only the interval that comes with it


Solver = Callable[..., GedResult]
"""``(source, target, *, costs, time_limit, cutoff)``; further keywords, all with defaults, are the method's options."""


@dataclass(frozen=True, slots=True)
class Method:
    """A registered solver and the defaults of its options.

    A native method can be asked for many pairs at once; ``effort`` names the option that the core knows by that word.
    """

    name: str
    guarantee: Guarantee
    summary: str
    solve: Solver
    options: Mapping[str, bool | int]
    native: bool
    effort: str | None

    def checked(self, options: Mapping[str, object]) -> dict[str, bool | int]:
        """Every option's value; unknown options and values of the wrong kind are refused."""
        for name, value in options.items():
            if name not in self.options:
                has = f"its options: {', '.join(self.options)}" if self.options else "it has none"
                raise MethodError(f"method {self.name!r} has no option {name!r}; {has}")
            if isinstance(self.options[name], bool):
                if not isinstance(value, bool):
                    raise MethodError(f"{name} must be True or False, got {value!r}")
            elif isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) <= _MOST:
                raise MethodError(f"{name} must be a whole number between 1 and {_MOST}, got {value!r}")
        given = {name: value if isinstance(value, bool) else int(cast(int, value)) for name, value in options.items()}
        return {**self.options, **given}

    def request(
        self, options: Mapping[str, bool | int], time_limit: float | None, cutoff: float | None
    ) -> _kernels.Request:
        """The same question for the native core, with checked options."""
        effort = 1 if self.effort is None else options[self.effort]
        return _kernels.Request(self.name, time_limit, cutoff, effort)


_COMMON = ("costs", "time_limit", "cutoff")
_MOST = 10**9
_METHODS: dict[str, Method] = {}


def register(
    name: str, guarantee: Guarantee, summary: str, *, native: bool = False, effort: str | None = None
) -> Callable[[Solver], Solver]:
    """Decorator that makes a solver known under its name; its further keywords become the method's options."""

    def add(solve: Solver) -> Solver:
        if name in _METHODS:
            raise MethodError(f"method {name!r} is registered twice")
        parameters = signature(solve).parameters.values()
        options = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in _COMMON}
        _METHODS[name] = Method(name, guarantee, summary, solve, options, native, effort)
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
