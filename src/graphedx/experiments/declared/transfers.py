"""Models where they were not trained: on another dataset, as in the paper, and for other costs, which it has not."""

from __future__ import annotations

from collections.abc import Iterator

from graphedx.experiments.declared.common import COSTS, DATASETS, WORTH, Groups, best_of_nine, trained, tuned
from graphedx.experiments.declared.methods import BASELINES, GRAPHEDX, own_jobs, worth_of
from graphedx.experiments.job import AnyCosts, CostTransfer, Job, Transfer
from graphedx.experiments.table import Cell, Experiment, Reported

_COSTS, _TO = "non-uniform", "aids"
_FROM = ("aids", "yeast", "mutagenicity", "molhiv")
_NOT_IN_THE_PAPER = ("code2",)  # of linux not: models that are padded to its 10 nodes cannot take larger graphs
_DRAWS = {"mse": "MSE", "relative_mse": "MSE / variance of the distances"}


def _zero_shot() -> Iterator[Cell]:
    for source in (*_FROM, *_NOT_IN_THE_PAPER):
        models = {name: (trained(source, _COSTS, model), worth_of(model, source)) for model, name in BASELINES.items()}
        best = best_of_nine(source, _COSTS)
        for name, (groups, worth) in ({GRAPHEDX: (best, WORTH[source] / len(best[0]))} | models).items():
            yield Cell(
                row=name,
                column=f"from {source}",
                seeds=groups if source == _TO else _moved(groups),
                paper=Reported(f"zero-shot-{source}", name, _COSTS, _TO, "mse") if source in _FROM else None,
                value=worth,
            )
    job = own_jobs(_TO, _COSTS)["bracket"]
    yield Cell(row="bracket", column="as shipped", seeds=((job,),), value=WORTH[_TO])


def _moved(groups: Groups) -> tuple[tuple[Transfer, ...], ...]:
    return tuple(tuple(Transfer(job, _TO) for job in group) for group in groups)


def _repriced(groups: Groups) -> tuple[tuple[CostTransfer, ...], ...]:
    return tuple(tuple(CostTransfer(job) for job in group) for group in groups)


def _other_costs() -> Iterator[Cell]:
    for dataset in DATASETS:
        xor = {costs: tuned(dataset, costs, edge_term="xor", node_term="align_diff") for costs in COSTS}
        models = {f"GraphEdX, trained on {costs}": groups for costs, groups in xor.items()}
        models["EGSC, trained on non-uniform"] = trained(dataset, "non-uniform", "egsc")
        models["GMN-Match*, trained on non-uniform"] = trained(dataset, "non-uniform", "gmn_match", cost_guided=True)
        rows: dict[str, tuple[tuple[Job, ...], ...]] = {name: _repriced(groups) for name, groups in models.items()}
        rows["bracket"] = ((AnyCosts(dataset, "bracket"),),)
        for metric, panel in _DRAWS.items():
            for name, jobs in rows.items():
                yield Cell(panel=panel, row=name, column=dataset, metric=metric, seeds=jobs, value=WORTH[dataset])


EXPERIMENTS = (
    Experiment(
        name="zero-shot",
        title="Models of other datasets on AIDS",
        about="GraphEdX, trained on another dataset, is better on AIDS than all baselines so trained.",
        cells=tuple(_zero_shot()),
    ),
    Experiment(
        name="cost-transfer",
        title="Fifty random costs, which models were not trained for",
        about="The paper has no such table: its models are trained anew for all costs.",
        cells=tuple(_other_costs()),
    ),
)
