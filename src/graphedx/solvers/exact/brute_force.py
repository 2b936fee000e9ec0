"""The readable oracle: every mapping there is, in plain Python. Quick up to five nodes, refused above eight."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from graphedx.costs import EditCosts
from graphedx.edits import NodeMapping, induced_cost
from graphedx.errors import MethodError
from graphedx.graph import Graph
from graphedx.result import GedResult, StopReason
from graphedx.solvers.registry import Guarantee, register

MOST_NODES = 8


@register("brute_force", Guarantee.EXACT, f"every mapping, in plain Python; at most {MOST_NODES} nodes a graph")
def brute_force(
    source: Graph, target: Graph, *, costs: EditCosts, time_limit: float | None = None, cutoff: float | None = None
) -> GedResult:
    """The least induced cost over all partial injections. Takes no limits: it is small or it is refused."""
    if max(len(source), len(target)) > MOST_NODES:
        raise MethodError(f"brute_force takes graphs of at most {MOST_NODES} nodes; use method='exact'")
    mappings = (NodeMapping(source, target, images) for images in all_images(len(source), len(target)))
    best = min(mappings, key=lambda mapping: induced_cost(mapping, costs))
    cost = induced_cost(best, costs)
    return GedResult(source, target, costs, "brute_force", cost, cost, StopReason.PROVED, best.images)


def all_images(n: int, m: int) -> Iterator[tuple[int, ...]]:
    """Every way to send n nodes to m nodes, none twice, some nowhere (-1)."""
    for size in range(min(n, m) + 1):
        for kept in combinations(range(n), size):
            for columns in permutations(range(m), size):
                images = [-1] * n
                for i, j in zip(kept, columns, strict=True):
                    images[i] = j
                yield tuple(images)
