"""The figures of a report, drawn of what rows carry: guesses beside the truth, errors, and accuracy against time."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import datasets
from graphedx.costs import EditCosts
from graphedx.drawing import histogram_svg, scatter_svg, tradeoff_svg
from graphedx.errors import GraphEdXError
from graphedx.experiments.job import Solve, Train
from graphedx.experiments.place import Place
from graphedx.experiments.report.words import number
from graphedx.experiments.store import Row

GUESSES = "guesses.npy"  # as ``work.testing`` has it, which takes torch
_MOST_PLACES = 4
_MOST_POINTS = 1500  # a picture of all pairs of a large dataset would be megabytes
_PER_MODEL = "_seconds"


class Picture(NamedTuple):
    """A figure and what it shows; without ``svg``, why there is none."""

    title: str
    text: str
    svg: str = ""


class Tested(NamedTuple):
    """A trained model that stands for its kind: that with the least validation error."""

    job: Train
    row: Row
    mse: float


def pictures(rows: Sequence[Row], folder: Path) -> list[Picture]:
    """All figures that these rows have the numbers for; the others say what is missing."""
    found = list(_guesses(rows, Place(folder)))
    if not found:
        found.append(
            Picture("Guesses against the truth", "Not drawn: no guesses of trained models are beside the rows.")
        )
    times = list(_tradeoffs(rows))
    if not times:
        times.append(
            Picture("Accuracy against time", "Not drawn: no methods or models have been both tested and timed.")
        )
    return found + times


def best_of_kinds(rows: Iterable[Row]) -> dict[tuple[str, str], list[Tested]]:
    """By dataset and costs, one training of every kind of model, the least error first."""
    found: dict[tuple[str, str], dict[str, Tested]] = {}
    for row in rows:
        if row.job.get("kind") != Train.kind or (mse := row.number("mse")) is None:
            continue
        job = row.asked()
        assert isinstance(job, Train)
        kinds = found.setdefault((job.dataset, job.costs), {})
        if job.model not in kinds or _validation(row) < _validation(kinds[job.model].row):
            kinds[job.model] = Tested(job, row, mse)
    return {where: sorted(kinds.values(), key=lambda one: one.mse) for where, kinds in found.items()}


def _guesses(rows: Sequence[Row], place: Place) -> Iterator[Picture]:
    """For some datasets and costs: the best model and the next, pair by pair."""
    drawn = 0
    for (dataset, costs), models in sorted(best_of_kinds(rows).items(), key=lambda item: -len(item[1])):
        if drawn == _MOST_PLACES:
            return
        shown = [one for one in models if (place.run(one.job) / GUESSES).is_file()][:2]
        truth = _truth(place, dataset, costs) if shown else None
        if truth is None:
            continue
        chosen = "; ".join(f"{one.job.model}: {_chosen(one.job)}" for one in shown)
        guesses = {f"{one.job.model}, MSE {number(one.mse)}": _read(place.run(one.job) / GUESSES) for one in shown}
        guesses = {name: values for name, values in guesses.items() if values.shape == truth.shape}
        if not guesses:
            continue
        drawn += 1
        yield from _drawn(dataset, costs, guesses, truth, chosen)


def _drawn(
    dataset: str, costs: str, guesses: dict[str, NDArray[np.float64]], truth: NDArray[np.float64], chosen: str
) -> Iterator[Picture]:
    which = np.arange(len(truth))
    told = f"all {len(truth):,} test pairs"
    if len(truth) > _MOST_POINTS:
        which = np.array(sorted(random.Random(0).sample(range(len(truth)), _MOST_POINTS)))
        told = f"{_MOST_POINTS:,} of {len(truth):,} test pairs, drawn at random"
    who = "The model with the least error, and the next" if len(guesses) > 1 else "The only model that is there"
    yield Picture(
        f"Guesses against the truth: {dataset}, {costs}",
        f"{who}: {told}. On the dashed diagonal a guess is right. {chosen}.",
        scatter_svg({name: (truth[which], values[which]) for name, values in guesses.items()}, dark=None),
    )
    yield Picture(
        f"Distribution of errors: {dataset}, {costs}",
        "The guess minus the exact distance, for every test pair; the dashed line is the mean.",
        histogram_svg(
            {name: values - truth for name, values in guesses.items()}, caption="error", centred=True, dark=None
        ),
    )


def _chosen(job: Train) -> str:
    """Which training of its kind it is."""
    return ", ".join([*(f"{name} {value}" for name, value in job.settings), f"seed {job.seed}"])


def _truth(place: Place, dataset: str, costs: str) -> NDArray[np.float64] | None:
    """The exact distances of the test pairs; None where the dataset is not kept."""
    try:
        found = datasets.load(place.dataset(dataset)).labels("test", EditCosts.parse(costs)).distances
    except (GraphEdXError, OSError):
        return None
    return np.asarray(found, dtype=np.float64)


def _read(path: Path) -> NDArray[np.float64]:
    try:
        found = np.load(path, allow_pickle=False)
        return np.asarray(found, dtype=np.float64)
    except (OSError, ValueError):
        return np.empty(0)


def _tradeoffs(rows: Sequence[Row]) -> Iterator[Picture]:
    """For each dataset and costs: every method at each limit, and every model that was timed."""
    found: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        seconds, mse = row.number("mean_seconds"), row.number("mse")
        if row.job.get("kind") == Solve.kind and seconds and mse is not None:
            job = row.asked()
            assert isinstance(job, Solve)
            found.setdefault((job.dataset, job.costs), {}).setdefault(job.method, []).append((seconds, mse))
    times = {str(row.job["dataset"]): row for row in rows if row.job.get("kind") == "timing"}
    for (dataset, costs), models in best_of_kinds(rows).items():
        for one in models:
            timed = times.get(dataset)
            seconds = timed.number(one.job.model + _PER_MODEL) if timed is not None else None
            if seconds:
                found.setdefault((dataset, costs), {}).setdefault(one.job.model, []).append((seconds, one.mse))
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    for (dataset, costs), series in [item for item in ordered if len(item[1]) > 1][:_MOST_PLACES]:
        yield Picture(
            f"Accuracy against time: {dataset}, {costs}",
            "Mean squared error and mean time a pair on one thread, both with equal room for equal factors. The dashed "
            "line is the best that can be had in a given time. Methods were given several limits.",
            tradeoff_svg(series, dark=None),
        )


def _validation(row: Row) -> float:
    found = row.number("validation")
    return float("inf") if found is None else found
