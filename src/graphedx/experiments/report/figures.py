"""The figures of a report: guesses beside the truth, errors, errors and time, and the paper's examples."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphedx import datasets
from graphedx.costs import EditCosts
from graphedx.drawing import histogram_svg, scatter_svg
from graphedx.errors import GraphEdXError
from graphedx.experiments.job import Train
from graphedx.experiments.place import Place
from graphedx.experiments.report.examples import examples
from graphedx.experiments.report.picture import Picture
from graphedx.experiments.report.tested import OURS, Tested, best_of_kinds, ordered
from graphedx.experiments.report.times import time_pictures
from graphedx.experiments.report.words import number, of_dataset
from graphedx.experiments.store import Row

GUESSES = "guesses.npy"  # as ``work.testing`` has it, which takes torch
_SCATTERS, _ERRORS = "Guesses against the truth", "Distribution of errors"
_MOST_POINTS = 1500  # a picture of all pairs of a large dataset would be megabytes

Floats = NDArray[np.float64]


def pictures(rows: Sequence[Row], folder: Path) -> list[Picture]:
    """All figures that these rows have the numbers for; the others say what is missing.

    Rows carry all but the guesses of trained models, which are looked for in the folder.
    """
    scatters, errors = [], []
    for scatter, error in _guesses(rows, Place(folder)):
        scatters.append(scatter)
        errors.append(error)
    if not scatters:
        missing = "Not drawn: no guesses of trained models are beside the rows."
        scatters, errors = [Picture(_SCATTERS, missing)], [Picture(_ERRORS, missing)]
    return [*time_pictures(rows), *scatters, *errors, *examples(rows)]


def _guesses(rows: Sequence[Row], place: Place) -> Iterator[tuple[Picture, Picture]]:
    """For each dataset and costs: GraphEdX and the best of the others, pair by pair, as the paper has them."""
    found = best_of_kinds(rows)
    for dataset, costs in ordered(found):
        there = [one for one in found[dataset, costs] if (place.run(one.job) / GUESSES).is_file()]
        shown = [one for one in there if one.job.model == OURS][:1] + [one for one in there if one.job.model != OURS][
            :1
        ]
        truth = _truth(place, dataset, costs) if shown else None
        if truth is None:
            continue
        guesses = {f"{one.name}, MSE {number(one.mse)}": _read(place.run(one.job) / GUESSES) for one in shown}
        guesses = {name: values for name, values in guesses.items() if values.shape == truth.shape}
        if guesses:
            yield _drawn(dataset, costs, guesses, truth, shown)


def _drawn(
    dataset: str, costs: str, guesses: dict[str, Floats], truth: Floats, shown: Sequence[Tested]
) -> tuple[Picture, Picture]:
    which = np.arange(len(truth))
    told = f"all {len(truth):,} test pairs"
    if len(truth) > _MOST_POINTS:
        which = np.array(sorted(random.Random(0).sample(range(len(truth)), _MOST_POINTS)))
        told = f"{_MOST_POINTS:,} of {len(truth):,} test pairs, drawn at random"
    chosen = "; ".join(f"{one.name}: {_chosen(one.job)}" for one in shown)
    return (
        Picture(
            _SCATTERS,
            f"{told[0].upper()}{told[1:]}. On the dashed diagonal a guess is right. {chosen}.",
            scatter_svg({name: (truth[which], values[which]) for name, values in guesses.items()}, dark=None),
            of_dataset(dataset, costs),
        ),
        Picture(
            _ERRORS,
            "The guess minus the exact distance, for every test pair; the dashed line is the mean.",
            histogram_svg(
                {name: values - truth for name, values in guesses.items()}, caption="error", centred=True, dark=None
            ),
            of_dataset(dataset, costs),
        ),
    )


def _chosen(job: Train) -> str:
    """Which training of its kind it is."""
    return ", ".join([*(f"{name} {value}" for name, value in job.settings), f"seed {job.seed}"])


def _truth(place: Place, dataset: str, costs: str) -> Floats | None:
    """The exact distances of the test pairs; None where the dataset is not kept."""
    try:
        found = datasets.load(place.dataset(dataset)).labels("test", EditCosts.parse(costs)).distances
    except (GraphEdXError, OSError):
        return None
    return np.asarray(found, dtype=np.float64)


def _read(path: Path) -> Floats:
    try:
        found = np.load(path, allow_pickle=False)
        return np.asarray(found, dtype=np.float64)
    except (OSError, ValueError):
        return np.empty(0)
