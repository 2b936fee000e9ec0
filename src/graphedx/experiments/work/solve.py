"""A method on test pairs under a limit, pair by pair: how far it is off, and how long it takes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import datasets, solvers
from graphedx.api import ged, load_model
from graphedx.costs import EditCosts
from graphedx.errors import ModelError
from graphedx.evaluation import errors
from graphedx.experiments.job import Solve
from graphedx.experiments.lines import append_line, read_lines
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.versions import results_version
from graphedx.experiments.work.kept import note, taken_up
from graphedx.experiments.work.seen import seen
from graphedx.graph import Graph
from graphedx.result import GedEstimate

ANSWERS = "answers.jsonl"
"""Lists of answers as they came, below ``place.run(job)``."""
_SECONDS_BETWEEN_LINES = 2.0
_SAME = 1e-9


class Answer(NamedTuple):
    """What a method says of a pair, which is told by its place among the test pairs."""

    pair: int
    estimate: float
    lower: float
    upper: float
    seconds: float


def perform(job: Solve, place: Place) -> Outcome:
    """A method's estimate is its guess, its lower bound if it has no other, else what its mapping costs.

    Pairs whose distance is not proven are left out, and counted.
    """
    place.require_time()
    dataset, costs = datasets.load(place.dataset(job.dataset)), EditCosts.parse(job.costs)
    table = dataset.labels("test", costs)
    asked = sampled(len(table), job.pairs, job.seed)
    known = [pair for pair in asked if table.proven[pair]]
    if not known:
        raise ModelError(f"test of {dataset.name} has no pairs whose distance is proven")
    graphs = seen(dataset.graphs, costs)
    pairs = {pair: (graphs[table.source[pair]], graphs[table.target[pair]]) for pair in known}
    if job.method in solvers.methods():
        folder = place.run(job)
        note(folder, taken_up(folder, dataset=dataset.fingerprint, version=results_version(job)))
        answers = _solved(job, pairs, costs, place, folder / ANSWERS)
    else:
        answers = _guessed(job.method, pairs, costs)
    return _outcome(job.method, answers, table.upper[known], len(asked)) | {"dataset": dataset.fingerprint}


def sampled(total: int, count: int | None, seed: int) -> list[int]:
    """Places of pairs, the same for every method; all of them if there is no count."""
    if count is None or count >= total:
        return list(range(total))
    return sorted(random.Random(seed).sample(range(total), count))


def _solved(
    job: Solve, pairs: dict[int, tuple[Graph, Graph]], costs: EditCosts, place: Place, path: Path
) -> list[Answer]:
    """One after the other in one thread; what an earlier run has found is taken over."""
    found = {answer.pair: answer for answer in _kept(path)}
    ged(Graph(2, [(0, 1)]), Graph(2), costs=costs, method=job.method)  # so that no pair pays for loading a library
    fresh: list[Answer] = []
    written = perf_counter()
    try:
        for pair in [pair for pair in pairs if pair not in found]:
            place.require_time()
            fresh.append(_answer(job, pair, *pairs[pair], costs))
            if perf_counter() - written > _SECONDS_BETWEEN_LINES:
                append_line(path, {"answers": fresh})
                found |= {answer.pair: answer for answer in fresh}
                fresh, written = [], perf_counter()
    finally:
        if fresh:
            append_line(path, {"answers": fresh})
    found |= {answer.pair: answer for answer in fresh}
    return [found[pair] for pair in pairs]


def _answer(job: Solve, pair: int, source: Graph, target: Graph, costs: EditCosts) -> Answer:
    ged(source, target, costs=costs, method="exact", time_limit=0)  # encodes the graphs
    start = perf_counter()
    result = ged(source, target, costs=costs, method=job.method, time_limit=job.limit)
    seconds = perf_counter() - start
    if isinstance(result, GedEstimate):
        estimate = result.value
    else:
        lower_only = solvers.methods()[job.method] is solvers.Guarantee.LOWER
        estimate = result.lower if lower_only else result.upper
    return Answer(pair, estimate, result.lower, result.upper, seconds)


def _kept(path: Path) -> Iterator[Answer]:
    for line in read_lines(path):
        for answer in line["answers"]:
            yield Answer(*answer)


def _guessed(model: str, pairs: dict[int, tuple[Graph, Graph]], costs: EditCosts) -> list[Answer]:
    """A model is asked for all pairs at once, in one thread; it proves nothing."""
    from graphedx.training.session import torch_threads

    estimator = load_model(model)
    both = list(pairs.values())
    with torch_threads(1):
        estimator.predict(both[:1], costs=costs)
        start = perf_counter()
        guesses = estimator.predict(both, costs=costs)
        seconds = (perf_counter() - start) / len(both)
    return [
        Answer(pair, guess, 0.0, float("inf"), seconds) for pair, guess in zip(pairs, guesses.tolist(), strict=True)
    ]


def _outcome(
    method: str, answers: Sequence[Answer], truth: NDArray[np.float64], asked: int
) -> dict[str, float | int | str]:
    estimates = np.array([answer.estimate for answer in answers])
    off = np.abs(estimates - truth)
    return (
        errors(estimates, truth)._asdict()
        | _lower_errors(method, answers, truth)
        | {
            "left_out": asked - len(answers),
            "mean_seconds": fmean(answer.seconds for answer in answers),
            "share_proven": fmean(answer.lower == answer.upper for answer in answers),
            "share_optimal": float(np.mean(off < _SAME)),
        }
    )


def _lower_errors(method: str, answers: Sequence[Answer], truth: NDArray[np.float64]) -> dict[str, float]:
    """Return the squared error of the lower bounds; nothing for models and methods that prove none."""
    if solvers.methods().get(method, solvers.Guarantee.UPPER) is solvers.Guarantee.UPPER:
        return {}
    found = errors(np.array([answer.lower for answer in answers]), truth)
    return {"lower_mse": found.mse, "lower_mse_stderr": found.mse_stderr}
