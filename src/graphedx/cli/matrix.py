"""``graphedx matrix``."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from graphedx.api import DistanceMatrix, distance_matrix
from graphedx.cli import options, render
from graphedx.cli.guard import NOT_PROVEN
from graphedx.cli.inputs import Labels, graphs_of
from graphedx.cli.outputs import require_apart, require_free, write_all
from graphedx.costs import EditCosts
from graphedx.engine import opened
from graphedx.matrix.files import require_extension
from graphedx.result import StopReason

EPILOG = """Examples:

  graphedx matrix molecules.smi -o distances.csv

  graphedx matrix graphs/ -o distances.parquet --time-limit 1 --heatmap distances.svg

  graphedx matrix new.jsonl --against known.jsonl -o distances.npz --cutoff 5 --workers 4"""


def matrix(
    inputs: options.Inputs,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv, .parquet or .npz file.")],
    against: Annotated[
        list[str] | None, typer.Option(metavar="INPUT", help="Compare with these instead of with each other.")
    ] = None,
    costs: options.Costs = "unit",
    method: options.MethodName = "auto",
    option: options.MethodOptions = None,
    time_limit: options.TimeLimit = None,
    cutoff: options.Cutoff = None,
    workers: options.Workers = None,
    engine: options.EngineName = "local",
    address: options.Address = None,
    resume: Annotated[bool, typer.Option(help="Go on where the same command was stopped or killed.")] = True,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to keep what is solved; by default beside the output.")
    ] = None,
    heatmap: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the matrix, clustered, as SVG.")] = None,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """All distances between many graphs, as a file with a row for each pair.

    Exit code 3 if some are not proven within the limit; their bounds are written all the same.
    """
    if heatmap and against:
        raise typer.BadParameter("a heat map is of graphs with each other; leave out --against", param_hint="--heatmap")
    require_extension(output)
    require_free([output, heatmap], overwrite=overwrite)
    journal = (checkpoint or output.with_name(f"{output.name}.checkpoint")) if resume else None
    require_apart([output, heatmap, journal])
    labels = Labels(node_label, edge_label, unlabelled)
    keywords = {
        "costs": EditCosts.parse(costs),
        "method": method,
        "time_limit": time_limit,
        "cutoff": cutoff,
        **options.method_options(method, option),
    }
    graphs = graphs_of(inputs, labels)
    others = graphs_of(against, labels) if against else None
    start = perf_counter()
    with opened(engine, workers=workers, address=address) as where:
        found = _solved(graphs, others, journal, keywords | {"engine": where})
    seconds = perf_counter() - start
    found.save(output, overwrite=overwrite)
    if heatmap is not None:
        write_all({heatmap: _drawn(found)}, overwrite=overwrite)
    if journal is not None:
        journal.unlink(missing_ok=True)  # the output holds it all now
    _show(found, seconds, output, as_json)
    raise typer.Exit(NOT_PROVEN if found.count(StopReason.TIME) + found.count(StopReason.PATIENCE) else 0)


def _solved(
    graphs: list[Any], others: list[Any] | None, journal: Path | None, keywords: dict[str, Any]
) -> DistanceMatrix:
    try:
        return distance_matrix(graphs, others, resume=journal, **keywords)
    except KeyboardInterrupt:
        if journal is None:
            raise
        raise KeyboardInterrupt("the same command goes on where it was stopped") from None


def _drawn(found: DistanceMatrix) -> str:
    from graphedx.drawing import clustered_heatmap_svg

    return clustered_heatmap_svg(found.upper, found.rows, proven=found.proven)


def _show(found: DistanceMatrix, seconds: float, output: Path, as_json: bool) -> None:
    rows, columns = found.upper.shape
    proven = int(found.proven.sum())
    if as_json:
        data = {"rows": rows, "columns": columns, "distances": found.proven.size, "proven": proven}
        stops = {reason.value: found.count(reason) for reason in StopReason}
        render.print_json(data | {"stopped_by": stops, "seconds": seconds, "output": str(output)})
        return
    render.print_facts(
        [
            ("distances", f"{rows} x {columns}"),
            ("proven", f"{proven} of {found.proven.size}"),
            ("time", render.duration(seconds)),
            ("written", str(output)),
        ]
    )
