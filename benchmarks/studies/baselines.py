"""The nine neural models that the paper compares with, trained as it does: test errors beside those that it reports.

    python benchmarks/studies/baselines.py --data DIR --sets Linux [--costs uniform] [--models gmn_embed,greed*]
        [--seeds 0,1,2] [--epochs N] [--processes 2]
    python benchmarks/studies/baselines.py --table

A star is the variant with the cost-guided score. Under costs that are not uniform models have the costs as features of
nodes, as in the paper, and ``greed-`` has not. Runs are kept below build/ and go on where they were stopped; with
``--epochs`` they are cut off there, and the row says so. ``--table`` trains nothing: it puts all rows that there are
into docs/baselines.md.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from baselines_table import FROM, refresh
from graphedx.experiments.declared.methods import BASELINES
from graphedx.models.base import setting_names
from record import load
from runs import Outcome, Task, all_trained, arguments, chosen_data, keep, padded_nodes, words

GUIDED = ("gmn_match*", "gmn_embed*", "greed*")
KEY = ("dataset", "costs", "method", "seed")


class Row(NamedTuple):
    """One model, trained with one seed."""

    dataset: str
    costs: str
    method: str
    seed: int
    parameters: int
    epochs: int
    best_epoch: int
    stopped_early: bool
    validation: float
    mse: float
    mse_stderr: float
    kendall_tau: float
    paper_mse: str
    paper_tau: str


def task(dataset: str, costs: str, method: str, seed: int, epochs: int, patience: int) -> Task:
    model = method.rstrip("*-")
    settings: dict[str, Any] = {"cost_features": costs != "uniform" and not method.endswith("-")}
    if method.endswith("*"):
        settings["cost_guided"] = True
    if "max_nodes" in setting_names(model):
        settings["max_nodes"] = padded_nodes(dataset)
    folder = f"baselines/{dataset}-{costs}-{method.replace('*', '-guided')}-{seed}"
    return Task(folder, dataset, costs, model, tuple(settings.items()), seed, epochs, patience)


def row(outcome: Outcome, method: str, reported: dict[tuple[str, ...], str]) -> Row:
    done = outcome.task
    paper = [reported.get((done.dataset, done.costs, method, metric), "") for metric in ("MSE", "KTau")]
    return Row(
        *(done.dataset, done.costs, method, done.seed, outcome.parameters, outcome.epochs, outcome.best_epoch),
        *(outcome.stopped, outcome.validation, outcome.mse, outcome.mse_stderr, outcome.kendall_tau, *paper),
    )


def label(method: str) -> str:
    """As the paper calls it; it has no name for those that do not see costs."""
    name = BASELINES[method.rstrip("*-")]
    return {"*": f"{name}*", "-": f"{name}, costs unseen"}.get(method[-1], name)


def reported_scores(data: Path) -> dict[tuple[str, ...], str]:
    """(data set, costs, method, metric) -> what the paper reports."""
    tables = {"baselines": "", "cost-guided scoring (*)": "", "baselines without cost features": ", costs unseen"}
    return {
        (row["dataset"], row["costs"], row["method"] + tables[row["table"]], row["metric"]): row["value"]
        for row in load(data / "paper" / "tables.csv")
        if row["table"] in tables
    }


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--models", type=words, default=[*BASELINES, *GUIDED])
    options = parser.parse_args()
    if options.table:
        refresh()
        return 0
    data = chosen_data(options, parser)
    reported = reported_scores(data)
    grid = [*product(options.seeds, options.sets, options.costs, options.models)]
    tasks = {
        task(dataset, costs, method, seed, options.epochs, options.patience): label(method)
        for seed, dataset, costs, method in grid
    }
    for outcome in all_trained(list(tasks), data, options.processes):
        keep(FROM, KEY, Row._fields, [row(outcome, tasks[outcome.task], reported)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
