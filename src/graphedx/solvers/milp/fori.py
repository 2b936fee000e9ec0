"""The formulation FORI, which turns edges, on HiGHS; registered as ``"fori"``."""

from __future__ import annotations

import numpy as np

from graphedx.costs import CostTables, EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult
from graphedx.solvers.milp.programme import Gains, Programme, assemble, ends_of
from graphedx.solvers.milp.solving import Formulation, solve
from graphedx.solvers.registry import Guarantee, register


@register("fori", Guarantee.EXACT, "the stronger programme FORI, by orientations of edges, on HiGHS (extra: milp)")
def fori(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
    relax: bool = False,
) -> GedResult:
    """The distance by FORI (D'Ascenzo et al., VLDB 2025), or proven bounds when the time limit strikes.

    With ``relax`` only the linear relaxation is solved, which gives bounds. A ``cutoff`` is met but does not shorten
    the search. HiGHS computes with tolerances: where these could hide a cheaper mapping (cost ratios beyond 10^6 or
    so) the result has bounds, and ``stopped_by`` is ``BOUND``.
    """
    return solve(FORI, source, target, costs=costs, time_limit=time_limit, cutoff=cutoff, relax=relax)


def formulate(source: Graph, target: Graph, tables: CostTables) -> Programme:
    """FORI: ``y[ij,(k,l)]`` says that i becomes k and j becomes l, so an undirected edge pair has two y.

    Rows, beside those of the assignment: for a source edge ij, the y that send i to k are at most ``x[i,k]``, and
    those that send j to l at most ``x[j,l]``; for a target arc (k,l) the same, seen from the target: the y that send
    i to k and some neighbour of i to l are at most ``x[i,k]``, and those that send j to l and some neighbour to k at
    most ``x[j,l]``. A row without a y is left out, and so is a y that is no cheaper than deleting and inserting.
    """
    gains = Gains.of(source, target, tables)
    n, m = gains.node.shape
    ends, images = ends_of(source), ends_of(target)
    arcs = images if target.directed else np.concatenate([images, images[:, ::-1]])
    e, a = np.nonzero(np.tile(gains.edge < 0, len(arcs) // max(len(images), 1)))
    (i, j), (tail, head) = ends[e].T, arcs[a].T
    from_head = (a + len(images)) % max(2 * len(images), 1)  # where undirected, that is the arc turned around
    rows_of_edges = len(ends) * m
    numbers = np.stack(
        [
            e * m + tail,
            rows_of_edges + e * m + head,
            2 * rows_of_edges + a * n + i,
            2 * rows_of_edges + from_head * n + j,
        ],
        axis=1,
    )  # (y, 4)
    x_columns = np.full(2 * rows_of_edges + 2 * len(images) * n, -1)
    x_columns[numbers[:, ::2]] = (i * m + tail)[:, None]
    x_columns[numbers[:, 1::2]] = (j * m + head)[:, None]
    used = x_columns >= 0
    place = n + m - 1 + np.cumsum(used)
    return assemble(
        gains,
        ends,
        worth=gains.edge[e, a % max(len(images), 1)],
        y_rows=place[numbers],
        x_rows=place[used],
        x_columns=x_columns[used],
        rows=n + m + int(used.sum()),
    )


def _nonzeros(source: Graph, target: Graph) -> int:
    n, m, edges, images = len(source), len(target), source.num_edges, target.num_edges
    arcs = images if target.directed else 2 * images
    return 2 * n * m + 2 * edges * m + 2 * images * n + 4 * edges * arcs


FORI = Formulation("fori", formulate, _nonzeros)
