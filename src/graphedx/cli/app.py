"""The commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

from graphedx import __version__
from graphedx.cli import (
    convert,
    data,
    data_checks,
    demo,
    distance,
    evaluate,
    experiment,
    index,
    label,
    matrix,
    methods,
    models,
    path,
    predict,
    search,
    train,
)
from graphedx.cli.guard import Guarded

app = typer.Typer(
    cls=Guarded,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module, _command in (
    (distance, distance.distance),
    (path, path.path),
    (matrix, matrix.matrix),
    (search, search.search),
    (convert, convert.convert),
    (methods, methods.methods),
    (models, models.models),
    (demo, demo.demo),
):
    app.command(epilog=_module.EPILOG)(_command)
app.command("label", epilog=label.EPILOG)(label.label_dataset)
app.command("train", epilog=train.EPILOG)(train.train_model)
app.command("evaluate", epilog=evaluate.EPILOG)(evaluate.evaluate_model)
app.command("predict", epilog=predict.EPILOG)(predict.predict_distance)
data.app.command("stats", epilog=data_checks.STATS_EPILOG)(data_checks.stats_of)
data.app.command("verify", epilog=data_checks.VERIFY_EPILOG)(data_checks.verify_labels)
app.add_typer(index.app, name="index")
app.add_typer(data.app, name="data")
app.add_typer(experiment.app, name="experiment")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"graphedx {__version__}")
        raise typer.Exit


@app.callback()
def graphedx(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Graph edit distance you can trust: exact when it can be, bounded when it cannot."""
