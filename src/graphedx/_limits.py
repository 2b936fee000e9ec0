"""The limits a caller may set on a search."""

from __future__ import annotations

from numbers import Real

from graphedx._quoting import quoted
from graphedx.errors import MethodError


def as_limit(name: str, value: object) -> float | None:
    """The limit as a float, numpy's numbers too; what is neither a number >= 0 nor ``None`` is refused."""
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else -1.0
    except OverflowError:
        raise MethodError(f"{name} must be a number >= 0 or None, got a whole number beyond all floats") from None
    if not number >= 0:  # NaN too
        raise MethodError(f"{name} must be a number >= 0 or None, got {quoted(value)}")
    return number
