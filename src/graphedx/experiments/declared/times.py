"""Time: what methods find within a limit, and how long a guess takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from graphedx.experiments.declared.common import COSTS, DATASETS, WORTH
from graphedx.experiments.declared.methods import BASELINES, GRAPHEDX, graphedx_cell, own_jobs
from graphedx.experiments.job import Solve, Timing
from graphedx.experiments.table import Cell, Experiment

_COMPARED = ("mutagenicity", "code2", "aids", "linux")
_COMBINATORIAL = ("ipfp", "anchor_aware", "branch_tight", "f2", "bipartite", "branch")
_LIMITS = {"0.1 ms": 1e-4, "1 ms": 1e-3, "10 ms": 1e-2, "0.1 s": 0.1, "1 s": 1.0, "10 s": 10.0}
"""The paper has the last four."""
_NO_LIMIT = "no limit"
_PAIRS = 100
_FEWER = {"f2": 20}  # it takes nearly all the time that it is given

_MODELS = {"graphedx": GRAPHEDX, "bracket": "bracket"} | BASELINES
_TASKS = {
    "seconds": "a guess, seconds a pair",
    "encoded_seconds": "a guess from encoded graphs, seconds a pair",
    "step_seconds": "a step of training with 256 pairs, seconds",
}


def _limited() -> Iterator[Cell]:
    for dataset, costs in product(_COMPARED, COSTS):
        panel, worth = f"{dataset}, {costs}", WORTH[dataset]
        for method, (column, limit) in product((*_COMBINATORIAL, "auto", "exact"), _LIMITS.items()):
            job = Solve(dataset, costs, method, limit, _FEWER.get(method, _PAIRS))
            yield Cell(panel=panel, row=method, column=column, seeds=((job,),), value=worth / len(_LIMITS))
        own = own_jobs(dataset, costs)["bracket"]
        yield Cell(panel=panel, row="bracket", column=_NO_LIMIT, seeds=((own,),), value=worth)
        yield replace(graphedx_cell("baselines", costs, dataset, panel=panel), column=_NO_LIMIT)


def _taken() -> Iterator[Cell]:
    for dataset in DATASETS:
        worth = WORTH[dataset] / len(_MODELS)
        for (metric, panel), (model, name) in product(_TASKS.items(), _MODELS.items()):
            time = f"{model}_{metric}"
            yield Cell(panel=panel, row=name, column=dataset, metric=time, seeds=((Timing(dataset),),), value=worth)
        for name, job in own_jobs(dataset, "uniform").items():
            if job.method != "bracket":  # which is timed with the models
                panel, time = _TASKS["seconds"], "mean_seconds"
                yield Cell(panel=panel, row=name, column=dataset, metric=time, seeds=((job,),), value=worth)


EXPERIMENTS = (
    Experiment(
        name="time-limit",
        title="Test MSE against the time limit a pair",
        about="Combinatorial methods are poor even with 100,000 times the time that GraphEdX takes.",
        cells=tuple(_limited()),
    ),
    Experiment(
        name="inference-time",
        title="Time a pair",
        about="Models that encode each graph by itself are the fastest; GraphEdX is the third of all, or near it.",
        cells=tuple(_taken()),
    ),
)
