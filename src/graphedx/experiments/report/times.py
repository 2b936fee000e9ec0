"""Figures of time: errors against the limit that methods are given, as the paper has it, and against the time taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphedx.drawing import tradeoff_svg
from graphedx.experiments.declared.methods import GRAPHEDX
from graphedx.experiments.job import LOWER_BOUNDS, Solve, Timing
from graphedx.experiments.paper import reported
from graphedx.experiments.report.picture import Picture
from graphedx.experiments.report.tested import Place, best_of_kinds, ordered
from graphedx.experiments.report.words import of_dataset
from graphedx.experiments.store import Row

LIMITS, TRADEOFFS = "Error against the time limit", "Accuracy against time"
_PER_MODEL = "_seconds"
_IN_THE_PAPER = f"{GRAPHEDX}, paper"
_PAPERS_SECONDS = 1e-4  # "often predicts the GED in about 10^-4 seconds per graph"

Point = tuple[float, float]
Series = dict[str, list[Point]]
Solved = Mapping[tuple[str, float | None], Row]  # by method and limit


def time_pictures(rows: Sequence[Row], dark: bool | None = None) -> list[Picture]:
    """Both kinds for all datasets and costs that have the numbers; else what is missing."""
    models = _models(rows)
    limits, times = list(_limits(_solved(rows, min), models, dark)), list(_tradeoffs(_solved(rows, max), models, dark))
    missing = "Not drawn: no two methods or models have been both tested and timed."
    return (limits or [Picture(LIMITS, missing)]) + (times or [Picture(TRADEOFFS, missing)])


def _solved(rows: Sequence[Row], which: Any) -> dict[Place, Solved]:
    """By method and limit; where two samples of pairs were solved, the smaller or the larger, as ``which`` says."""
    found: dict[Place, dict[tuple[str, float | None], list[Row]]] = {}
    for row in rows:
        if row.job.get("kind") == Solve.kind and row.number("mean_seconds") and row.number("mse") is not None:
            job = row.asked()
            assert isinstance(job, Solve)
            found.setdefault((job.dataset, job.costs), {}).setdefault((job.method, job.limit), []).append(row)
    return {
        place: {key: which(some, key=lambda row: row.number("pairs") or 0.0) for key, some in there.items()}
        for place, there in found.items()
    }


def _models(rows: Sequence[Row]) -> dict[Place, Series]:
    """Trained models that were timed, each as one point."""
    times = {str(row.job["dataset"]): row for row in rows if row.job.get("kind") == Timing.kind}
    found: dict[Place, Series] = {}
    for (dataset, costs), models in best_of_kinds(rows).items():
        for one in models:
            timed = times.get(dataset)
            seconds = None if timed is None else timed.number(one.job.model + _PER_MODEL)
            if seconds:
                found.setdefault((dataset, costs), {})[one.name] = [(seconds, one.mse)]
    return found


def _limits(solved: Mapping[Place, Solved], models: Mapping[Place, Series], dark: bool | None) -> Iterator[Picture]:
    """The paper's figure, with its own number beside ours."""
    for place in ordered(solved):
        series: Series = {}
        for (method, limit), row in sorted(solved[place].items(), key=lambda item: item[0][0]):
            lower = row.number("lower_mse") if method in LOWER_BOUNDS else None
            if limit:
                name = f"{method}, upper bound" if method in LOWER_BOUNDS else method
                series.setdefault(name, []).append((limit, row.number("mse") or 0.0))
            if limit and lower is not None:
                series.setdefault(f"{method}, lower bound", []).append((limit, lower))
        if len(series) < 2:
            continue
        dataset, costs = place
        if GRAPHEDX in models.get(place, {}):
            series[GRAPHEDX] = models[place][GRAPHEDX]
        said = reported("baselines", GRAPHEDX, costs, dataset, "mse")
        if said is not None:
            series[_IN_THE_PAPER] = [(_PAPERS_SECONDS, said.value)]
        yield Picture(
            LIMITS,
            f"The limit that a method is given for a pair; {GRAPHEDX} at the time that it takes, and at that which the "
            "paper gives. Methods solve the same sample of 100 pairs (F2: of 20), GraphEdX has all. Errors are of "
            "upper bounds; those that the paper calls lower-bound methods have both, each by its name.",
            tradeoff_svg(series, captions=("time limit, seconds a pair", "mean squared error"), dark=dark),
            of_dataset(dataset, costs),
        )


def _tradeoffs(solved: Mapping[Place, Solved], models: Mapping[Place, Series], dark: bool | None) -> Iterator[Picture]:
    """Every method at each limit, and every model that was timed."""
    for place in ordered({*solved, *models}):
        series: Series = {}
        for (method, _), row in sorted(solved.get(place, {}).items(), key=lambda item: item[0][0]):
            series.setdefault(method, []).append((row.number("mean_seconds") or 0.0, row.number("mse") or 0.0))
        series |= models.get(place, {})
        if len(series) > 1:
            yield Picture(
                TRADEOFFS,
                "Mean squared error and mean time a pair on one thread, both with equal room for equal factors. The "
                "dashed line is the best that can be had in a given time. Methods were given several limits; those "
                "of the paper were asked for a sample of pairs, all others for all.",
                tradeoff_svg(series, dark=dark),
                of_dataset(*place),
            )
