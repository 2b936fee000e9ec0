"""GedResult: proven bounds on a distance, and the mapping that attains the upper one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from graphedx.costs import EditCosts, amount
from graphedx.edits import EditPath, NodeMapping
from graphedx.errors import CostError, NotProvenError
from graphedx.graph import Graph, Name
from graphedx.tolerance import relative_tolerance


class StopReason(Enum):
    """Why a solver stopped."""

    PROVED = "proved"  # lower == upper
    CUTOFF = "cutoff"  # the distance is proven to exceed the cutoff
    TIME = "time"  # the time limit struck
    BOUND = "bound"  # the method gives bounds and has given them
    PATIENCE = "patience"  # nobody set a time limit, and a proof is not in sight
    RUNNING = "running"  # it has not: better bounds may follow
    INTERRUPTED = "interrupted"  # Ctrl-C, or the caller cancelled


_REMEDIES = {
    StopReason.CUTOFF: "raise cutoff",
    StopReason.BOUND: "use method='exact'",
    StopReason.RUNNING: "wait",
    StopReason.PATIENCE: "set a time_limit of more than a minute, or method='exact',",
}


@dataclass(frozen=True)
class GedResult:
    """Proven bounds on the graph edit distance of a pair; ``upper`` is what ``mapping`` costs.

    ``nodes`` counts the search-tree nodes that were visited (0 for methods without a tree).
    """

    source: Graph = field(repr=False)
    target: Graph = field(repr=False)
    costs: EditCosts
    method: str
    lower: float
    upper: float
    stopped_by: StopReason
    images: tuple[int, ...] = field(repr=False)
    nodes: int = 0

    @property
    def proven(self) -> bool:
        """Whether the distance is known: lower == upper."""
        return self.lower == self.upper

    @cached_property
    def tolerance(self) -> float:
        """The relative error within which ``lower``, ``upper`` and ``proven`` hold; computed when first used.

        0 where sums of the costs are exact. If the distance is proven, no mapping costs less than
        ``upper * (1 - tolerance)``.
        """
        return relative_tolerance(self.source, self.target, self.costs, self.upper, self.method)

    @property
    def running(self) -> bool:
        """Whether the search goes on, and a better result may follow."""
        return self.stopped_by is StopReason.RUNNING

    @property
    def distance(self) -> float:
        """The proven distance.

        Raises:
            NotProvenError: only bounds are known; the message names them.
        """
        if not self.proven:
            remedy = _REMEDIES.get(self.stopped_by, "raise time_limit")
            interval = f"[{amount(self.lower)}, {amount(self.upper)}]"
            raise NotProvenError(f"the distance lies in {interval}; {remedy} to prove it")
        return self.upper

    @cached_property
    def mapping(self) -> NodeMapping:
        """Source node -> target node or ``None``; costs ``upper``."""
        return NodeMapping(self.source, self.target, self.images)

    @property
    def insertions(self) -> tuple[Name, ...]:
        """The target nodes that are nobody's image."""
        return self.mapping.insertions

    def edit_path(self) -> EditPath:
        """Return the edits of ``mapping`` in the paper's order; they cost ``upper``.

        Raises:
            CostError: a cost callable returns other values than when the distance was computed.
        """
        path = EditPath.from_mapping(self.mapping, self.costs)
        if self.costs.has_callables and path.cost != self.upper:
            raise CostError(
                f"the cost callables now make this mapping cost {amount(path.cost)}, not {amount(self.upper)} as when "
                "the distance was computed; compute the distance again"
            )
        return path


@dataclass(frozen=True)
class GedEstimate(GedResult):
    """A model's guess of the distance, and the interval in which the distance is proven to lie.

    The guess lies in the interval, and where that has one point it is the distance. ``nearest`` is the possible
    distance next to it: a guess of 6.3 where distances are 5, 7 and 9 means 7.
    """

    value: float = field(kw_only=True)
    nearest: float = field(kw_only=True)
    model: str = field(kw_only=True)
