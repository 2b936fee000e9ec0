"""What a search finds: graphs with proven distances, and how sure it is that there are no nearer ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from numbers import Integral
from typing import Any, NamedTuple, Protocol, overload

from graphedx import solvers
from graphedx._collection import Found
from graphedx._limits import as_limit
from graphedx.convert import as_graph
from graphedx.costs import EditCosts, amount, require_costs
from graphedx.edits import EditPath
from graphedx.errors import MethodError, NotProvenError
from graphedx.graph import Graph


class Members(Protocol):
    """The graphs that were searched, by their positions."""

    def __len__(self) -> int: ...

    def id_of(self, position: int) -> str: ...

    def graph(self, position: int) -> Graph:
        """Named by its id."""


class Asked(NamedTuple):
    """What was looked for; exactly one of ``k`` and ``radius`` is given."""

    query: Graph
    costs: EditCosts
    k: int | None = None
    radius: float | None = None
    approximate: bool = False

    @classmethod
    def checked(cls, query: Any, costs: EditCosts, **wanted: Any) -> Asked:
        """What a caller asks for, if it makes sense."""
        require_costs(costs)
        if "k" in wanted:
            k = wanted["k"]
            if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
                raise MethodError(f"k must be a whole number >= 1, got {k!r}")
            if not isinstance(approximate := wanted.get("approximate", False), bool):
                raise MethodError(f"approximate must be True or False, got {approximate!r}")
            return cls(as_graph(query), costs, k=int(k), approximate=approximate)
        radius = as_limit("radius", wanted["radius"])
        if radius is None:
            raise MethodError("radius must be a number >= 0, got None")
        return cls(as_graph(query), costs, radius=radius)


@dataclass(frozen=True, slots=True)
class _Alone:
    """A graph that has left the index."""

    named: Graph

    def __len__(self) -> int:
        return 1

    def id_of(self, position: int) -> str:
        return self.named.name or ""

    def graph(self, position: int) -> Graph:
        return self.named


@dataclass(frozen=True, slots=True)
class Hit:
    """A graph of the index, and the proven interval of its distance from the query.

    Pickled, it has its own graph with it, and not the whole index.
    """

    id: str
    lower: float
    upper: float
    _asked: Asked = field(repr=False, compare=False)
    _members: Members = field(repr=False, compare=False)
    _position: int = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        return Hit, (self.id, self.lower, self.upper, self._asked, _Alone(self.graph), self._position)

    @property
    def exact(self) -> bool:
        """Whether the distance is known: lower == upper."""
        return self.lower == self.upper

    @property
    def distance(self) -> float:
        """The proven distance.

        Raises:
            NotProvenError: only bounds are known; the message names them.
        """
        if not self.exact:
            interval = f"[{amount(self.lower)}, {amount(self.upper)}]"
            what = "search without approximate" if self._asked.approximate else "raise time_limit"
            raise NotProvenError(f"the distance of {self.id!r} lies in {interval}; {what} to prove it")
        return self.upper

    @property
    def graph(self) -> Graph:
        """The graph itself, named by its id; its nodes are 0, 1, ..."""
        return self._members.graph(self._position)

    def edit_path(self, *, time_limit: float | None = None) -> EditPath:
        """The edits that turn the query into this graph, computed when asked for.

        Where the distance is known they cost that much; with a ``time_limit`` in seconds, or where only bounds are
        known, they are the cheapest that were found.
        """
        limit = as_limit("time_limit", time_limit)
        # With a known distance as the cutoff the search has only to find the mapping again, not to prove it the best.
        method, cutoff = ("exact", self.upper) if self.exact else ("auto", None)
        query, costs, *_ = self._asked
        result = solvers.get(method).solve(query, self.graph, costs=costs, time_limit=limit, cutoff=cutoff)
        return result.edit_path()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"id": self.id, "lower": self.lower, "upper": _finite(self.upper), "exact": self.exact}


@dataclass(frozen=True, repr=False)
class Hits(Sequence[Hit]):
    """The hits of a search, nearest first; those of the same distance in the order of the index.

    ``complete``: these are proven to be the ``k`` nearest, or all within the ``radius``, and all distances are known.
    Otherwise the time limit struck: they are the best that is known, and ``certain`` are those that belong here
    whatever the rest turns out to be. ``ties`` are the graphs that are as near as the last hit and have no place among
    the ``k``. Every graph that is neither a hit nor a tie is at least ``unseen`` away. ``bounded`` graphs got past what
    the index has stored of them to a tighter bound, and ``searched`` of those to a search for their exact distance.

    ``approximate``: only some graphs were looked at, so nearer ones may have been missed; such hits are never complete.
    The interval of each of them is proven all the same.
    """

    hits: tuple[Hit, ...]
    ties: tuple[Hit, ...]
    complete: bool
    approximate: bool
    k: int | None
    radius: float | None
    unseen: float
    total: int  # graphs in the index
    bounded: int
    searched: int
    seconds: float

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, place: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[place]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the hits."""
        return tuple(hit.id for hit in self.hits)

    @property
    def certain(self) -> tuple[Hit, ...]:
        """The hits that are proven to belong here: no other graph can push them out, or they are within the radius."""
        limit = self.unseen if self.radius is None else self.radius
        return tuple(hit for hit in self.hits if hit.upper <= limit)

    def __repr__(self) -> str:
        what = "nearest" if self.radius is None else f"within {amount(self.radius)}"
        sure = "proven" if self.complete else f"{len(self.certain)} of them certain"
        sure = UNPROVEN if self.approximate else sure
        lines = [f"Hits({len(self):,} {what} of {self.total:,} graphs, {sure}, {self.seconds:.3g} s)"]
        lines += [f"  {_said(hit):>8}  {hit.id}" for hit in self.hits[:_SHOWN]]
        lines += [f"  ... and {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        lines += [f"  {len(self.ties):,} more as near as the last: {_listed(self.ties)}"] if self.ties else []
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a bound that says nothing is ``None``."""
        return {
            "complete": self.complete,
            "approximate": self.approximate,
            "k": self.k,
            "radius": None if self.radius is None else _finite(self.radius),
            "hits": [hit.to_dict() for hit in self.hits],
            "ties": [hit.to_dict() for hit in self.ties],
            "unseen": _finite(self.unseen),
            "graphs": self.total,
            "bounded": self.bounded,
            "searched": self.searched,
            "seconds": self.seconds,
        }

    def to_json(self, **keywords: Any) -> str:
        return json.dumps(self.to_dict(), **keywords)


_SHOWN = 20
UNPROVEN = "approximate: not proven that no nearer graph was missed"


def gathered(asked: Asked, members: Members, found: Found, seconds: float) -> Hits:
    """The hits of what was found."""
    columns = zip(found.positions.tolist(), found.lower.tolist(), found.upper.tolist(), strict=True)
    listed = [
        Hit(members.id_of(position), lower, upper, asked, members, position)
        for position, lower, upper in columns
        if asked.radius is None or lower <= asked.radius
    ]
    first, rest = (listed, []) if asked.k is None else (listed[: asked.k], listed[asked.k :])
    unseen = float(found.unseen)
    if not found.complete:  # then the rest are no ties, only candidates like all the others
        unseen, rest = min([unseen, *(hit.lower for hit in rest)]), []
    return Hits(
        hits=tuple(first),
        ties=tuple(rest),
        complete=bool(found.complete) or _all_known(asked, first, len(members), unseen),
        approximate=asked.approximate,
        k=asked.k,
        radius=asked.radius,
        unseen=unseen,
        total=len(members),
        bounded=int(found.bounded),
        searched=int(found.searched),
        seconds=seconds,
    )


def _all_known(asked: Asked, hits: Sequence[Hit], total: int, unseen: float) -> bool:
    """Whether the limit struck when the answer was there: no graph that is not listed can come as near as the last."""
    if asked.k is not None and len(hits) < min(asked.k, total):
        return False
    furthest = max((hit.upper for hit in hits), default=inf) if asked.radius is None else asked.radius
    return all(hit.exact for hit in hits) and furthest < unseen


def _said(hit: Hit) -> str:
    return amount(hit.upper) if hit.exact else f"[{amount(hit.lower)}, {amount(hit.upper)}]"


def _listed(hits: Sequence[Hit]) -> str:
    ids = ", ".join(hit.id for hit in hits[:5])
    return ids if len(hits) <= 5 else f"{ids}, ..."


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
