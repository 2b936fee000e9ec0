"""The formulation F2 on HiGHS, registered as ``"f2"``."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import CostTables, EditCosts
from graphedx.edits import NodeMapping, induced_cost
from graphedx.errors import MissingExtraError
from graphedx.graph import Graph
from graphedx.result import GedResult, StopReason
from graphedx.solvers.registry import Guarantee, register

TOLERANCE = 1e-9  # HiGHS's feasibility tolerances; objectives are scaled so that the largest coefficient is 1
LOOSEST_PROOF = 1e-6  # costs without a common unit: the relative doubt beyond which nothing is called proven
MOST_DENOMINATOR = 10**6

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class Programme(NamedTuple):
    """Minimise ``base + gains @ (x, y)`` in [0, most], x whole, subject to ``A (x, y) <= limits``; A by columns.

    Once the x are whole, the best y are whole by themselves: leaving them continuous makes the tree smaller.
    """

    base: float
    pairs: int  # how many of the columns are the x of node pairs; the others are the y of edge pairs
    gains: Floats
    most: Floats
    limits: Floats
    starts: Ints
    rows: Ints
    values: Floats


class Outcome(NamedTuple):
    """What HiGHS says: its bound on the objective, whether it calls its solution optimal, and that solution."""

    bound: float
    optimal: bool
    solution: Floats | None
    nodes: int


@register("f2", Guarantee.EXACT, "the mixed-integer linear programme F2 on HiGHS (extra: milp)")
def f2(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """The distance by F2 (Lerouge et al., Pattern Recognition 72, 2017), or proven bounds when the time limit strikes.

    A ``cutoff`` is met but does not shorten the search. HiGHS computes with tolerances: where these could hide a
    cheaper mapping (cost ratios beyond 10^6 or so) the result has bounds, and ``stopped_by`` is ``BOUND``.
    """
    highs = _highs()
    start = time.perf_counter()
    tables = costs.tables(source, target)
    programme = formulate(source, target, tables)
    left = None if time_limit is None else max(0.0, time_limit - (time.perf_counter() - start))
    outcome = _solve(highs, programme, left)
    mapping = _cheapest(source, target, costs, outcome.solution)
    upper = induced_cost(mapping, costs)
    lower, stop = _certify(programme, tables, outcome, upper)
    if stop is not StopReason.PROVED and cutoff is not None and lower > cutoff:
        stop = StopReason.CUTOFF
    return GedResult(source, target, costs, "f2", lower, upper, stop, mapping.images, outcome.nodes)


# -- the programme ----------------------------------------------------------------------------------------------------


def formulate(source: Graph, target: Graph, tables: CostTables) -> Programme:
    """F2: deletions and insertions are the constant, and x and y say what substituting changes.

    Rows: each source node at most one image, each target node at most one origin, and for a source edge ij and a
    target node k the edges at k that ij may become are at most ``x[i,k] + x[j,k]`` (a directed edge that leaves k:
    ``x[i,k]``; that enters it: ``x[j,k]``). An edge pair that is no cheaper than deleting and inserting has no y.
    """
    n, m = len(source), len(target)
    ends = np.array(source.edge_index, dtype=np.int64).reshape(-1, 2)
    images = np.array(target.edge_index, dtype=np.int64).reshape(-1, 2)
    node_gain, edge_gain, base = _gains(source, target, tables)
    e, f = np.nonzero(edge_gain < 0)
    y = n * m + np.arange(len(e))
    row_of = _EdgeRows(n + m, len(ends), m, source.directed)
    entries = [
        (np.repeat(np.arange(n), m), np.arange(n * m), 1.0),
        (n + np.tile(np.arange(m), n), np.arange(n * m), 1.0),
        *((row_of(e, images[f, side], side), y, 1.0) for side in (0, 1)),
        *_coupling(ends, m, row_of),
    ]
    columns = n * m + len(e)
    starts, rows, values = _compressed(entries, columns)
    limits = np.zeros(row_of.count)
    limits[: n + m] = 1.0
    hopeless = _hopeless(node_gain, edge_gain, ends)
    gains = np.concatenate([np.where(hopeless, 0.0, node_gain).ravel(), edge_gain[e, f]])
    most = np.concatenate([np.where(hopeless, 0.0, 1.0).ravel(), np.ones(len(e))])
    return Programme(base, n * m, gains, most, limits, starts, rows, values)


class _EdgeRows:
    """Numbers the rows of (source edge, target node); a directed edge has one for each of its ends."""

    def __init__(self, first: int, edges: int, nodes: int, directed: bool) -> None:
        self.first = first
        self.block = edges * nodes if directed else 0
        self.nodes = nodes
        self.count = first + edges * nodes + self.block

    def __call__(self, edge: NDArray[np.int64], node: NDArray[np.int64], side: int) -> NDArray[np.int64]:
        return self.first + side * self.block + edge * self.nodes + node


def _gains(source: Graph, target: Graph, tables: CostTables) -> tuple[Floats, Floats, float]:
    """What substituting costs more than deleting and inserting, by node pair and edge pair; what the latter costs."""
    a, b = (np.array(g.node_classes[1], dtype=np.int64) for g in (source, target))
    c, d = (np.array(g.edge_classes[1], dtype=np.int64) for g in (source, target))
    node = tables.node_sub[np.ix_(a, b)] - tables.node_del[a][:, None] - tables.node_ins[b][None, :]
    edge = tables.edge_sub[np.ix_(c, d)] - tables.edge_del[c][:, None] - tables.edge_ins[d][None, :]
    parts = (tables.node_del[a], tables.node_ins[b], tables.edge_del[c], tables.edge_ins[d])
    return node, edge, float(sum(part.sum() for part in parts))


def _hopeless(node_gain: Floats, edge_gain: Floats, ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Node pairs that cost more than all edges at the source node can win back; huge costs would spoil the scaling."""
    worth = np.zeros(len(node_gain))
    most = np.maximum(0.0, -edge_gain).max(axis=1, initial=0.0)
    for side in (0, 1):
        np.add.at(worth, ends[:, side], most)
    return node_gain > worth[:, None]


