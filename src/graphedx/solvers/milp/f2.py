"""The formulation F2 on HiGHS, registered as ``"f2"``."""

from __future__ import annotations

import numpy as np

from graphedx.costs import CostTables, EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.milp.programme import Gains, Programme, assemble, ends_of
from graphedx.solvers.milp.solving import Formulation, solve
from graphedx.solvers.registry import Guarantee, register


@register("f2", Guarantee.EXACT, "the mixed-integer linear programme F2 on HiGHS (extra: milp)")
def f2(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
    relax: bool = False,
) -> GedResult:
    """The distance by F2 (Lerouge et al., Pattern Recognition 72, 2017), or proven bounds when the time limit strikes.

    With ``relax`` only the linear relaxation is solved, which gives bounds. A ``cutoff`` is met but does not shorten
    the search. HiGHS computes with tolerances: where these could hide a cheaper mapping (cost ratios beyond 10^6 or
    so) the result has bounds, and ``stopped_by`` is ``BOUND``.
    """
    return solve(F2, source, target, costs=costs, time_limit=time_limit, cutoff=cutoff, relax=relax)


def formulate(source: Graph, target: Graph, tables: CostTables) -> Programme:
    """F2: deletions and insertions are the constant, and x and y say what substituting changes.

    Rows: each source node at most one image, each target node at most one origin, and for a source edge ij and a
    target node k the edges at k that ij may become are at most ``x[i,k] + x[j,k]`` (a directed edge that leaves k:
    ``x[i,k]``; that enters it: ``x[j,k]``). An edge pair that is no cheaper than deleting and inserting has no y.
    """
    gains = Gains.of(source, target, tables)
    n, m = gains.node.shape
    ends, images = ends_of(source), ends_of(target)
    e, f = np.nonzero(gains.edge < 0)
    block = len(ends) * m  # a row for each source edge and target node
    offset = (n + m, n + m + block if source.directed else n + m)
    sides = (0, 1)
    return assemble(
        gains,
        ends,
        worth=gains.edge[e, f],
        y_rows=np.stack([offset[side] + e * m + images[f, side] for side in sides], axis=1),
        x_rows=np.concatenate([offset[side] + np.arange(block) for side in sides]),
        x_columns=np.concatenate([(ends[:, side, None] * m + np.arange(m)).ravel() for side in sides]),
        rows=offset[1] + block,
    )


def _nonzeros(source: Graph, target: Graph) -> int:
    n, m, edges, images = len(source), len(target), source.num_edges, target.num_edges
    return 2 * n * m + 2 * edges * m + 2 * edges * images


F2 = Formulation("f2", formulate, _nonzeros)
