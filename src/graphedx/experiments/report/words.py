"""How a report writes numbers and what is to be said of them, the same in HTML and in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from graphedx.drawing.text import clean, counted, shorten
from graphedx.experiments.place import SUBSTITUTES
from graphedx.experiments.report.grid import Entry, Rank
from graphedx.experiments.selection import model_of
from graphedx.experiments.store import Row

MARKS: dict[Rank, str] = {"best": "★", "second": "☆", "": ""}
SUBSTITUTE = "‡"
CUT_SHORT = "✂"
_LONGEST_FAILURE = 60


def number(value: float) -> str:
    """Three decimals as in the paper, fewer where a number is large and more digits where it is small.

    >>> number(0.41471), number(1000.0), number(0.0000123), number(1234.5), number(0.0)
    ('0.415', '1,000', '1.23e-05', '1,234', '0')
    """
    if value.is_integer():
        return f"{value:,.0f}"
    decimals = _decimals(value)
    return f"{value:.3g}" if decimals is None else f"{value:,.{decimals}f}"


def _decimals(value: float) -> int | None:
    """How many a number has; None if it is so small that its digits are counted instead."""
    size = abs(value)
    return None if 0 < size < 0.01 else 3 if size < 100 else 1 if size < 1000 else 0


def spread(entry: Entry) -> str:
    """What follows the number: its standard error over seeds or, of one seed, over test pairs."""
    found = entry.found
    if found.value is None or found.error is None:
        return ""
    decimals = _decimals(found.value)
    small = decimals is None or 0 < found.error < 0.5 * 10**-decimals
    written = f"{found.error:.2g}" if small or not found.error else f"{found.error:,.{decimals}f}"
    return f"± {written}{'' if found.spread is None else f', {found.seeds} seeds'}"


def state(entry: Entry) -> str:
    """What stands where there is no number."""
    found = entry.found
    if found.value is not None:
        return ""
    if found.stale:
        return "not run (stale)"
    if found.failures:
        return f"failed: {shorten(clean(found.failures[0]), _LONGEST_FAILURE)}"
    return "not run"


def notes(entry: Entry) -> list[str]:
    """What else has to be known of a number."""
    found = entry.found
    if found.value is None:
        return []
    missing = [f"{found.seeds} of {found.of} seeds"] if found.seeds < found.of else []
    missing += ["not all variants"] if found.partial else []
    missing += [f"{counted(found.stale, 'variant')} stale"] if found.stale else []
    missing += [f"{CUT_SHORT} {counted(found.cut_short, 'epoch')}"] if found.cut_short is not None else []
    return missing + ([f"{len(found.failures)} failed"] if found.failures else [])


def paper(entry: Entry) -> str:
    """The paper's number and its rank, marked if it is one of other graphs and its row or column does not say so."""
    if entry.paper is None:
        return ""
    unsaid = entry.substitutes and not entry.substitutes & {entry.cell.row, entry.cell.column}
    return f"{MARKS[entry.paper_rank]} {number(entry.paper.value)}{f' {SUBSTITUTE}' if unsaid else ''}".strip()


def paper_error(entry: Entry) -> str:
    """The standard error that the paper has for its number."""
    error = None if entry.paper is None else entry.paper.stderr
    return "" if error is None else f"± {number(error)}"


def heading(name: str, substitutes: Iterable[str]) -> str:
    """A row's or column's name, marked if it has that of a substitute in it."""
    return f"{name} {SUBSTITUTE}" if set(name.split()) & set(substitutes) else name


def of_dataset(dataset: str, costs: str) -> str:
    """What stands above a figure."""
    return f"{heading(dataset, SUBSTITUTES)}, {costs}"


def staleness(rows: Iterable[Row]) -> str:
    """Return a sentence that counts rows of older results versions, by what they are of; nothing if there are none."""
    stale = [row for row in rows if row.is_stale]
    if not stale:
        return ""
    names = Counter(model_of(row.asked()) or row.job["kind"] for row in stale)
    told = ", ".join(f"{name} {count}" for name, count in names.most_common())
    return f"{counted(len(stale), 'row')} of an older results version do not count: {told}."


LEGEND = (
    "A cell is final if every training behind it reached its early stop, or the declared number of epochs of its "
    f"protocol. {CUT_SHORT} marks cells with trainings that were cut short after so many epochs; cells with missing "
    "seeds or variants are cut short, too. Stale: computed by an older version of the model or method, and not "
    f"counted. {MARKS['best']} best and {MARKS['second']} second best of a column, of the rows that the paper has, "
    "among cells with the same budget only: final ones or, where there are none, those that were cut short after the "
    "same number of epochs. "
    "± is the standard error over so many seeds or, where none are named, over the test pairs of one run, or over the "
    "costs where there are many. "
    f"{SUBSTITUTE} marks datasets made of as many other graphs as the paper's, which cannot be had: there the paper's "
    "numbers are of other data."
)
