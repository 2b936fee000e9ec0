"""``graphedx label``."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from graphedx.cli import options, render
from graphedx.cli.guard import NOT_PROVEN
from graphedx.costs import EditCosts
from graphedx.datasets.dataset import SPLITS, Dataset
from graphedx.datasets.labels import PAPER, Labelled, Regime, costs_text, label
from graphedx.engine import opened

EPILOG = """Examples:

  graphedx label aids

  graphedx label aids --costs 3,1,2,1 --split test

  graphedx label aids --costs 1,1,1,1,1,0 --engine ray --address auto"""


def label_dataset(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset, as `data prepare` makes it.")],
    costs: Annotated[
        list[str] | None,
        typer.Option(metavar="COSTS", help="As for `distance`; may be repeated. By default the paper's four."),
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="SPLIT", help="train, val or test; may be repeated. By default all.")
    ] = None,
    time_limit: options.TimeLimit = None,
    workers: options.Workers = None,
    engine: options.EngineName = "local",
    address: options.Address = None,
    as_json: options.Json = False,
) -> None:
    """The exact distance of every pair of a dataset, with the mapping that proves it.

    Costs without substitutions share one search. A run that was stopped or killed goes on where it was. Exit code 3 if
    some pairs are not proven within the limit; they keep their bounds, and a longer limit tries just those again.
    """
    dataset = Dataset.load(folder)
    asked = [EditCosts.parse(text) for text in costs] if costs else list(PAPER.values())
    start = perf_counter()
    try:
        with opened(engine, workers=workers, address=address) as where:
            found = label(dataset, asked, splits=split or SPLITS, engine=where, time_limit=time_limit)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command goes on where it was stopped") from None
    _show(folder, dataset, asked, found, perf_counter() - start, as_json)
    raise typer.Exit(NOT_PROVEN if any(one.proven < one.pairs for one in found) else 0)


def _show(
    folder: Path, dataset: Dataset, asked: list[EditCosts], found: list[Labelled], seconds: float, as_json: bool
) -> None:
    served: dict[str, list[str]] = {}
    for costs in asked:
        served.setdefault(Regime.of(costs, dataset).key, []).append(costs_text(costs))
    if as_json:
        rows: list[dict[str, Any]] = [{**one._asdict(), "costs": served[one.regime]} for one in found]
        render.print_json({"folder": str(folder), "seconds": seconds, "labels": rows})
        return
    render.print_table(
        ["costs", "split", "pairs", "proven", "solved now"],
        [
            [" ".join(served[one.regime]), one.split, f"{one.pairs:,}", f"{one.proven:,}", f"{one.solved_now:,}"]
            for one in found
        ],
        right=(2, 3, 4),
    )
    solved = sum(one.solved_now for one in found)
    rate = f", {solved / seconds:,.0f} pairs/s" if solved and seconds > 0 else ""
    state = "" if solved else " (everything was labelled already)"
    render.print_facts([("time", f"{seconds:.1f} s{rate}"), ("labels", f"{folder / 'labels'}{state}")])
