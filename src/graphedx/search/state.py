"""What an index holds at one moment: a collection and the ids of its graphs. It never changes; another follows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

from graphedx._collection import Collection
from graphedx.errors import IdError
from graphedx.graph import Graph
from graphedx.search.kept_vectors import KeptVectors


@dataclass(frozen=True)
class State:
    """Graphs by position, and by id; ``nodes`` and ``edges`` are those of all graphs together."""

    collection: Collection
    ids: tuple[str, ...]
    nodes: int
    edges: int
    vectors: KeptVectors

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Id -> position."""
        return {id: k for k, id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.ids)

    def id_of(self, position: int) -> str:
        return self.ids[position]

    def graph(self, position: int) -> Graph:
        return self.collection.graph(position).renamed(self.ids[position])

    def positions_of(self, ids: Iterable[str]) -> list[int]:
        """Where these are; one that is not there, or is named twice, is an IdError."""
        wanted = _listed(ids)
        for id in wanted:
            if not isinstance(id, str) or id not in self.position:
                raise IdError(f"the index has no graph {_quoted(id)}")
        _require_different(wanted)
        return [self.position[id] for id in wanted]


def chosen_ids(ids: Iterable[str] | None, names: Sequence[object], taken: Mapping[str, int]) -> tuple[str, ...]:
    """The ids that were given, else the graphs' names if all have different ones, else numbers that are free."""
    if ids is not None:
        wanted = _listed(ids)
        if len(wanted) != len(names):
            raise IdError(f"{len(names):,} graphs need as many ids, got {len(wanted):,}")
        require_ids(wanted)
    elif not any(map(_trouble_with, names)) and len(set(names)) == len(names):
        wanted = [str(name) for name in names]
    else:
        free = (number for number in map(str, count(len(taken))) if number not in taken)
        return tuple(islice(free, len(names)))
    for id in wanted:
        if id in taken:
            raise IdError(f"the index has a graph {_quoted(id)} already; remove it first, or give it another id")
    return tuple(wanted)


def require_ids(ids: Sequence[object]) -> None:
    """Refuse ids that are not text, not one line of it, or not different."""
    for id in ids:
        if trouble := _trouble_with(id):
            raise IdError(f"an id is one line of text, {_quoted(id)} {trouble}")
    _require_different(ids)


def _trouble_with(id: object) -> str:
    if not isinstance(id, str):
        return f"is of type {type(id).__name__}"
    if not id or "\n" in id:
        return "has another line" if id else "is empty"
    return "" if id.isascii() or id.encode("utf-8", "ignore").decode() == id else "holds half a character"


def _require_different(ids: Sequence[object]) -> None:
    if len(set(ids)) < len(ids):
        seen: set[object] = set()
        twice = next(id for id in ids if id in seen or seen.add(id))  # type: ignore[func-returns-value]
        raise IdError(f"the id {_quoted(twice)} is given twice; ids must be different")


def _listed(ids: Iterable[str]) -> list[str]:
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise IdError(f"ids must be a list of texts, got {_quoted(ids)}")
    return list(ids)


def _quoted(id: object) -> str:
    text = repr(id)
    return text if len(text) <= 60 else f"{text[:57]}..."
