"""From two graphs to a result, whatever the formulation: start, programme, HiGHS, certificate; within the time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from graphedx.costs import CostTables, EditCosts
from graphedx.edits import NodeMapping, induced_cost
from graphedx.errors import MethodError
from graphedx.graph import Graph
from graphedx.result import GedResult, StopReason
from graphedx.solvers import registry
from graphedx.solvers.milp import highs
from graphedx.solvers.milp.certificate import certify, common_unit
from graphedx.solvers.milp.programme import Floats, Programme, point

START = "refine"  # the method whose mapping HiGHS starts from
SHARE_OF_START = 0.1  # of the time
MOST_NONZEROS = 20_000_000
# Seconds an entry of the matrix, measured on one busy core and rounded up: to write the programme down, to hand it to
# HiGHS (which does not look at the clock before it has prepared it), and to read the answer.
BUILD, PREPARE, READ = 2e-7, 6e-7, 3e-7
LEAST = 1e-3  # seconds: what even the smallest programme takes
RESERVE = 0.05  # of the time left: HiGHS looks at the clock now and then only

NOTHING = 1e-6  # a fractional x as small as this comes from a tolerance


class Formulation(NamedTuple):
    """A way to write a pair as a programme; ``nonzeros`` is at most how many entries its matrix has."""

    name: str
    formulate: Callable[[Graph, Graph, CostTables], Programme]
    nonzeros: Callable[[Graph, Graph], int]


def solve(
    formulation: Formulation,
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None,
    cutoff: float | None,
    relax: bool,
) -> GedResult:
    """The distance, or bounds: those of the relaxation if asked for, those reached so far if the time limit strikes."""
    highs.library()
    if relax:
        import scipy.optimize  # noqa: F401  (loading libraries is not on the clock)
    deadline = math.inf if time_limit is None else time.perf_counter() + time_limit
    nonzeros = formulation.nonzeros(source, target)
    if nonzeros > MOST_NONZEROS and deadline == math.inf:
        raise MethodError(
            f"{formulation.name} would need {nonzeros / 1e6:,.0f} million coefficients for these graphs, and takes at "
            f"most {MOST_NONZEROS / 1e6:.0f}; use method='exact', or set a time_limit to get bounds"
        )
    tables = costs.tables(source, target)
    start = _start(source, target, costs, deadline)
    base, unit, outcome = 0.0, 0.0, highs.UNFINISHED
    if nonzeros <= MOST_NONZEROS and LEAST + (BUILD + PREPARE + READ) * nonzeros < _left(deadline):
        programme, unit = formulation.formulate(source, target, tables), common_unit(tables)
        base, outcome = programme.base, _answer(programme, unit, start, deadline, relax)
    images, upper = _cheaper(start, outcome.solution, relax)
    # A second opinion proves alone: the native bound of the start is never used, even if HiGHS has none.
    lower, stop = certify(base, unit, outcome.bound, upper, finished=outcome.finished)
    if stop is StopReason.TIME and deadline == math.inf:
        stop = StopReason.BOUND  # HiGHS gave up by itself, which it does where its arithmetic fails it
    if stop is not StopReason.PROVED and cutoff is not None and lower > cutoff:
        stop = StopReason.CUTOFF
    return GedResult(source, target, costs, formulation.name, lower, upper, stop, images, outcome.nodes)


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.perf_counter())


def _start(source: Graph, target: Graph, costs: EditCosts, deadline: float) -> GedResult:
    """A good mapping, found in a tenth of the time at most."""
    limit = None if deadline == math.inf else SHARE_OF_START * _left(deadline)
    return registry.get(START).solve(source, target, costs=costs, time_limit=limit, cutoff=None)


def _answer(programme: Programme, unit: float, start: GedResult, deadline: float, relax: bool) -> highs.Outcome:
    """What HiGHS says, if there is something to ask and time to answer.

    The relaxation alone often proves that the start is best, in a fraction of the time that branch and cut takes.
    """
    if start.upper == 0:
        return highs.Outcome(0.0, True, None)
    if unit == math.inf or programme.scale == 0:  # every mapping costs the same
        return highs.Outcome(programme.base, True, None)
    entries, left = len(programme.values), _left(deadline)
    if left < LEAST + (PREPARE + READ) * entries:
        return highs.UNFINISHED
    reserve = RESERVE * left + READ * entries if deadline < math.inf else 0.0
    budget = highs.Budget(deadline - reserve, deadline)
    first = highs.relaxation(programme, budget)
    if relax:
        return first
    _, stop = certify(programme.base, unit, first.bound, start.upper, finished=first.finished)
    if stop is StopReason.PROVED or not first.finished:
        return first._replace(solution=None)
    best = highs.optimum(programme, unit, point(programme, start.images), budget)
    return best._replace(bound=max(best.bound, first.bound))


def _cheaper(start: GedResult, solution: Floats | None, relax: bool) -> tuple[tuple[int, ...], float]:
    """The mapping that HiGHS's solution stands for and what it costs; or those of the start, if no dearer."""
    if solution is None:
        return start.images, start.upper
    n, m = len(start.source), len(start.target)
    chances = solution[: n * m].reshape(n, m)
    images = (
        _rounded(chances) if relax else [int(row.argmax()) if row.max(initial=0.0) > 0.5 else -1 for row in chances]
    )
    mapping = NodeMapping(start.source, start.target, images)
    cost = induced_cost(mapping, start.costs)
    return (mapping.images, cost) if cost < start.upper else (start.images, start.upper)


def _rounded(chances: Floats) -> list[int]:
    """The mapping that agrees best with fractional x."""
    from scipy.optimize import linear_sum_assignment

    images = [-1] * len(chances)
    for i, k in zip(*linear_sum_assignment(chances, maximize=True), strict=True):
        if chances[i, k] > NOTHING:
            images[i] = int(k)
    return images
