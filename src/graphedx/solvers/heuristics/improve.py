"""Local search from a mapping that the caller brings: not a method of ``ged``, which is given no mapping."""

from __future__ import annotations

from graphedx import _kernels
from graphedx.costs import UNIT, EditCosts, require_costs
from graphedx.edits import NodeMapping
from graphedx.errors import MappingError
from graphedx.result import GedResult


def improve(mapping: NodeMapping, *, costs: EditCosts = UNIT) -> GedResult:
    """The mapping after local search: a node moves, or two trade their images, until neither makes it cheaper.

    ``upper`` is what the mapping found costs, never more than the one given. ``lower`` is proven, and the cheapest
    there is: ``refine`` and ``auto`` have better ones. Deterministic; a pass is O(n n').

    >>> from graphedx import Graph, NodeMapping, improve
    >>> path = Graph(4, [(0, 1), (1, 2), (2, 3)])
    >>> improve(NodeMapping(path, path, [0, 2, 1, 3])).upper
    0.0

    Raises:
        MappingError: it is no ``NodeMapping``; results and alignments have one as their ``mapping``.
        MethodError: the graphs are too large for a table of all node pairs.
    """
    if not isinstance(mapping, NodeMapping):
        raise MappingError(f"a NodeMapping is needed, such as the mapping of a result, got {type(mapping).__name__}")
    require_costs(costs)
    return _kernels.improved(mapping, costs)
