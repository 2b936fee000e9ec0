"""What claims are decided by: the numbers of all cells, ours or the paper's, and comparisons of two of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from statistics import median
from typing import Literal, NamedTuple

from graphedx.drawing.text import counted
from graphedx.experiments.job import Job, Solve
from graphedx.experiments.paper import methods, tables
from graphedx.experiments.report.words import heading, number
from graphedx.experiments.store import Rows
from graphedx.experiments.table import Cell, Experiment, measured

Verdict = Literal["confirmed", "contradicted", "open"]

CONFIRMED, CONTRADICTED = 0.8, 0.5  # at least this share of comparisons, at most this
_MOST_NAMED = 5
FEWEST = 3  # comparisons that a verdict needs
NOTHING = "Nothing can be compared yet."


class Point(NamedTuple):
    """A number by what it is of: by the paper's words where the paper has it, else by those of its experiment."""

    table: str
    method: str
    costs: str
    dataset: str
    metric: str
    column: str  # where it stands, if the paper has no such number
    limit: float | None  # seconds a pair, of a method that was given a limit
    value: float | None  # None if it is asked for, but not there
    error: float
    final: bool = True  # more computing would not change it

    @property
    def where(self) -> tuple[str, ...]:
        """Numbers with the same can be compared."""
        return (self.table, self.costs, self.dataset, self.metric, self.column)


class Check(NamedTuple):
    """One comparison that a claim is about."""

    said: str
    holds: bool | None  # None: too close to tell, within the standard errors of both
    factor: float  # by which the one differs from the other
    unfinished: bool = False  # one of them is not final, so this may change
    dataset: str = ""
    between: tuple[str, str] = ("", "")  # the methods
    place: tuple[str, ...] = ()  # the same for our numbers and the paper's


class Decision(NamedTuple):
    """What comes of a claim."""

    verdict: Verdict
    because: str
    checks: Sequence[Check]


def our_points(experiments: Iterable[Experiment], rows: Rows) -> list[Point]:
    """The numbers that we have, and the places of those that we have not; each once."""
    return _points(experiments, lambda cell: _ours(cell, rows))


def paper_points(experiments: Iterable[Experiment]) -> list[Point]:
    """The paper's numbers for the same cells."""
    return _points(experiments, _papers)


def some(points: Iterable[Point], table: str, *, metric: str = "mse", **known: str) -> Iterator[Point]:
    """The points of a table, or of all whose names begin like it: ``zero-shot`` is ``zero-shot-aids``, too.

    Only methods that the paper has: its claims are not about others that stand in the same table.
    """
    for point in points:
        if (
            (point.table == table or point.table.startswith(f"{table}-"))
            and point.metric == metric
            and point.method in _methods()
            and all(getattr(point, name) == value for name, value in known.items())
        ):
            yield point


def duels(winners: Iterable[Point], losers: Iterable[Point], *, higher: bool = False) -> list[Check]:
    """Each of the first beside each of the second of the same place; it holds where the first is better."""
    against: dict[object, list[Point]] = {}
    for point in losers:
        against.setdefault(point.where, []).append(point)
    return [
        duel(one, other, higher=higher)
        for one in winners
        for other in against.get(one.where, [])
        if one.method != other.method and one.value is not None and other.value is not None
    ]


def duel(one: Point, other: Point, *, higher: bool = False) -> Check:
    """Whether the first number is better than the second."""
    assert one.value is not None
    assert other.value is not None
    ahead = (one.value - other.value) * (1 if higher else -1)
    close = abs(ahead) <= math.hypot(one.error, other.error)
    sign = "=" if ahead == 0 else "<" if one.value < other.value else ">"
    said = f"{placed(one)}: {one.method} {number(one.value)} {sign} {other.method} {number(other.value)}"
    return Check(
        said,
        None if close else ahead > 0,
        _factor(one.value, other.value),
        unfinished=not (one.final and other.final),
        dataset=one.dataset,
        between=(one.method, other.method),
        place=(*one.where, one.method, other.method),
    )


def within(value: float, error: float, least: float, most: float) -> bool | None:
    """Whether a number lies between two others; None if that is too close to tell."""
    inside = least <= value - error and value + error <= most
    return True if inside else False if value + error < least or value - error > most else None


def placed(point: Point) -> str:
    """Where a number is of, in words."""
    trained = f", {point.table}" if point.table.startswith("zero-shot") else ""
    return f"{point.dataset}, {point.costs}{trained}"