def _coupling(ends: NDArray[np.int64], m: int, row_of: _EdgeRows) -> list[tuple[Any, Any, float]]:
    """The x that let a source edge go to an edge at k: -1 in the rows of (edge, k)."""
    edge = np.repeat(np.arange(len(ends)), m)
    node = np.tile(np.arange(m), len(ends))
    return [(row_of(edge, node, side), np.repeat(ends[:, side], m) * m + node, -1.0) for side in (0, 1)]


def _compressed(entries: list[tuple[Any, Any, float]], columns: int) -> tuple[Ints, Ints, Floats]:
    """Column-wise sparse form of (row, column, value) entries."""
    rows = np.concatenate([row for row, _, _ in entries])
    cols = np.concatenate([column for _, column, _ in entries])
    values = np.concatenate([np.full(len(row), value) for row, _, value in entries])
    order = np.argsort(cols, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(cols, minlength=columns))])
    return starts.astype(np.int32), rows[order].astype(np.int32), values[order]


# -- HiGHS ------------------------------------------------------------------------------------------------------------


def _highs() -> Any:
    try:
        import highspy
    except ImportError:
        raise MissingExtraError("highspy", "milp") from None
    return highspy


def _solve(highs: Any, programme: Programme, time_limit: float | None) -> Outcome:
    scale = float(np.abs(programme.gains).max(initial=0.0))
    if scale == 0.0:  # nothing to choose: every mapping costs the same
        return Outcome(programme.base, True, None, 0)
    solver = _prepared(highs, programme, scale, time_limit)
    _run(solver)
    info, status = solver.getInfo(), solver.getModelStatus()
    found = np.array(solver.getSolution().col_value) if info.primal_solution_status > 0 else None
    bound = info.mip_dual_bound if np.isfinite(info.mip_dual_bound) else -np.inf
    return Outcome(
        bound=programme.base + scale * bound,
        optimal=status == highs.HighsModelStatus.kOptimal,
        solution=found,
        nodes=max(0, int(info.mip_node_count)),
    )


