"""``graphedx train``."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphedx.cli import epochs as progress
from graphedx.cli import options, render
from graphedx.costs import EditCosts
from graphedx.datasets.dataset import Dataset
from graphedx.datasets.labels import costs_text
from graphedx.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    from graphedx.training import Epoch, TrainConfig, Trained
    from graphedx.training.distributed import Group
    from graphedx.training.loop import Report

EPILOG = """Examples:

  graphedx train aids --costs uniform --out run

  graphedx train aids --costs 3,1,2,1 --set node_term=xor --set node_weight=0.1 --epochs 50 --out run

  graphedx train aids --model bracket --costs uniform --one-cycle --epochs 20 --lr 0.002 --out run

  torchrun --nproc-per-node 2 -m graphedx train aids --out run"""

_WHOLE, _NUMBER = re.compile(r"-?[0-9]{1,18}"), re.compile(r"-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]{1,3})?")


def train_model(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset that `label` has labelled.")],
    out: Annotated[Path, typer.Option(metavar="RUN", help="The folder of the run; one that was stopped goes on.")],
    costs: options.Costs = "uniform",
    model: Annotated[str, typer.Option(metavar="NAME", help="One that `graphedx models` lists.")] = "graphedx",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the model; may be repeated."),
    ] = None,
    epochs: Annotated[int, typer.Option(metavar="N", min=1, help="Stop after so many; more go on later.")] = 100_000,
    patience: Annotated[int, typer.Option(metavar="N", min=1, help="Stop after so many without a gain.")] = 101,
    batch: Annotated[int, typer.Option(metavar="N", min=1, help="Pairs a step.")] = 256,
    rate: Annotated[float, typer.Option("--lr", metavar="RATE", help="Adam's learning rate.")] = 1e-3,
    decay: Annotated[float, typer.Option("--weight-decay", metavar="RATE", help="L2 on the weights.")] = 5e-4,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same weights.")] = 0,
    one_cycle: Annotated[
        bool,
        typer.Option("--one-cycle", help="The rate rises to --lr and falls to 0 over --epochs: no more go on later."),
    ] = False,
    threads: Annotated[
        int, typer.Option(metavar="N", min=1, help="More pay only on cores that are idle, and change the rounding.")
    ] = 1,
    tensorboard: Annotated[
        bool | None,
        typer.Option("--tensorboard/--no-tensorboard", help="Logs in RUN/tensorboard; by default if it is installed."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Train a model to guess distances, on the splits train and val of a labelled dataset.

    It ends when the validation has not improved for a while, and keeps the best weights. A run that was stopped or
    killed goes on where it was, to the same weights.
    """
    prices, chosen, dataset = EditCosts.parse(costs), parsed_settings(settings), Dataset.load(folder)
    start = perf_counter()
    training = _training()
    how_long = {"patience": patience, "max_epochs": epochs, "one_cycle": one_cycle}
    config = training.TrainConfig(learning_rate=rate, weight_decay=decay, batch=batch, seed=seed, **how_long)
    how = {"model": model, "settings": chosen, "config": config, "folder": out, "threads": threads}
    try:
        with ExitStack() as stack:
            group = stack.enter_context(training.distributed.joined())
            report = _reporting(stack, group, config, out, tensorboard)
            done = training.train(dataset, prices, **how, report=report)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what is done is kept, and the same command goes on where it was stopped") from None
    if group.first:
        _show(done, config, prices, folder, out, perf_counter() - start, as_json)


def parsed_settings(given: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE texts as values: whole numbers, numbers, true or false, or words."""
    found: dict[str, Any] = {}
    for text in given or ():
        name, mark, value = text.partition("=")
        if not name or not mark or not value:
            raise ModelError(f"--set wants NAME=VALUE, got {text!r}")
        if name in found:
            raise ModelError(f"--set {name} is given twice")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _training() -> Any:
    try:
        import graphedx.training.distributed
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("torch", "neural") from None
    return graphedx.training


def _reporting(stack: ExitStack, group: Group, config: TrainConfig, out: Path, tensorboard: bool | None) -> Report:
    """Only the first of several processes talks."""
    from graphedx.training.tensorboard import is_installed, logged

    if not group.first:
        return lambda _: None
    reports = [stack.enter_context(progress.shown(config))]
    if tensorboard or (tensorboard is None and is_installed()):
        reports.append(stack.enter_context(logged(out / "tensorboard")))

    def report(epoch: Epoch) -> None:
        for each in reports:
            each(epoch)

    return report


def _show(
    done: Trained, config: TrainConfig, costs: EditCosts, folder: Path, out: Path, seconds: float, as_json: bool
) -> None:
    stopped = done.epochs - done.best_epoch >= config.patience
    if as_json:
        facts = {"folder": str(out), "model": done.model.name, "settings": done.model.config.to_json()}
        numbers = {"epochs": done.epochs, "best_epoch": done.best_epoch, "validation_mse": done.validation}
        render.print_json(facts | numbers | {"stopped_early": stopped, "costs": costs_text(costs), "seconds": seconds})
        return
    whole = "a whole cycle" if config.one_cycle else "as many as asked for; a larger --epochs goes on"
    why = f"no gain in {config.patience}" if stopped else whole
    render.print_facts(
        [
            ("model", f"{done.model.name}, {sum(weight.numel() for weight in done.model.parameters()):,} weights"),
            ("costs", costs_text(costs)),
            ("validation", f"MSE {done.validation:.4g} (epoch {done.best_epoch})"),
            ("epochs", f"{done.epochs} ({why})"),
            ("time", render.duration(seconds)),
            ("next", f"graphedx evaluate {out} {folder}"),
        ]
    )
