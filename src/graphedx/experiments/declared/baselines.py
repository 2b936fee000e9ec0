"""The paper's comparison with nine other models, and what the costs do for these."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from graphedx.experiments.declared.common import COSTS, DATASETS, trained
from graphedx.experiments.declared.methods import BASELINES, baseline_cells, graphedx_cell, own_cells, worth_of
from graphedx.experiments.table import Cell, Experiment, Reported

_GUIDED = ("gmn_match", "gmn_embed", "greed")


def _compared(metric: str) -> Iterator[Cell]:
    for costs, dataset in product(COSTS, DATASETS):
        yield from baseline_cells("baselines", costs, dataset, metric, costs)
        yield graphedx_cell("baselines", costs, dataset, metric, panel=costs)
        yield from own_cells(costs, dataset, metric, costs)


def _guided() -> Iterator[Cell]:
    for costs, dataset in product(COSTS, DATASETS):
        for model in _GUIDED:
            for name, groups in (
                (BASELINES[model], trained(dataset, costs, model)),
                (f"{BASELINES[model]}*", trained(dataset, costs, model, cost_guided=True)),
            ):
                paper = Reported("cost-guided", name, costs, dataset, "mse")
                value = worth_of(model, dataset)
                yield Cell(panel=costs, row=name, column=dataset, seeds=groups, paper=paper, value=value)
        yield graphedx_cell("cost-guided", costs, dataset, panel=costs)


def _unseen() -> Iterator[Cell]:
    costs = "non-uniform"
    for dataset, (model, name) in product(DATASETS, BASELINES.items()):
        value = worth_of(model, dataset)
        for row, table, groups in (
            (name, "baselines", trained(dataset, costs, model)),
            (f"{name}, costs unseen", "costs-unseen", trained(dataset, costs, model, cost_features=False)),
        ):
            paper = Reported(table, name, costs, dataset, "mse")
            yield Cell(panel=costs, row=row, column=dataset, seeds=groups, paper=paper, value=value)


EXPERIMENTS = (
    Experiment(
        name="baselines",
        title="Test MSE of GraphEdX and nine baselines",
        about="GraphEdX has the least error everywhere, and most baselines break under non-uniform costs.",
        cells=tuple(_compared("mse")),
    ),
    Experiment(
        name="baselines-tau",
        title="Kendall's τ of GraphEdX and nine baselines",
        about="GraphEdX ranks pairs best everywhere.",
        better="higher",
        cells=tuple(_compared("kendall_tau")),
    ),
    Experiment(
        name="cost-guided",
        title="Baselines with a cost-guided score (*)",
        about="A score that weighs insertions and deletions by their costs makes baselines better, and not as good.",
        cells=tuple(_guided()),
    ),
    Experiment(
        name="costs-unseen",
        title="Baselines with the costs as features of nodes, and without",
        about="Being told the costs does not help baselines much.",
        cells=tuple(_unseen()),
    ),
)
