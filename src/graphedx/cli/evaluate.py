"""``graphedx evaluate``."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from graphedx.api import load_model
from graphedx.cli import options, render
from graphedx.costs import EditCosts
from graphedx.datasets.dataset import Dataset
from graphedx.datasets.labels import costs_text
from graphedx.evaluation import evaluate

EPILOG = """Examples:

  graphedx evaluate run aids

  graphedx evaluate run aids --split val --json

  graphedx evaluate bracket aids --costs uniform"""

Run = Annotated[
    Path, typer.Argument(metavar="RUN", help="A folder that `train` has made, or `bracket`, which is shipped.")
]
Costs = Annotated[
    str | None, typer.Option(metavar="COSTS", help="As for `distance`; by default those of the training.")
]


def evaluate_model(
    run: Run,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset that `label` has labelled.")],
    split: Annotated[str, typer.Option(metavar="SPLIT", help="train, val or test.")] = "test",
    costs: Costs = None,
    as_json: options.Json = False,
) -> None:
    """How far a model's guesses are from the proven distances of a split."""
    model, dataset = load_model(run), Dataset.load(folder)
    prices = EditCosts.parse(costs) if costs else model.costs
    import scipy.stats  # noqa: F401  (loading libraries is not on the clock)

    start = perf_counter()
    found = evaluate(model, dataset, split, costs=prices)
    seconds = perf_counter() - start
    if as_json:
        render.print_json(
            {"model": model.name, "dataset": dataset.name, "split": split, "costs": costs_text(prices)}
            | found._asdict()
            | {"seconds": seconds}
        )
        return
    render.print_facts(
        [
            ("model", f"{model.name} for costs {costs_text(prices)}"),
            ("pairs", f"{found.pairs:,} of {dataset.name}, {split}"),
            ("MSE", f"{found.mse:.4g} ± {found.mse_stderr:.2g}"),
            ("MAE", f"{found.mae:.4g}"),
            ("RMSE", f"{found.rmse:.4g}"),
            ("Kendall's tau", f"{found.kendall_tau:.4f}"),
            ("hits", f"{found.hits:.1%} are less than 0.5 off"),
            ("time", f"{render.duration(seconds)}, {found.pairs / seconds:,.0f} pairs/s"),
        ]
    )
