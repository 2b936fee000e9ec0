"""One search: the library's functions that are most like one which is not there, found by an index of all of them."""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

from graphedx.api import GraphIndex, Hits
from graphedx.demo.functions import library_functions
from graphedx.drawing import Section
from graphedx.graph import Graph
from graphedx.io import python_source
from graphedx.search import IndexInfo, pages

SOURCE = "def is_empty(self): with self.lock: return not self.items"
"""The query, as it fits on a line."""
_NEAREST = 3


class Searched(NamedTuple):
    """A query, what was found, and the index in which it was."""

    query: Graph
    hits: Hits
    info: IndexInfo
    build_seconds: float


def searched() -> Searched:
    """Put all functions of the library into an index, and search it for those nearest to ``SOURCE``."""
    start = perf_counter()
    index = GraphIndex.build(library_functions())
    seconds = perf_counter() - start
    [query] = python_source.parse(SOURCE.replace(": ", ":\n ", 1).encode())
    return Searched(query, index.search(query, _NEAREST), index.info(), seconds)


def search_sections(found: Searched) -> list[Section]:
    """The part of the page about the search: numbers, hits, and a picture of each."""
    hits, info = found.hits, found.info
    return [
        Section(
            f"A search: which functions are most like {found.query.name}?",
            [
                f"Here is a function that the library does not have: {SOURCE}. An index of {info.graphs:,} functions "
                f"was built in {found.build_seconds:.2f} s; it takes {info.bytes_a_graph:.0f} bytes a graph.",
                f"Found in {1000 * hits.seconds:.1f} ms: {pages.summary(hits)}. {told(found)} "
                "Every edit costs 1 here; the costs belong to the query, so the same index answers for any others.",
                pages.ties_of(hits),
            ],
            table=pages.table_of(hits),
        ),
        *pages.pictures(hits),
    ]


def told(found: Searched) -> str:
    """How much work it was."""
    hits = found.hits
    return (
        f"What the index has stored ruled out {hits.total - hits.bounded:,} of {hits.total:,} graphs, tighter bounds "
        f"settled {hits.bounded - hits.searched:,} more, and {hits.searched:,} had to be searched."
    )
