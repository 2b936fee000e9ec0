"""The README's table of errors: the paper's model and the best of the others, the paper's numbers and ours."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphedx.experiments import Cell, Measured, Rows, experiments, measured
from graphedx.experiments.declared.common import COSTS, DATASETS
from graphedx.experiments.declared.methods import BASELINES, GRAPHEDX
from graphedx.experiments.place import SUBSTITUTES
from graphedx.experiments.report.words import CUT_SHORT, SUBSTITUTE, number
from page_tables import markdown

OWN = ("bracket", "auto, 0.1 ms", "auto, 1 ms", "auto, 10 ms", "exact")
TIMED, NOT_RUN = "aids", "not run"
LEGEND = (
    "Mean squared errors on the test pairs under uniform / non-uniform costs, and microseconds a pair on AIDS, one "
    f"thread. {SUBSTITUTE} is of other graphs than the paper's, which cannot be had. Our models are trained by the "
    "published protocol, until 101 epochs in a row have not improved the validation error; only trainings that reached "
    f"this stop are final. {CUT_SHORT} is cut short: not all trainings behind the number are final, or some are "
    "missing. The best baseline is of the final ones, in brackets how many of the nine these are."
)
Cells = dict[tuple[str, str, str], Cell]  # by method, dataset and costs


def table(rows: Rows) -> str:
    """Of datasets with a number of ours, in Markdown, with what the marks mean."""
    cells = {(cell.row, cell.column, cell.panel): cell for cell in experiments()["baselines"].cells}
    shown = [name for name in DATASETS if any(measured(cells[way, name, COSTS[0]], rows).seeds for way in OWN)]
    heads = ["", *(f"{name} {SUBSTITUTE}" if name in SUBSTITUTES else name for name in shown), "µs"]
    lines = [
        ["best baseline, paper", *(_papers(cells, BASELINES.values(), name) for name in shown), ""],
        ["best baseline, ours", *(_best(cells, rows, name) for name in shown), ""],
        [f"{GRAPHEDX}, paper", *(_papers(cells, [GRAPHEDX], name) for name in shown), ""],
        [f"{GRAPHEDX}, ours", *(_ours(cells, rows, GRAPHEDX, name) for name in shown), _microseconds(rows, GRAPHEDX)],
        *([f"`{way}`", *(_ours(cells, rows, way, name) for name in shown), _microseconds(rows, way)] for way in OWN),
    ]
    return f"{markdown(heads, 1, lines)}\n\n{LEGEND}\n"


def _papers(cells: Cells, methods: Collection[str], dataset: str) -> str:
    """The least of the paper's numbers, under both costs."""
    found = [[cells[method, dataset, costs].reported() for method in methods] for costs in COSTS]
    return " / ".join(number(min(said.value for said in column if said is not None)) for column in found)


def _ours(cells: Cells, rows: Rows, method: str, dataset: str) -> str:
    return _both([_shown(measured(cells[method, dataset, costs], rows)) for costs in COSTS])


def _best(cells: Cells, rows: Rows, dataset: str) -> str:
    """Return the least of the final ones, and how many are final, unless all nine; never one that was cut short."""
    words = []
    for costs in COSTS:
        found = [measured(cells[method, dataset, costs], rows) for method in BASELINES.values()]
        known = [one for one in found if one.status == "final"]
        best = _shown(min(known, key=lambda one: one.value or 0.0)) if known else NOT_RUN
        words.append(best + (f" ({len(known)} of {len(found)})" if 0 < len(known) < len(found) else ""))
    return _both(words)


def _both(words: Sequence[str]) -> str:
    """Of both costs; once, if nothing is there."""
    return NOT_RUN if set(words) == {NOT_RUN} else " / ".join(words)


def _shown(found: Measured) -> str:
    if found.value is None:
        return NOT_RUN
    return number(found.value) + ("" if found.status == "final" else f" {CUT_SHORT}")


def _microseconds(rows: Rows, method: str) -> str:
    """By the table of times, whose first panel has guesses and methods."""
    cell = next(cell for cell in experiments()["inference-time"].cells if (cell.row, cell.column) == (method, TIMED))
    found = measured(cell, rows)
    return "" if found.value is None else f"{found.value:.1f}"
