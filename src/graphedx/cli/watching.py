"""Bounds as they tighten, a line each, for whoever waits."""

from __future__ import annotations

import sys
from dataclasses import replace
from time import perf_counter
from typing import Any

from graphedx.api import ged_stream
from graphedx.cli.render import duration
from graphedx.costs import amount
from graphedx.graph import Graph
from graphedx.result import GedResult, StopReason

_BAR = 32


def watched(source: Graph, target: Graph, **question: Any) -> GedResult:
    """``ged``, watched. Ctrl-C stops the search, and the best interval so far is the result."""
    start, last, widest = perf_counter(), None, 0.0
    try:
        for result in ged_stream(source, target, **question):
            before, last = last, result  # before anything that Ctrl-C could come between
            if before is None or (result.lower, result.upper) != (before.lower, before.upper):
                widest = max(widest, result.upper)
                print(_line(result, perf_counter() - start, widest), file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        if last is None:
            raise
        last = replace(last, stopped_by=StopReason.INTERRUPTED)
    assert last is not None
    return last


def _line(result: GedResult, seconds: float, widest: float) -> str:
    """The interval as a bar on the scale from 0 to the first upper bound."""
    left, right = (round(_BAR * bound / widest) if widest else 0 for bound in (result.lower, result.upper))
    bar = " " * left + "#" * max(1, right - left)
    gap = "proven" if result.proven else f"gap {(result.upper - result.lower) / result.upper:.0%}"
    return f"{duration(seconds):>9}  |{bar:<{_BAR + 1}}|  {amount(result.lower)} to {amount(result.upper)}, {gap}"
