"""Every method on the fixed pairs of at most 20 nodes: what it costs and how near it comes, in one run on one core.

    python benchmarks/kernels/heuristics.py --data DIR [--pairs 1000] [bipartite refine ipfp:starts=10 ...]

A method's options follow its name after a colon. Costs are the paper's uniform ones; the truth is the published proven
number of common edges. Native methods are timed as one call of ``_kernels.Batch.solve`` a pair, the others as one of
``graphedx.ged``, on graphs that were encoded before.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.table import Table

from graphedx import Graph, ged, methods, solvers
from graphedx._kernels import Batch
from graphedx.costs import UNIFORM
from graphedx.errors import MissingExtraError
from raw_data import distance_from_common, read_benchmark, read_truth
from record import RESULTS, data_folder, machine, pin_to_one_core, save

SETS = ("aids_20", "mutag_20")
SLOW = ("f2", "fori")  # integer programmes: seconds a pair, and measured elsewhere
CONSOLE = Console()


class Spec(NamedTuple):
    """A method and its options, as written: ``ipfp:starts=10``; a ``limit`` is in milliseconds: ``auto:limit=10``."""

    text: str
    method: str
    options: dict[str, int | bool]

    @classmethod
    def parse(cls, text: str) -> Spec:
        method, _, rest = text.partition(":")
        if method not in methods():
            raise argparse.ArgumentTypeError(f"there is no method {method!r}; there are {', '.join(sorted(methods()))}")
        options: dict[str, int | bool] = {}
        for part in filter(None, rest.split(",")):
            name, _, value = part.partition("=")
            try:
                options[name] = value == "True" if value in ("True", "False") else int(value)
            except ValueError:
                raise argparse.ArgumentTypeError(f"{part!r} is not of the form option=number") from None
        return cls(text, method, options)


class Truth(NamedTuple):
    """Graphs, some pairs of them, and the distance of each pair."""

    graphs: list[Graph]
    pairs: list[tuple[int, int]]
    distances: list[float]


class Bounds(Protocol):
    """What both kinds of answers have."""

    @property
    def lower(self) -> float: ...

    @property
    def upper(self) -> float: ...


class Row(NamedTuple):
    """A method on a set of pairs; errors are upper - distance, and lower_share is the mean of lower / distance."""

    data: str
    method: str
    pairs: int
    mean_ms: float
    median_ms: float
    mean_absolute_error: float
    mean_squared_error: float
    share_optimal: float
    share_proven: float
    lower_share: float
    share_lower_tight: float


def read_set(data: Path, name: str, count: int) -> Truth:
    graphs, _ = read_benchmark(data / "bench" / f"{name}.txt")
    truth = read_truth(data / "bench" / f"{name}.truth.txt")[:count]
    distances = [distance_from_common(graphs[i], graphs[j], common, UNIFORM) for i, j, common in truth]
    return Truth(graphs, [(i, j) for i, j, _ in truth], distances)


def caller(spec: Spec, graphs: Sequence[Graph], time_limit: float | None) -> Callable[[int, int], Bounds]:
    """How the method is asked for a pair; the one place that knows it."""
    method, given = solvers.get(spec.method), dict(spec.options)
    time_limit = given.pop("limit") / 1000 if "limit" in given else time_limit
    options = method.checked(given)
    if method.native:
        batch, request = Batch(graphs, UNIFORM), method.request(options, time_limit, None)
        return lambda i, j: batch.solve([(i, j)], request)[0]
    return lambda i, j: ged(graphs[i], graphs[j], costs=UNIFORM, method=spec.method, time_limit=time_limit, **options)


def measured(spec: Spec, name: str, truth: Truth, time_limit: float | None) -> Row:
    ask = caller(spec, truth.graphs, time_limit)
    distances = truth.distances
    seconds, lowers, uppers = [], [], []
    ask(*truth.pairs[0])  # loads what the method needs
    for pair in truth.pairs:
        start = time.perf_counter()
        answer = ask(*pair)
        seconds.append(time.perf_counter() - start)
        lowers.append(answer.lower)
        uppers.append(answer.upper)
    errors = [upper - distance for upper, distance in zip(uppers, distances, strict=True)]
    slack = [distance - lower for lower, distance in zip(lowers, distances, strict=True)]
    if min(*errors, *slack) < -1e-9:
        CONSOLE.print(f"[red]{spec.text} on {name}: a bound is on the wrong side of the distance[/red]")
    return Row(
        data=name,
        method=spec.text,
        pairs=len(distances),
        mean_ms=1000 * statistics.fmean(seconds),
        median_ms=1000 * statistics.median(seconds),
        mean_absolute_error=statistics.fmean(errors),
        mean_squared_error=statistics.fmean(error * error for error in errors),
        share_optimal=statistics.fmean(error < 1e-9 for error in errors),
        share_proven=statistics.fmean(lower == upper for lower, upper in zip(lowers, uppers, strict=True)),
        lower_share=statistics.fmean(low / whole for low, whole in zip(lowers, distances, strict=True) if whole > 0),
        share_lower_tight=statistics.fmean(gap < 1e-9 for gap in slack),
    )


def measure(specs: Sequence[Spec], data: Path, count: int, time_limit: float | None) -> Iterator[Row]:
    for name in SETS:
        truth = read_set(data, name, count)
        for spec in specs:
            try:
                yield measured(spec, name, truth, time_limit)
            except MissingExtraError as error:
                CONSOLE.print(f"{spec.text} is left out: {error}")


def show(rows: Sequence[Row]) -> None:
    table = Table(title=f"One core of {machine()}")
    for title in ("data", "method", "ms", "error", "optimal", "proven", "lower"):
        table.add_column(title, justify="left" if title in ("data", "method") else "right", no_wrap=True)
    for row in rows:
        shares = (f"{share:.1%}" for share in (row.share_optimal, row.share_proven, row.lower_share))
        table.add_row(row.data, row.method, f"{row.mean_ms:.4f}", f"{row.mean_absolute_error:.3f}", *shares)
    CONSOLE.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = sorted(set(methods()) - {"brute_force", "neural", *SLOW})
    parser.add_argument("methods", nargs="*", type=Spec.parse, default=[Spec.parse(name) for name in usual])
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--pairs", type=int, default=1000, help="of each set")
    parser.add_argument("--time-limit", type=float, help="seconds a pair; none if not given")
    parser.add_argument("--output", type=Path, default=RESULTS / "heuristics.csv")
    options = parser.parse_args()
    data = data_folder(options.data)
    if data is None:
        parser.error("--data or GRAPHEDX_DATA must name the folder of raw data: the fixed pairs are there")
    pin_to_one_core()
    rows = []
    for row in measure(options.methods, data, options.pairs, options.time_limit):
        CONSOLE.print(f"{row.data} {row.method}: {row.mean_ms:.4g} ms", highlight=False)
        rows.append(row)
    show(rows)
    save(options.output, Row._fields, rows, seed=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
