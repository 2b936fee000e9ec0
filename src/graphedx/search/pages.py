"""What a search has found, in words and pictures; terminals and pages say the same."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from graphedx.costs import amount
from graphedx.drawing import Section, edit_path_svg
from graphedx.search.hits import UNPROVEN, Hit, Hits

_HURRIED = 1.0  # seconds for the edits of an approximate hit: who asks for such hits does not want to wait


def distance_of(hit: Hit) -> str:
    """The distance, or the interval that it lies in."""
    return amount(hit.upper) if hit.exact else f"{amount(hit.lower)} to {amount(hit.upper)}"


def summary(hits: Hits) -> str:
    """How many of how many, and how sure."""
    what = "nearest" if hits.radius is None else f"within {amount(hits.radius)}"
    said = f"{len(hits):,} {what} of {hits.total:,} graph{'' if hits.total == 1 else 's'}"
    if hits.approximate:
        return f"{said} ({UNPROVEN})"
    if hits.complete:
        return f"{said} (proven)"
    others = f", others may be as near as {amount(hits.unseen)}" if isfinite(hits.unseen) else ""
    return f"{said}; not proven within the limit: {len(hits.certain):,} certain{others}"


def ties_of(hits: Hits) -> str:
    """The graphs that are as near as the last hit; nothing if there are none."""
    if not hits.ties:
        return ""
    named = ", ".join(hit.id for hit in hits.ties[:5])
    return f"{len(hits.ties):,} more as near as the last: {named}{', ...' if len(hits.ties) > 5 else ''}"


def table_of(hits: Hits) -> list[tuple[object, ...]]:
    """The hits under their heads."""
    return [("", "graph", "distance"), *((place, hit.id, distance_of(hit)) for place, hit in enumerate(hits, 1))]


def pictures(hits: Hits, *, time_limit: float | None = None) -> Iterator[Section]:
    """The query beside each hit, and the edits between them; the limit is for hits of unknown distance."""
    if hits.approximate and time_limit is None:
        time_limit = _HURRIED
    for place, hit in enumerate(hits, 1):
        edits = hit.edit_path(time_limit=None if hit.exact else time_limit)
        yield Section(
            f"{place}. {hit.id}", figure=edit_path_svg(edits, title=f"Distance {distance_of(hit)}", dark=None)
        )
