"""Rows that many tables have: the nine models that the paper compares with, its own, and what graphedx has besides."""

from __future__ import annotations

from collections.abc import Iterator

from graphedx.experiments.declared.common import COMPLETE, WORTH, Groups, best_of_nine, trained
from graphedx.experiments.job import Solve
from graphedx.experiments.table import Cell, Reported

BASELINES = {
    "gmn_match": "GMN-Match",
    "gmn_embed": "GMN-Embed",
    "isonet": "ISONET",
    "greed": "GREED",
    "eric": "ERIC",
    "simgnn": "SimGNN",
    "h2mn": "H2MN",
    "graphsim": "GraphSim",
    "egsc": "EGSC",
}
"""As the paper calls them, in its order."""
GRAPHEDX = "GraphEdX"
_STRONGEST = frozenset({"gmn_match", "isonet", "eric", "egsc"})
"""The best of them by the paper's numbers; of large datasets these come first."""
_WEAKER = 0.3


def worth_of(model: str, dataset: str) -> float:
    """What a number of a baseline is worth."""
    return WORTH[dataset] * (1.0 if dataset in COMPLETE or model in _STRONGEST else _WEAKER)


def baseline_cells(table: str, costs: str, dataset: str, metric: str, panel: str) -> Iterator[Cell]:
    """A column of the nine baselines, which the paper has in this table."""
    for model, name in BASELINES.items():
        yield Cell(
            panel=panel,
            row=name,
            column=dataset,
            metric=metric,
            seeds=trained(dataset, costs, model),
            paper=Reported(table, name, costs, dataset, metric),
            value=worth_of(model, dataset),
        )


def graphedx_cell(
    table: str | None, costs: str, dataset: str, metric: str = "mse", *, panel: str, groups: Groups | None = None
) -> Cell:
    """The paper's model, which it has in this table, or nowhere.

    It is the best of nine combinations, unless there are other groups of jobs for it.
    """
    found = best_of_nine(dataset, costs) if groups is None else groups
    return Cell(
        panel=panel,
        row=GRAPHEDX,
        column=dataset,
        metric=metric,
        seeds=found,
        paper=None if table is None else Reported(table, GRAPHEDX, costs, dataset, metric),
        value=WORTH[dataset] / len(found[0]),  # it takes all its alternatives to be a number
    )


def own_cells(costs: str, dataset: str, metric: str, panel: str) -> Iterator[Cell]:
    """What the paper lacks, in the same column."""
    for name, job in own_jobs(dataset, costs).items():
        yield Cell(panel=panel, row=name, column=dataset, metric=metric, seeds=((job,),), value=WORTH[dataset])


def own_jobs(dataset: str, costs: str) -> dict[str, Solve]:
    """Our model, the best answer within a limit, and the proven one: on all test pairs."""
    limits = {"auto, 0.1 ms": 1e-4, "auto, 1 ms": 1e-3, "auto, 10 ms": 1e-2}
    return {
        "bracket": Solve(dataset, costs, "bracket", None, None),
        **{name: Solve(dataset, costs, "auto", limit, None) for name, limit in limits.items()},
        "exact": Solve(dataset, costs, "exact", None, None),
    }
