"""The paper's model, trained as the paper does: test errors of the nine combinations beside those that it reports.

    python benchmarks/studies/reproduction.py --data DIR --sets Linux [--costs uniform]
        [--combinations xor/align_diff] [--seeds 0,1,2] [--weights 0.1,1] [--epochs N] [--processes 2]
    python benchmarks/studies/reproduction.py --table

For each combination (edge term/node term), costs and seed one model is trained for each weight of the node term, and
the one with the lower validation error is tested. Runs are kept below build/ and go on where they were stopped; with
``--epochs`` they are cut off there, and the row says so. ``--table`` trains nothing: it puts all rows that there are
into docs/reproduction.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from record import load
from reproduction_table import COMBINATIONS, FROM, NAMES, refresh
from runs import Outcome, Task, all_trained, arguments, chosen_data, keep, padded_nodes, words

KEY = ("dataset", "costs", "edge_term", "node_term", "seed")


class Row(NamedTuple):
    """The better of the weights, by validation."""

    dataset: str
    costs: str
    edge_term: str
    node_term: str
    seed: int
    node_weight: float
    epochs: int
    best_epoch: int
    stopped_early: bool
    validation: float
    mse: float
    mse_stderr: float
    kendall_tau: float
    paper_mse: str


def task(dataset: str, costs: str, combination: str, weight: float, seed: int, epochs: int, patience: int) -> Task:
    edge, node = combination.split("/")
    terms = (("edge_term", edge), ("node_term", node), ("node_weight", weight))
    folder = f"reproduction/{dataset}-{costs}-{edge}-{node}-{weight:g}-{seed}"
    settings = (*terms, ("max_nodes", padded_nodes(dataset)))
    return Task(folder, dataset, costs, "graphedx", settings, seed, epochs, patience)


def rows(outcomes: list[Outcome], data: Path) -> Iterator[Row]:
    groups: dict[tuple[str, str, str, str, int], list[Outcome]] = {}
    for outcome in outcomes:
        settings = dict(outcome.task.settings)
        which = (outcome.task.dataset, outcome.task.costs, settings["edge_term"], settings["node_term"])
        groups.setdefault((*which, outcome.task.seed), []).append(outcome)
    reported = reported_errors(data)
    for (dataset, costs, edge, node, seed), found in groups.items():
        best = min(found, key=lambda outcome: outcome.validation)
        weight = dict(best.task.settings)["node_weight"]
        paper = reported.get((dataset, costs, f"{NAMES[edge]} / {NAMES[node]}"), "")
        yield Row(
            *(dataset, costs, edge, node, seed, weight, best.epochs, best.best_epoch),
            *(all(outcome.stopped for outcome in found), best.validation, best.mse, best.mse_stderr),
            *(best.kendall_tau, paper),
        )


def reported_errors(data: Path) -> dict[tuple[str, str, str], str]:
    """(data set, costs, combination) -> the paper's test MSE."""
    return {
        (row["dataset"], row["costs"], row["method"]): row["value"]
        for row in load(data / "paper" / "tables.csv")
        if row["table"].startswith("nine surrogate") and row["metric"] == "MSE"
    }


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--combinations", type=words, default=["/".join(terms) for terms in COMBINATIONS])
    parser.add_argument("--weights", type=lambda text: [float(word) for word in words(text)], default=[0.1, 1.0])
    options = parser.parse_args()
    if options.table:
        refresh()
        return 0
    data = chosen_data(options, parser)
    grid = product(options.seeds, options.sets, options.costs, options.combinations, options.weights)
    tasks = [task(*what, weight, seed, options.epochs, options.patience) for seed, *what, weight in grid]
    outcomes: list[Outcome] = []
    for outcome in all_trained(tasks, data, options.processes):
        outcomes.append(outcome)
        keep(FROM, KEY, Row._fields, list(rows(outcomes, data)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
