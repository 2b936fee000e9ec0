"""The limits a caller may set on a search."""

from __future__ import annotations

import math

from graphedx.errors import MethodError


def require_limit(name: str, value: float | None) -> None:
    """Refuse a limit that is neither a number >= 0 nor ``None``."""
    if value is not None and not (isinstance(value, int | float) and value >= 0 and not math.isnan(value)):
        raise MethodError(f"{name} must be a number >= 0 or None, got {value!r}")