def _run(solver: Any) -> None:
    """Solve; from the main thread, where Ctrl-C arrives, so that it is heard before HiGHS is done."""
    if threading.current_thread() is not threading.main_thread():
        solver.run()
        return
    solver.HandleUserInterrupt = True
    worker = threading.Thread(target=solver.run, name="graphedx-f2", daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.5)
    except KeyboardInterrupt:
        solver.cancelSolve()
        worker.join()
        raise


def _prepared(highs: Any, programme: Programme, scale: float, time_limit: float | None) -> Any:
    solver = highs.Highs()
    options = {
        "output_flag": False,
        "threads": 1,
        "random_seed": 0,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": TOLERANCE,
        "mip_feasibility_tolerance": TOLERANCE,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
    }
    if time_limit is not None and np.isfinite(time_limit):
        options["time_limit"] = time_limit
    for name, value in options.items():
        solver.setOptionValue(name, value)
    columns, rows = len(programme.gains), len(programme.limits)
    model = highs.HighsLp()
    model.num_col_, model.num_row_ = columns, rows
    model.col_cost_ = programme.gains / scale
    model.col_lower_, model.col_upper_ = np.zeros(columns), programme.most
    model.row_lower_, model.row_upper_ = np.full(rows, -highs.kHighsInf), programme.limits
    model.a_matrix_.format_ = highs.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = programme.starts, programme.rows
    model.a_matrix_.value_ = programme.values
    whole, real = highs.HighsVarType.kInteger, highs.HighsVarType.kContinuous
    model.integrality_ = [whole] * programme.pairs + [real] * (columns - programme.pairs)
    solver.passModel(model)
    return solver


# -- what it proves ---------------------------------------------------------------------------------------------------


def _cheapest(source: Graph, target: Graph, costs: EditCosts, solution: Floats | None) -> NodeMapping:
    """HiGHS's mapping; or that of the first nodes onto the first, or of none at all, if cheaper."""
    n, m = len(source), len(target)
    candidates = [[-1] * n, [i if i < m else -1 for i in range(n)]]
    if solution is not None:
        chosen = solution[: n * m].reshape(n, m) > 0.5
        candidates.insert(0, [int(row.argmax()) if row.any() else -1 for row in chosen])
    mappings = (NodeMapping(source, target, images) for images in candidates)
    return min(mappings, key=lambda mapping: induced_cost(mapping, costs))


def _certify(programme: Programme, tables: CostTables, outcome: Outcome, upper: float) -> tuple[float, StopReason]:
    """The lower bound that HiGHS's bound stands for once its tolerances are taken off, and why the search stopped."""
    # A reduced cost may be wrong by the tolerance in every column, all of them between 0 and 1.
    doubt = TOLERANCE * (2 + len(programme.gains)) * float(np.abs(programme.gains).max(initial=0.0))
    lower = min(max(outcome.bound - doubt, 0.0), upper)
    unit = _common_unit(tables)
    if unit == 1.0:
        lower = min(float(np.ceil(lower)), upper)
    no_better = upper - lower < 0.9 * unit if unit else outcome.optimal and upper - lower <= LOOSEST_PROOF * upper
    if no_better or lower == upper:
        return upper, StopReason.PROVED
    return lower, StopReason.BOUND if outcome.optimal else StopReason.TIME


def _common_unit(tables: CostTables) -> float:
    """The greatest number 1/q, q at most a million, that all costs are multiples of; 0 if there is none."""
    q = 1
    for cost in {float(cost) for table in tables for cost in table.ravel()}:
        fraction = Fraction(cost).limit_denominator(MOST_DENOMINATOR)
        q = lcm(q, fraction.denominator)
        if abs(float(fraction) - cost) > 1e-15 * cost or q > MOST_DENOMINATOR:
            return 0.0
    return 1.0 / q
