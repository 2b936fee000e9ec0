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
    """A soft alignment of two graphs, and the mapping that keeps the most of it; arrays are read-only.

    ``soft[u, v]`` is how much of node u becomes node v, by position. What is left of a node of the source goes to
    padding: it is deleted; what is left of one of the target comes from there: it is inserted.
    """

    source: Graph = field(repr=False)
    target: Graph = field(repr=False)
    costs: EditCosts
    soft: Floats = field(repr=False)  # (n, m)
    source_left: Floats = field(repr=False)  # (n,)
    target_left: Floats = field(repr=False)  # (m,)

    def __post_init__(self) -> None:
        for array in (self.soft, self.source_left, self.target_left):
            array.flags.writeable = False

    @classmethod
    def from_plan(cls, source: Graph, target: Graph, costs: EditCosts, plan: Floats) -> Alignment:
        """From the alignment (N, N) of both graphs with their padding, which comes last."""
        n, m = len(source), len(target)
        return cls(source, target, costs, plan[:n, :m].copy(), plan[:n, m:].sum(1), plan[n:, :m].sum(0))

    @cached_property
    def images(self) -> tuple[int, ...]:
        """For each node of the source the position of its image, or -1: the mapping of the largest total mass.

        A pair of nodes counts its part of ``soft``, a node that is deleted or inserted all that is left of it.
        """
        from scipy.optimize import linear_sum_assignment

        gain = self.soft - self.source_left[:, None] - self.target_left  # over leaving both of them out
        found = np.full(len(self.source), -1)
        rows, columns = linear_sum_assignment(gain.clip(min=0), maximize=True)
        kept = gain[rows, columns] >= 0
        found[rows[kept]] = columns[kept]
        return tuple(found.tolist())

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
