"""Tables of the documentation that are made from result files, so that they stay true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphedx._files import atomic_write
from record import HERE

DOCS = HERE.parent / "docs"
END = "<!-- Up to here. -->\n"


def begin(study: str, folder: str = "studies") -> str:
    """The mark of the place where a page has the tables of a study."""
    return f"<!-- From benchmarks/results/{study}.csv, by {folder}/{study}.py --table; not by hand. -->\n"


def put_into(page: Path, mark: str, text: str) -> None:
    """Put tables where the page has the mark of their place."""
    before, rest = page.read_text(encoding="utf-8").split(mark)
    after = rest.split(END, 1)[1]
    with atomic_write(page, overwrite=True, mode="w", encoding="utf-8") as file:
        file.write(f"{before}{mark}\n{text}\n{END}{after}")


def markdown(head: Sequence[str], words: int, lines: Sequence[Sequence[str]]) -> str:
    """A table of which the first columns are words, and the others numbers."""
    marks = ["---"] * words + ["---:"] * (len(head) - words)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, marks, *lines))
