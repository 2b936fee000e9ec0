"""The facade: two graphs and costs in, a proven result out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphedx import solvers
from graphedx._limits import as_limit
from graphedx.convert import as_graph
from graphedx.costs import UNIT, EditCosts, require_costs
from graphedx.edits import EditPath
from graphedx.matrix import DistanceMatrix, distance_matrix
from graphedx.neural import load_model
from graphedx.result import GedResult
from graphedx.search import GraphIndex, Hit, Hits
from graphedx.solvers.heuristics.improve import improve
from graphedx.solvers.stream import stream

__all__ = [
    "DistanceMatrix",
    "GraphIndex",
    "Hit",
    "Hits",
    "distance_matrix",
    "edit_path",
    "ged",
    "ged_stream",
    "improve",
    "load_model",
    "methods",
]


def ged(
    source: Any,
    target: Any,
    *,
    costs: EditCosts = UNIT,
    method: str = "auto",
    time_limit: float | None = None,
    cutoff: float | None = None,
    **options: int,
) -> GedResult:
    """Graph edit distance: the least total cost of edits that turn the source into the target.

    Graphs are ``Graph``, networkx, torch_geometric ``Data`` or RDKit ``Mol``. ``time_limit`` is in seconds; when it
    strikes, the result has proven bounds instead of a distance. ``cutoff`` asks only whether the distance is at most
    that: if it is, it is proven; if not, ``lower`` exceeds the cutoff. Some methods have options, such as the
    ``starts`` of ``refine``; their pages name them.

    >>> from graphedx import Graph, ged
    >>> path = Graph(4, [(0, 1), (1, 2), (2, 3)])
    >>> star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    >>> ged(path, star).distance
    2.0
    """
    a, b = as_graph(source), as_graph(target)
    require_costs(costs)
    time_limit, cutoff = as_limit("time_limit", time_limit), as_limit("cutoff", cutoff)
    chosen = solvers.get(method)
    return chosen.solve(a, b, costs=costs, time_limit=time_limit, cutoff=cutoff, **chosen.checked(options))


def ged_stream(
    source: Any,
    target: Any,
    *,
    costs: EditCosts = UNIT,
    method: str = "auto",
    time_limit: float | None = None,
    cutoff: float | None = None,
    **options: int,
) -> Iterator[GedResult]:
    """Like ``ged``, but tells what it knows as soon as it knows it: results whose interval only ever tightens.

    All but the last are ``running``; the last is what ``ged`` returns. Leaving the loop stops the search. Methods other
    than ``auto`` and ``large`` have only a last word.

    >>> from graphedx import Graph, ged_stream
    >>> *_, last = ged_stream(Graph(3, [(0, 1), (1, 2)]), Graph(3, [(0, 1)]))
    >>> last.distance
    1.0
    """
    a, b = as_graph(source), as_graph(target)
    require_costs(costs)
    time_limit, cutoff = as_limit("time_limit", time_limit), as_limit("cutoff", cutoff)
    chosen = solvers.get(method)
    checked = chosen.checked(options)
    if chosen.native:
        return stream(a, b, costs, chosen.request(checked, time_limit, cutoff))
    return iter([chosen.solve(a, b, costs=costs, time_limit=time_limit, cutoff=cutoff, **checked)])


def edit_path(
    source: Any,
    target: Any,
    *,
    costs: EditCosts = UNIT,
    method: str = "auto",
    time_limit: float | None = None,
    **options: int,
) -> EditPath:
    """The cheapest edits found that turn the source into the target; ``.cost`` is what they cost."""
    return ged(source, target, costs=costs, method=method, time_limit=time_limit, **options).edit_path()


def methods() -> dict[str, str]:
    """Every method's name and what it guarantees.

    >>> methods()["exact"]
    'exact'
    """
    return {name: guarantee.value for name, guarantee in solvers.methods().items()}
