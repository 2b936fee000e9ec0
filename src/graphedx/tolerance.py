"""The relative error within which the bounds of a result hold."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from graphedx.costs import CostTables, EditCosts
from graphedx.graph import Graph

HIGHS_TOLERANCE = 1e-6  # methods f2 and fori, whose proofs rest on floating-point linear programmes
FRACTION_TOLERANCE = 1e-14  # costs with a common denominator
REAL_TOLERANCE = 1e-13  # other costs, unless the sums have too many terms for that

_BY_METHOD = {"f2": HIGHS_TOLERANCE, "fori": HIGHS_TOLERANCE}
_MOST_UNITS = 2.0**55  # the native core counts costs in units, up to this many
_MOST_DENOMINATOR = 10**4
_MOST_FRACTION = 1e4  # larger costs need not be recognised as fractions


class _Sizes(NamedTuple):
    """What bounds the sums of costs that a pair of graphs can have."""

    total: float  # delete and insert everything
    range: float  # the largest sum that the native core may form
    terms: int  # the most costs that an edit path adds up


def relative_tolerance(source: Graph, target: Graph, costs: EditCosts, upper: float, method: str) -> float:
    """Return a relative error within which the bounds of a result hold.

    If the bounds are equal, no mapping costs less than ``upper * (1 - tolerance)``.

    Args:
        source: the source graph.
        target: the target graph.
        costs: the edit costs.
        upper: the upper bound of the result.
        method: the method that computed the bounds.

    Returns:
        0 if all costs are whole numbers whose sums are exact; at least 1e-14 for fractions with a common denominator
        and 1e-13 for real-valued costs; at least 1e-6 for methods that use HiGHS.
    """
    tables = costs.tables(source, target)
    return max(_BY_METHOD.get(method, 0.0), _of_arithmetic(source, target, tables, upper))


def _of_arithmetic(source: Graph, target: Graph, tables: CostTables, upper: float) -> float:
    sizes = _sizes(source, target, tables)
    used = {float(cost) for table in tables for cost in np.unique(table) if cost <= sizes.range}
    if upper == 0 or (all(cost.is_integer() for cost in used) and sizes.range <= _MOST_UNITS):
        return 0.0
    denominator = _common_denominator(used)
    if denominator and sizes.range * denominator <= _MOST_UNITS:
        return FRACTION_TOLERANCE
    # The core rounds each cost to the unit of a lattice. Where the unit is too coarse, it caps the costs at the upper
    # bound and searches again as long as that halves the unit, which is then at most 4 * range / 2**55.
    capped = _sizes(source, target, CostTables(*(np.minimum(table, 1.001 * upper) for table in tables)))
    return max(REAL_TOLERANCE, capped.terms * (4 * capped.range / _MOST_UNITS) / upper)


def _sizes(source: Graph, target: Graph, tables: CostTables) -> _Sizes:
    node_del, node_ins, node_sub, edge_del, edge_ins, _ = tables
    (a, b), (c, d) = (
        [np.array(classes[1], dtype=np.int64) for classes in pair]
        for pair in ((source.node_classes, target.node_classes), (source.edge_classes, target.edge_classes))
    )
    total = float(node_del[a].sum() + node_ins[b].sum() + edge_del[c].sum() + edge_ins[d].sum())
    allowed = node_sub[node_sub <= 1.5 * total]  # a dearer substitution is in no optimal mapping
    node = max(node_del.max(initial=0.0) + node_ins.max(initial=0.0), allowed.max(initial=0.0))
    edge = edge_del.max(initial=0.0) + edge_ins.max(initial=0.0)
    pairs = (2 if source.directed else 1) * min(len(c), len(d))
    largest = max(4 * total, 2 * (max(len(a), len(b)) * float(node) + pairs * float(edge)))
    return _Sizes(total, largest, len(a) + len(b) + len(c) + len(d))


def _common_denominator(costs: set[float]) -> int:
    """The common denominator of the costs, or 0 if there is none of at most ``_MOST_DENOMINATOR``."""
    common = 1
    for cost in costs:
        fraction = Fraction(cost).limit_denominator(_MOST_DENOMINATOR)
        common = math.lcm(common, fraction.denominator)
        if cost > _MOST_FRACTION or abs(float(fraction) - cost) > 2e-16 * cost or common > _MOST_DENOMINATOR:
            return 0
    return common
