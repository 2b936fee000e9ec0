"""What a solver of linear programmes proves about a distance, once its tolerances and all rounding are taken off."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from graphedx.costs import CostTables
from graphedx.result import StopReason
from graphedx.solvers.milp.programme import Floats, Programme
from graphedx.tolerance import HIGHS_TOLERANCE

LOOSEST_PROOF = HIGHS_TOLERANCE  # costs without a common unit: the relative doubt beyond which nothing is called proven
MOST_DENOMINATOR = 10**6
MOST_UNITS = 2**50  # beyond that, doubles would no longer count units exactly
NEARLY = 0.99  # of a unit: bounds closer than that have no other distance between them


def dual_bound(programme: Programme, multipliers: Floats) -> float:
    """The lower bound that multipliers of the rows prove, whoever found them and however roughly.

    For any multipliers >= 0 no point of the programme is below ``base - multipliers @ limits`` plus what columns of
    negative reduced cost can save; an upper bound on the rounding errors of these sums is taken off.
    """
    prices = np.maximum(multipliers, 0.0)
    terms = programme.values * prices[programme.rows]
    columns = len(programme.gains)
    reduced = programme.gains + np.bincount(programme.column, terms, columns)
    saved = float(np.minimum(reduced, 0.0) @ programme.most)
    paid = float(prices @ programme.limits)
    size = programme.base + paid + float(np.abs(programme.gains).sum() + np.abs(terms).sum())
    longest = int(np.diff(programme.starts).max(initial=0))
    return programme.base - paid + saved - np.finfo(np.float64).eps * (longest + 64) * size


def common_unit(tables: CostTables) -> float:
    """The greatest number that all gains of substitutions are multiples of, so that distances are whole units apart.

    0 if there is none, or none of which the costs are multiples with a denominator of at most a million; infinity if
    nothing is gained or lost at all.
    """
    q = 1
    for cost in {float(cost) for table in tables for cost in table.ravel()}:
        fraction = Fraction(cost).limit_denominator(MOST_DENOMINATOR)
        q = math.lcm(q, fraction.denominator)
        if abs(float(fraction) - cost) > 1e-15 * cost or q > MOST_DENOMINATOR:
            return 0.0
    if max(float(table.max(initial=0.0)) for table in tables) * q > MOST_UNITS:
        return 0.0
    deletion, insertion, substitution, *edges = (np.rint(table * q).astype(np.int64) for table in tables)
    node = substitution - deletion[:, None] - insertion
    edge = edges[2] - edges[0][:, None] - edges[1]
    unit = int(np.gcd.reduce(np.concatenate([node.ravel(), edge[edge < 0]]), initial=0))
    return unit / q if unit else math.inf


def certify(base: float, unit: float, bound: float, upper: float, *, finished: bool) -> tuple[float, StopReason]:
    """The lower bound on the distance that a bound stands for, and why the search stopped.

    The distance is ``base`` less whole units; a unit of 0 says nothing.
    """
    lower = min(max(bound, 0.0), upper)
    if unit and unit.is_integer() and base.is_integer():  # otherwise the rounded bound would have to be rounded again
        steps = math.floor((base - lower) / unit + 1e-9)
        lower = min(max(lower, base - steps * unit), upper)
    no_better = upper - lower < NEARLY * unit if unit else finished and upper - lower <= LOOSEST_PROOF * upper
    if no_better or lower == upper:
        return upper, StopReason.PROVED
    return lower, StopReason.BOUND if finished else StopReason.TIME
