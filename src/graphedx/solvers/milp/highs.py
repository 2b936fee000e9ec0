"""HiGHS: the programme as it takes it, its answer, and a run that ends at the deadline or at Ctrl-C."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, NamedTuple

import numpy as np

from graphedx.errors import MissingExtraError
from graphedx.solvers.milp.certificate import NEARLY, dual_bound
from graphedx.solvers.milp.programme import Floats, Programme

TOLERANCE = 1e-9  # HiGHS's feasibility tolerances; objectives are scaled so that the largest coefficient is 1
PRUNED = 0.9  # of a unit: what HiGHS may leave unsearched below its best mapping
PATIENCE = 0.2  # seconds from Ctrl-C to KeyboardInterrupt at most
_COLUMNWISE, _MINIMISE = 1, 1
_QUIET: dict[str, bool | int | float | str] = {"output_flag": False, "threads": 1, "random_seed": 0}
_TIGHT = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), TOLERANCE)


class Outcome(NamedTuple):
    """What HiGHS proves of the programme (tolerances are taken off), whether it came to its end, and its solution."""

    bound: float
    finished: bool
    solution: Floats | None
    nodes: int = 0


class Budget(NamedTuple):
    """When HiGHS should stop, and when we no longer wait for it; on the clock of ``time.perf_counter``."""

    stop: float
    leave: float


UNFINISHED = Outcome(-math.inf, False, None)
_CALLER = threading.local()


def library() -> Any:
    try:
        import highspy
    except ImportError:
        raise MissingExtraError("highspy", "milp") from None
    return highspy


def optimum(programme: Programme, unit: float, start: Floats, budget: Budget) -> Outcome:
    """Branch and cut from a first solution; distances that are whole units apart need not be told apart closer."""
    scale = programme.scale
    # A reduced cost may be wrong by the tolerance in every column, all of them between 0 and 1.
    doubt = TOLERANCE * (2 + len(programme.gains)) * scale
    gap = PRUNED * unit if doubt < (NEARLY - PRUNED) * unit else 0.0
    solver = _loaded(programme, whole=True)
    _set(
        solver,
        _TIGHT
        | {
            "mip_rel_gap": 0.0,
            "mip_abs_gap": max(gap / scale, TOLERANCE),
            "mip_feasibility_tolerance": TOLERANCE,
            "mip_lp_solver": "ipm",  # the first relaxation is large and degenerate
        },
    )
    first = library().HighsSolution()
    first.col_value = start
    solver.setSolution(first)
    if not _run(solver, budget):
        return UNFINISHED
    info = solver.getInfo()
    found = np.array(solver.getSolution().col_value) if info.primal_solution_status > 0 else None
    bound = info.mip_dual_bound if np.isfinite(info.mip_dual_bound) else -np.inf
    if found is not None:  # what was pruned is not in HiGHS's bound
        bound = min(bound, info.objective_function_value - gap / scale)
    return Outcome(
        bound=programme.base + scale * bound - doubt,
        finished=solver.getModelStatus() == library().HighsModelStatus.kOptimal,
        solution=found,
        nodes=max(0, int(info.mip_node_count)),
    )


def relaxation(programme: Programme, budget: Budget) -> Outcome:
    """The linear relaxation by interior points. Its bound is computed anew from HiGHS's multipliers."""
    solver = _loaded(programme, whole=False)
    _set(solver, _TIGHT | {"solver": "ipm", "run_crossover": "off", "ipm_optimality_tolerance": TOLERANCE})
    if not _run(solver, budget):
        return UNFINISHED
    solution, status = solver.getSolution(), library().HighsModelStatus
    multipliers = -programme.scale * np.array(solution.row_dual)
    values = np.array(solution.col_value)
    known = len(multipliers) == len(programme.limits) and bool(np.isfinite(multipliers).all())
    return Outcome(
        bound=dual_bound(programme, multipliers) if known else -np.inf,
        finished=solver.getModelStatus() not in (status.kTimeLimit, status.kInterrupt),
        solution=values if len(values) == len(programme.gains) and bool(np.isfinite(values).all()) else None,
    )


def _loaded(programme: Programme, *, whole: bool) -> Any:
    solver = library().Highs()
    _set(solver, _QUIET)
    columns, rows = len(programme.gains), len(programme.limits)
    integrality = np.zeros(columns, dtype=np.int32)
    integrality[: programme.pairs] = whole
    solver.passModel(
        columns,
        rows,
        len(programme.values),
        _COLUMNWISE,
        _MINIMISE,
        0.0,
        programme.gains / programme.scale,
        np.zeros(columns),
        programme.most,
        np.full(rows, -np.inf),
        programme.limits,
        programme.starts,
        programme.rows,
        programme.values,
        integrality,
    )
    return solver


def _set(solver: Any, options: dict[str, Any]) -> None:
    for name, value in options.items():
        solver.setOptionValue(name, value)  # an older HiGHS says no to an option it does not have


def _run(solver: Any, budget: Budget) -> bool:
    """Solve in a thread, so that Ctrl-C is heard and the time is kept where HiGHS does not look at the clock.

    False if HiGHS, told to stop, is still at work when the time is over. Its thread is left behind to end by itself,
    which takes it seconds; the next programme of the same caller, and the end of Python, wait for that.
    """
    left_behind: list[threading.Event] = _CALLER.__dict__.setdefault("left_behind", [])
    while left_behind:
        if not _happens(left_behind[-1], budget.leave):
            return False
        left_behind.pop()
    left = budget.stop - time.perf_counter()
    if math.isfinite(left):
        solver.setOptionValue("time_limit", max(left, 0.0))
    solver.HandleUserInterrupt = True
    failures: list[BaseException] = []
    ended = threading.Event()  # and not Thread.join, which, once interrupted, takes the thread for dead

    def work() -> None:
        try:
            solver.run()
        except BaseException as failure:
            failures.append(failure)
        finally:
            ended.set()

    # No daemon: Python must not end while HiGHS is about to come back to it.
    threading.Thread(target=work, name="graphedx-highs").start()
    try:
        if not _happens(ended, budget.stop):
            solver.cancelSolve()
            if not _happens(ended, budget.leave):
                left_behind.append(ended)
                return False
    except KeyboardInterrupt:
        solver.cancelSolve()
        if not _happens(ended, time.perf_counter() + PATIENCE):
            left_behind.append(ended)
        raise
    if failures:
        raise failures[0]
    return True


def _happens(event: threading.Event, until: float) -> bool:
    while not event.is_set() and (left := until - time.perf_counter()) > 0:
        event.wait(min(0.5, left))  # where a wait cannot be interrupted, Ctrl-C is heard after half a second
    return event.is_set()
