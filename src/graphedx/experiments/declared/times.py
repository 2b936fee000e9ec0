"""Time: what methods find within a limit, and how long a guess takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from graphedx.experiments.declared.common import COSTS, DATASETS, WORTH
from graphedx.experiments.declared.methods import BASELINES, GRAPHEDX, graphedx_cell, own_jobs
from graphedx.experiments.job import LOWER_BOUNDS, Solve, Timing
from graphedx.experiments.protocols import PUBLISHED
from graphedx.experiments.table import Cell, Experiment

_COMPARED = ("mutagenicity", "code2", "aids", "linux")
_COMBINATORIAL = ("ipfp", "anchor_aware", "branch_tight", "f2", "bipartite", "branch")
_LIMITS = {"0.1 ms": 1e-4, "1 ms": 1e-3, "10 ms": 1e-2, "0.1 s": 0.1, "1 s": 1.0, "10 s": 10.0}
"""The paper has the last four."""
_NO_LIMIT = "no limit"
_PAIRS = 100
_FEWER = {"f2": 20}  # it takes nearly all the time that it is given

_MODELS = {"graphedx": GRAPHEDX, "bracket": "bracket"} | BASELINES
_MICROSECOND, _MILLISECOND = 1e-6, 1e-3
_TASKS = {
    "seconds": ("a guess, µs a pair", _MICROSECOND),
    "encoded_seconds": ("a guess from encoded graphs, µs a pair", _MICROSECOND),
    "step_seconds": ("a step of training with 256 pairs, ms", _MILLISECOND),
}


def _limited() -> Iterator[Cell]:
    for dataset, costs in product(_COMPARED, COSTS):
        panel, worth = f"{dataset}, {costs}", WORTH[dataset]
        for method, (column, limit) in product((*_COMBINATORIAL, "auto", "exact"), _LIMITS.items()):
            job = Solve(dataset, costs, method, limit, _FEWER.get(method, _PAIRS))
            about: dict[str, Any] = {"panel": panel, "column": column, "value": worth / len(_LIMITS)}
            yield Cell(row=method, seeds=((job,),), **about)
            if method in LOWER_BOUNDS:
                yield Cell(row=f"{method}, lower bound", metric="lower_mse", seeds=((job,),), **about)
        own = own_jobs(dataset, costs)["bracket"]
        yield Cell(panel=panel, row="bracket", column=_NO_LIMIT, seeds=((own,),), value=worth)
        yield replace(graphedx_cell("baselines", costs, dataset, panel=panel), column=_NO_LIMIT)


def _taken() -> Iterator[Cell]:
    for dataset in DATASETS:
        about: dict[str, Any] = {"column": dataset, "value": WORTH[dataset] / len(_MODELS)}
        for (metric, (panel, unit)), (model, name) in product(_TASKS.items(), _MODELS.items()):
            job = Timing(dataset)
            yield Cell(panel=panel, row=name, metric=f"{model}_{metric}", unit=unit, seeds=((job,),), **about)
        panel, unit = _TASKS["seconds"]
        for name, own in own_jobs(dataset, "uniform").items():
            if own.method != "bracket":  # which is timed with the models
                yield Cell(panel=panel, row=name, metric="mean_seconds", unit=unit, seeds=((own,),), **about)


EXPERIMENTS = (
    Experiment(
        name="time-limit",
        title="Test MSE against the time limit a pair",
        about=(
            "Combinatorial methods are poor even with 100,000 times the time that GraphEdX takes. Rows without another "
            "word are errors of upper bounds."
        ),
        cells=tuple(_limited()),
        protocols=(PUBLISHED,),
    ),
    Experiment(
        name="inference-time",
        title="Time a pair",
        about="Models that encode each graph by itself are the fastest; GraphEdX is the third of all, or near it.",
        cells=tuple(_taken()),
        protocols=(PUBLISHED,),
    ),
)
