"""Alignment: how a model aligns the nodes of two graphs, softly; the mapping next to it, and what that proves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphedx.costs import EditCosts
from graphedx.edits import EditPath, NodeMapping, induced_cost
from graphedx.errors import ModelError
from graphedx.graph import Graph
from graphedx.models.algorithm_1 import Algorithm1Edits, algorithm_1

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
    plan: Floats = field(repr=False)  # (N, N) of the padded graphs, padding last
    pair_plan: Floats | None = field(default=None, repr=False)  # (M, M) of their node pairs, if it was requested

    def __post_init__(self) -> None:
        for array in (self.soft, self.source_left, self.target_left, self.plan, self.pair_plan):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_plan(
        cls, source: Graph, target: Graph, costs: EditCosts, plan: Floats, pair_plan: Floats | None = None
    ) -> Alignment:
        """From the alignment (N, N) of both graphs with their padding, which comes last; (M, M) of their node pairs."""
        from scipy.optimize import linear_sum_assignment

        n, m = len(source), len(target)
        # Every padding node is one place. Were all of them one that counts what is left of a node as a whole, nodes of
        # which the model is not sure would be left out on both sides, and the path be dearer by a third (AIDS).
        _, column = linear_sum_assignment(plan, maximize=True)
        images = tuple(int(v) if v < m else -1 for v in column[:n])
        parts = plan[:n, :m].copy(), plan[:n, m:].sum(1), plan[n:, :m].sum(0)
        return cls(source, target, costs, *parts, images, plan.copy(), pair_plan)

    @cached_property
    def mapping(self) -> NodeMapping:
        """Source node -> target node or ``None``; costs ``upper``."""
        return NodeMapping(self.source, self.target, self.images)

    @cached_property
    def upper(self) -> float:
        """What the mapping costs: the distance is at most this, whatever the model has learned."""
        return induced_cost(self.mapping, self.costs)

    def edit_path(self) -> EditPath:
        """The edits of ``mapping``, in the order of the paper's Algorithm 1; they cost ``upper``.

        Edges follow from the nodes' mapping, so that the path always leads to the target.
        """
        return EditPath.from_mapping(self.mapping, self.costs)

    def algorithm_1(self) -> Algorithm1Edits:
        """The edits of the paper's Algorithm 1 to the letter, with a second assignment of the edges.

        They need not lead to the target; ``valid`` tells.

        Raises:
            ModelError: the alignment was made without ``pair_plan=True``, or has too many nodes.
        """
        if self.pair_plan is None:
            raise ModelError("Algorithm 1 needs the plan of node pairs; call align with pair_plan=True")
        return algorithm_1(self.source, self.target, self.costs, self.plan, self.pair_plan)
