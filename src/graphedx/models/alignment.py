"""Alignment: how a model aligns the nodes of two graphs, softly; the mapping next to it, and what that proves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import EditCosts
from graphedx.edits import EditPath, NodeMapping, induced_cost
from graphedx.graph import Graph

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Alignment:
    """A soft alignment of two graphs, and the mapping nearest to it; arrays are read-only.

    ``soft[u, v]`` is how much of node u becomes node v, by position. What is left of a node of the source goes to
    padding: it is deleted; what is left of one of the target comes from there: it is inserted. ``images[u]`` is the
    position of the image of node u, or -1: of all ways to align the padded graphs node by node, that of the largest
    total mass.
    """

    source: Graph = field(repr=False)
    target: Graph = field(repr=False)
    costs: EditCosts
    soft: Floats = field(repr=False)  # (n, m)
    source_left: Floats = field(repr=False)  # (n,)
    target_left: Floats = field(repr=False)  # (m,)
    images: tuple[int, ...]

    def __post_init__(self) -> None:
        for array in (self.soft, self.source_left, self.target_left):
            array.flags.writeable = False

    @classmethod
    def from_plan(cls, source: Graph, target: Graph, costs: EditCosts, plan: Floats) -> Alignment:
        """From the alignment (N, N) of both graphs with their padding, which comes last."""
        from scipy.optimize import linear_sum_assignment

        n, m = len(source), len(target)
        # Every padding node is one place. Were all of them one that counts what is left of a node as a whole, nodes of
        # which the model is not sure would be left out on both sides, and the path be dearer by a third (AIDS).
        _, column = linear_sum_assignment(plan, maximize=True)
        images = tuple(int(v) if v < m else -1 for v in column[:n])
        return cls(source, target, costs, plan[:n, :m].copy(), plan[:n, m:].sum(1), plan[n:, :m].sum(0), images)

    @cached_property
    def mapping(self) -> NodeMapping:
        """Source node -> target node or ``None``; costs ``upper``."""
        return NodeMapping(self.source, self.target, self.images)

    @cached_property
    def upper(self) -> float:
        """What the mapping costs: the distance is at most this, whatever the model has learned."""
        return induced_cost(self.mapping, self.costs)

    def edit_path(self) -> EditPath:
        """The edits of ``mapping``, in the order of the paper's Algorithm 1; they cost ``upper``."""
        return EditPath.from_mapping(self.mapping, self.costs)
