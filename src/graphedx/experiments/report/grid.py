"""Tables of a report: cells in rows and columns with what is known of each, and which are the best of a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from graphedx.experiments.job import Job
from graphedx.experiments.paper import Number
from graphedx.experiments.place import SUBSTITUTES
from graphedx.experiments.store import Rows
from graphedx.experiments.table import Cell, Experiment, Measured, measured

Rank = Literal["best", "second", ""]


class Entry(NamedTuple):
    """A cell, its number and the paper's, and where both stand in their column."""

    cell: Cell
    found: Measured
    paper: Number | None
    rank: Rank
    paper_rank: Rank

    @property
    def substitutes(self) -> frozenset[str]:
        """Its datasets that are made of other graphs than the paper's."""
        return SUBSTITUTES & {name for group in self.cell.seeds for job in group for name in datasets_of(job)}


class Grid(NamedTuple):
    """One panel of an experiment; places without an entry were never asked for."""

    panel: str
    rows: tuple[str, ...]  # those of the paper first
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], Entry]
    beyond: frozenset[str]  # rows that the paper has not, where it has several others


def grids(experiment: Experiment, rows: Rows) -> list[Grid]:
    """The panels of an experiment. Best and second best are of the rows that the paper has, if it has several.

    Cells are ranked among equal budgets only: final ones or, in a column without any, those that were cut short, if
    all were cut short after the same number of epochs.
    """
    panels: dict[str, list[Cell]] = {}
    for cell in experiment.cells:
        panels.setdefault(cell.panel, []).append(cell)
    return [_grid(panel, cells, experiment.better, rows) for panel, cells in panels.items()]


def datasets_of(job: Job) -> set[str]:
    """Those that a job needs."""
    own = getattr(job, "dataset", None)
    return {name for need in job.needs for name in datasets_of(need)} | ({own} if isinstance(own, str) else set())


def _grid(panel: str, cells: list[Cell], better: str, rows: Rows) -> Grid:
    found = {cell: measured(cell, rows) for cell in cells}
    in_paper = {cell.row for cell in cells if cell.paper is not None}
    beyond = frozenset(cell.row for cell in cells if len(in_paper) > 1 and cell.row not in in_paper)
    ranks: dict[Cell, Rank] = {}
    paper_ranks: dict[Cell, Rank] = {}
    columns = tuple(dict.fromkeys(cell.column for cell in cells))
    for column in columns:
        there = [cell for cell in cells if cell.column == column and cell.row not in beyond]
        ranks |= _ranked({cell: found[cell].value for cell in _equal_budgets(there, found)}, better)
        paper_ranks |= _ranked({cell: said.value if (said := cell.reported()) else None for cell in there}, better)
    names = dict.fromkeys(cell.row for cell in cells)
    return Grid(
        panel=panel,
        rows=tuple(sorted(names, key=lambda name: name in beyond)),
        columns=columns,
        entries={
            (cell.row, cell.column): Entry(
                cell, found[cell], cell.reported(), ranks.get(cell, ""), paper_ranks.get(cell, "")
            )
            for cell in cells
        },
        beyond=beyond,
    )


def _equal_budgets(cells: list[Cell], found: Mapping[Cell, Measured]) -> list[Cell]:
    """Return the cells of a column that may be ranked beside each other."""
    known = [cell for cell in cells if found[cell].value is not None]
    final = [cell for cell in known if found[cell].budget == "final"]
    same = len({found[cell].budget for cell in known}) == 1 and all(found[cell].budget is not None for cell in known)
    return final or (known if same else [])


def _ranked(values: Mapping[Cell, float | None], better: str) -> dict[Cell, Rank]:
    """The best of at least two numbers and the second of at least three; equal numbers rank alike."""
    known = {cell: value for cell, value in values.items() if value is not None}
    if better == "none" or len(known) < 2:
        return {}
    best, *others = _in_order(set(known.values()), better)
    second = others[0] if others and len(known) > 2 else None
    return {cell: "best" if value == best else "second" for cell, value in known.items() if value in {best, second}}


def _in_order(values: Iterable[float], better: str) -> list[float]:
    return sorted(values, reverse=better == "higher")