def decided(
    checks: Sequence[Check],
    about: str = "",
    need: float = CONFIRMED,
    *,
    each: bool = False,
    marked: Collection[str] = (),
    agreed: Collection[tuple[str, ...]] | None = None,
    methods: Collection[str] = (),
) -> Decision:
    """Decide by the share of comparisons that hold, of those that can be told and whose numbers are final.

    ``about`` is a sentence with a place for the median of their factors. With ``each`` the claim is one about every two
    methods by themselves: it is contradicted if that of any two is. Datasets that are ``marked`` are of other graphs
    than the paper's: they are shown so, and a verdict needs a comparison on another one. ``agreed`` are the places
    where the paper's own numbers say what the claim says; a verdict counts no others. None: the paper has no numbers.
    Each of ``methods`` needs a comparison before there is a verdict; with ``each``, one method can contradict alone.
    """
    told = [check for check in checks if check.holds is not None and not check.unfinished]
    sure = [check for check in told if agreed is None or check.place in agreed]
    holds = [check for check in sure if check.holds]
    if not checks:
        return Decision("open", NOTHING, [])
    close = sum(check.holds is None for check in checks)
    unfinished = [check for check in checks if check.holds is not None and check.unfinished]
    parts = [f"holds in {len(holds)} of {counted(len(sure), 'comparison')}{_where(sure, marked)}"]
    if not sure:
        parts = [f"nothing to count yet{_where(checks, marked).removesuffix(' only')}"]
    failing = _failing(sure, need) if each else []
    there = {check.between[1] for check in sure}
    missing = sorted(name for name in methods if not any(one == name or one.startswith(f"{name} ") for one in there))
    parts += [f"nothing to count of {', '.join(missing)}"] if missing and sure else []
    parts += [f"not for {', '.join(failing)}"] if failing else []
    parts += [f"{close} too close to tell"] if close else []
    if len(sure) < len(told):
        parts.append(f"{len(told) - len(sure)} not counted, since the paper's own numbers there do not say so")
    if unfinished:
        so_far = sum(check.holds is True for check in unfinished)
        parts.append(f"{len(unfinished)} with numbers that are not final ({so_far} of them hold so far)")
    factors = [check.factor for check in checks if math.isfinite(check.factor)]
    because = "; ".join(parts)
    because = because[0].upper() + because[1:] + "."
    if about and factors:
        because += f" {about.format(number(median(factors)))}"
    verdict = "contradicted" if failing else _verdict(len(holds), len(sure), need)
    if all(check.dataset in marked for check in sure if check.dataset) and any(check.dataset for check in sure):
        verdict = "open"  # nothing is of the paper's data
    if missing and not (each and verdict == "contradicted"):
        verdict = "open"
    return Decision(verdict, because, checks)


def _failing(sure: Sequence[Check], need: float) -> list[str]:
    """The methods for which a claim is contradicted, and by how many comparisons."""
    found: dict[tuple[str, str], list[bool]] = {}
    for check in sure:
        found.setdefault(check.between, []).append(check.holds is True)
    return [
        f"{' and '.join(between)} ({sum(holds)} of {len(holds)})"
        for between, holds in found.items()
        if _verdict(sum(holds), len(holds), need) == "contradicted"
    ]


def _where(checks: Sequence[Check], marked: Collection[str]) -> str:
    """On which datasets: what holds on one may not hold on others."""
    names = list(dict.fromkeys(heading(check.dataset, marked) for check in checks if check.dataset))
    if len(names) > _MOST_NAMED:
        return f" on {len(names)} datasets"
    return f" on {', '.join(names)}{' only' if len(names) == 1 else ''}" if names else ""


def _verdict(holds: int, sure: int, need: float) -> Verdict:
    if sure < FEWEST:
        return "open"
    share = holds / sure
    return "confirmed" if share >= need else "contradicted" if share <= CONTRADICTED else "open"


def _factor(value: float, other: float) -> float:
    return value / other if other else math.nan


class _Value(NamedTuple):
    value: float | None
    error: float = 0.0
    final: bool = True


def _ours(cell: Cell, rows: Rows) -> _Value:
    found = measured(cell, rows)
    return _Value(found.value, found.error or 0.0, found.status == "final")


def _papers(cell: Cell) -> _Value:
    said = cell.reported()
    return _Value(None) if said is None else _Value(said.value, said.stderr or 0.0)


def _points(experiments: Iterable[Experiment], known: Callable[[Cell], _Value]) -> list[Point]:
    found: dict[tuple[object, ...], Point] = {}
    for experiment in experiments:
        for cell in experiment.cells:
            point = Point(*_name(experiment, cell), *known(cell))
            found.setdefault(point[:7], point)
    return list(found.values())


def _name(experiment: Experiment, cell: Cell) -> tuple[str, str, str, str, str, str, float | None]:
    job = cell.seeds[0][0]
    limit = job.limit if isinstance(job, Solve) else None
    if cell.paper is not None:
        return (cell.paper.table, cell.paper.method, cell.paper.costs, cell.paper.dataset, cell.metric, "", limit)
    method = job.method if isinstance(job, Solve) else cell.row
    costs, dataset = _of(job, "costs") or cell.panel, _of(job, "dataset") or cell.column
    return (experiment.name, method, costs, dataset, cell.metric, cell.column, limit)


@cache
def _methods() -> frozenset[str]:
    return frozenset(method for table in tables() for method in methods(table))


def _of(job: Job, name: str) -> str:
    """An attribute of a job, or of the training that it rests on."""
    own = getattr(job, name, None) or getattr(getattr(job, "train", None), name, None)
    return own if isinstance(own, str) else ""
