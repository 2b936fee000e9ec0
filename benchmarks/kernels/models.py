"""All models side by side: how long a guess takes, and a step of training.

    python benchmarks/kernels/models.py --data DIR [--quick]
    python benchmarks/kernels/models.py --table

The pairs are the paper's test pairs of AIDS (structure only, at most 20 nodes); without a folder of raw data graphs are
generated, and the table says so. A guess is timed from tensors to numbers, with every graph encoded once, and from
encoded graphs; a step has 256 random pairs and goes forth, back and through Adam. How: ``graphedx.training.timing``.
``--table`` measures nothing: it puts the rows into the page and draws the figure.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.table import Table

from graphedx import Graph
from graphedx.models.base import kind_of, models
from graphedx.training.timing import ROUNDS, model_times
from kernels.inference import graphs_of
from models_table import FROM, refresh
from record import data_folder, result_file, save

CONSOLE = Console()


class Row(NamedTuple):
    """Of one model: microseconds a pair with encoding and without, steps a second, and both beside GraphEdX's."""

    model: str
    data: str
    pairs: int
    parameters: int
    interaction: str
    output: str
    microseconds: float
    microseconds_encoded: float
    steps_per_second: float
    guesses_beside_graphedx: float
    steps_beside_graphedx: float


def measured(name: str, graphs: list[Graph], rounds: int) -> list[Row]:
    times = model_times(models(), graphs, max(20, *map(len, graphs)), rounds=rounds)
    own = times["graphedx"]
    return [
        Row(
            *(model, name, one.pairs, one.parameters, kind_of(model).interaction, kind_of(model).output),
            *(one.guess * 1e6, one.encoded * 1e6, 1 / one.step, one.guess / own.guess, own.step / one.step),
        )
        for model, one in times.items()
    ]


def show(rows: list[Row]) -> None:
    heads = ("model", "parameters", "interaction", "µs a pair", "encoded", "steps/s")
    table = Table(*heads, title=f"{rows[0].data}, {rows[0].pairs:,} pairs, one thread")
    for row in sorted(rows, key=lambda row: row.microseconds):
        times = f"{row.microseconds:.2f}", f"{row.microseconds_encoded:.2f}", f"{row.steps_per_second:.0f}"
        table.add_row(row.model, f"{row.parameters:,}", row.interaction, *times)
    CONSOLE.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of raw data; GRAPHEDX_DATA names it too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="40 graphs, one round, results outside the repository")
    parser.add_argument("--table", action="store_true", help="only write the page's table again, and draw the figure")
    chosen = parser.parse_args()
    if not chosen.table:
        name, graphs = graphs_of(data_folder(chosen.data), chosen.quick, chosen.seed)
        rows = measured(name, graphs, 1 if chosen.quick else ROUNDS)
        show(rows)
        save(result_file(FROM.stem, chosen.quick), Row._fields, rows, chosen.seed)
    if not chosen.quick:
        refresh()


if __name__ == "__main__":
    main()
