"""The paper's figure "MSE against time limit", for every method that we have.

    python benchmarks/studies/time_limit.py --data DIR [--quick] [--methods ipfp,refine] [--redraw]

Pairs are sampled from the paper's test pairs. The truth is the proven distance; pairs not proven in a minute are left
out and counted. A method's estimate is its upper bound (the cost of the mapping that it found), or its lower bound if
it promises nothing else. The paper runs GEDLIB's methods at 10^-2 to 10 s and says of none which of its bounds it
takes, so this is our reading. Limits are given to the methods, which may overrun them: mean_seconds is what they used,
and the picture has hollow marks where that is over twice the limit.

Every answer goes into a journal at once, so a run that was stopped goes on where it was; ``--again ipfp`` forgets what
the journal knows of a method that has changed since.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.progress import track

from graphedx import Graph, ged, methods
from graphedx._files import atomic_write
from graphedx.costs import NON_UNIFORM, UNIFORM
from graphedx.errors import MissingExtraError
from graphedx.result import StopReason
from paper_data import SETS, reported_mse, sampled_pairs, tested_graphs
from record import (
    PROVENANCE,
    WORK,
    commit,
    data_folder,
    image_file,
    load,
    machine,
    pin_to_one_core,
    result_file,
    save,
    today,
)
from studies.figures import draw_time_limit

COSTS = {"uniform": UNIFORM, "non-uniform": NON_UNIFORM}
LIMITS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
QUICK_LIMITS = LIMITS[:4]
SLOW = ("f2", "fori")
TRUTH, TRUTH_SECONDS = "truth", 60.0
CONSOLE = Console()


class Question(NamedTuple):
    """A pair of a data set under some costs, put to a method."""

    dataset: str
    costs: str
    method: str
    i: int
    j: int


class Run(NamedTuple):
    """What a method answered within a limit, and when and where it did."""

    limit: float
    lower: float
    upper: float
    seconds: float
    stopped_by: str
    machine: str
    commit: str
    date: str

    @property
    def final(self) -> bool:
        """Whether it ended by itself, so that more time would change nothing."""
        return self.stopped_by != StopReason.TIME.value


class Task(NamedTuple):
    question: Question
    source: Graph
    target: Graph
    limits: tuple[float, ...]


class Row(NamedTuple):
    """A point of the figure."""

    dataset: str
    costs: str
    method: str
    estimate: str
    limit: float
    pairs: int
    left_out: int
    mse: float
    mse_stderr: float
    mean_seconds: float
    share_proven: float
    share_optimal: float


# -- asking -----------------------------------------------------------------------------------------------------------


def answer(task: Task) -> tuple[Question, list[Run]]:
    """Ever larger limits, until the method ends by itself."""
    costs = COSTS[task.question.costs]
    method = "exact" if task.question.method == TRUTH else task.question.method
    warm(method)
    ged(task.source, task.target, costs=costs, method="exact", time_limit=0)  # encodes the graphs
    where, runs = provenance(), []
    for limit in task.limits:
        start = time.perf_counter()
        result = ged(task.source, task.target, costs=costs, method=method, time_limit=limit)
        seconds = time.perf_counter() - start
        runs.append(Run(limit, result.lower, result.upper, seconds, result.stopped_by.value, *where))
        if runs[-1].final:
            break
    return task.question, runs


@cache
def warm(method: str) -> None:
    """So that no pair pays for loading a method's libraries."""
    ged(Graph(2, [(0, 1)]), Graph(2), costs=UNIFORM, method=method)


@cache
def provenance() -> tuple[str, str, str]:
    return machine(), commit(), today()


def asked_methods(named: str | None) -> list[str]:
    """Those that are named and known, or all but brute force; without those whose library is not installed."""
    known = sorted(set(methods()) - {"brute_force", "neural"})
    wanted = known if named is None else named.split(",")
    for name in sorted(set(wanted) - set(known)):
        CONSOLE.print(f"there is no method {name!r} yet: left out")
    found = []
    for name in (name for name in wanted if name in known):
        try:
            warm(name)
        except MissingExtraError as error:
            CONSOLE.print(f"{name} is left out: {error}")
        else:
            found.append(name)
    return found


# -- remembering ------------------------------------------------------------------------------------------------------


class Journal:
    """Every answer so far, on disk as soon as it is known."""

    def __init__(self, path: Path, forget: Iterable[str]) -> None:
        self.path, self.columns = path, [*Question._fields, *Run._fields]
        self.known: dict[Question, list[Run]] = {}
        forgotten = set(forget)
        for row in load(path):
            if all(row.get(name) for name in self.columns) and row["method"] not in forgotten:  # none torn
                question = Question(row["dataset"], row["costs"], row["method"], int(row["i"]), int(row["j"]))
                limit, lower, upper, seconds = (float(row[name]) for name in Run._fields[:4])
                words = (row[name] for name in Run._fields[4:])
                self.known.setdefault(question, []).append(Run(limit, lower, upper, seconds, *words))
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, overwrite=True, mode="w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows((*question, *run) for question, runs in self.known.items() for run in runs)

    def add(self, question: Question, runs: Sequence[Run]) -> None:
        self.known.setdefault(question, []).extend(runs)
        with self.path.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows((*question, *run) for run in runs)

    def missing(self, question: Question, limits: Sequence[float]) -> tuple[float, ...]:
        runs = self.known.get(question, [])
        if any(run.final for run in runs):
            least = min(run.limit for run in runs if run.final)
            limits = [limit for limit in limits if limit < least]
        return tuple(limit for limit in limits if limit not in {run.limit for run in runs})

    def at(self, question: Question, limit: float) -> Run:
        """The answer at a limit: measured there, or final at a smaller one."""
        return max((run for run in self.known[question] if run.limit <= limit), key=lambda run: run.limit)


def ask(tasks: Sequence[Task], journal: Journal, processes: int, title: str) -> None:
    with ProcessPoolExecutor(processes) as pool:
        answers = pool.map(answer, tasks) if processes > 1 else map(answer, tasks)
        for question, runs in track(answers, title, total=len(tasks), console=Console(stderr=True)):
            journal.add(question, runs)


# -- the study --------------------------------------------------------------------------------------------------------


class Panel(NamedTuple):
    """One data set under one cost setting."""

    dataset: str
    costs: str
    graphs: list[Graph]
    pairs: list[tuple[int, int]]
    slow_pairs: int

    def pairs_for(self, method: str) -> list[tuple[int, int]]:
        return self.pairs[: self.slow_pairs] if method in SLOW else self.pairs

    def tasks(self, method: str, limits: Sequence[float], journal: Journal) -> Iterator[Task]:
        for i, j in self.pairs_for(method):
            question = Question(self.dataset, self.costs, method, i, j)
            missing = journal.missing(question, limits)
            if missing:
                yield Task(question, self.graphs[i], self.graphs[j], missing)

    def rows(self, method: str, limits: Sequence[float], journal: Journal, seed: int) -> Iterator[list[object]]:
        truth, pairs = {}, self.pairs_for(method)
        for i, j in pairs:
            run = journal.at(Question(self.dataset, self.costs, TRUTH, i, j), TRUTH_SECONDS)
            if run.lower == run.upper:
                truth[i, j] = run.upper
        bound = "lower" if methods()[method] == "lower" else "upper"
        for limit in limits:
            runs = [journal.at(Question(self.dataset, self.costs, method, i, j), limit) for i, j in truth]
            row = self.point(method, bound, limit, runs, list(truth.values()), len(pairs) - len(truth))
            where = ["+".join(sorted({getattr(run, name) for run in runs})) for name in ("machine", "commit", "date")]
            yield [*row, where[0], seed, *where[1:]]

    def point(
        self, method: str, bound: str, limit: float, runs: Sequence[Run], truth: Sequence[float], left_out: int
    ) -> Row:
        errors = [getattr(run, bound) - value for run, value in zip(runs, truth, strict=True)]
        squares = [error * error for error in errors]
        return Row(
            dataset=self.dataset,
            costs=self.costs,
            method=method,
            estimate=bound,
            limit=limit,
            pairs=len(truth),
            left_out=left_out,
            mse=statistics.fmean(squares),
            mse_stderr=statistics.stdev(squares) / math.sqrt(len(squares)) if len(squares) > 1 else math.nan,
            mean_seconds=statistics.fmean(run.seconds for run in runs),
            share_proven=statistics.fmean(run.lower == run.upper for run in runs),
            share_optimal=statistics.fmean(abs(error) < 1e-9 for error in errors),
        )


def panels(data: Path, pairs: int, slow_pairs: int, seed: int) -> list[Panel]:
    found = []
    for name in SETS:
        graphs = tested_graphs(name, data)
        sample = sampled_pairs(graphs, pairs, seed)
        found += [Panel(name, costs, graphs, sample, slow_pairs) for costs in COSTS]
    return found


def study(options: argparse.Namespace, data: Path) -> list[list[object]]:
    limits = QUICK_LIMITS if options.quick else LIMITS
    some = panels(data, 10 if options.quick else options.pairs, options.slow_pairs, options.seed)
    journal = Journal(options.journal, options.again.split(",") if options.again else ())
    truths = [task for panel in some for task in panel.tasks(TRUTH, [TRUTH_SECONDS], journal)]
    ask(truths, journal, options.processes, TRUTH)

    def tasks(method: str) -> list[Task]:
        return [task for panel in some for task in panel.tasks(method, limits, journal)]

    for method in asked_methods(options.methods):
        ask(tasks(method), journal, options.processes, method)
    answered = [method for method in sorted(methods()) if not tasks(method)]  # in earlier runs too
    return [row for m in answered for panel in some for row in panel.rows(m, limits, journal, options.seed)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--pairs", type=int, default=100, help="a data set")
    parser.add_argument("--slow-pairs", type=int, default=20, help="the first of them, for f2 and fori: 11 s a pair")
    parser.add_argument("--methods", help="names, with commas between them; all if not given")
    parser.add_argument("--again", help="methods whose answers in the journal are forgotten")
    parser.add_argument("--processes", type=int, default=1, help="more are faster and disturb each other")
    parser.add_argument("--quick", action="store_true", help="10 pairs a data set, limits up to 0.1 s")
    parser.add_argument("--redraw", action="store_true", help="only the picture, from the result file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--journal", type=Path, default=WORK / "time_limit.csv")
    parser.add_argument("--output", type=Path, help="results/time_limit.csv; if quick, build/benchmarks/quick_...")
    parser.add_argument("--image", type=Path, help="docs/images/time_limit.png; if quick, build/benchmarks/quick_...")
    options = parser.parse_args()
    options.output = options.output or result_file("time_limit", options.quick)
    options.image = options.image or image_file("time_limit", options.quick)
    data = data_folder(options.data)
    if data is None and not options.redraw:
        parser.error("--data or GRAPHEDX_DATA must name the folder of raw data: the figure is about the paper's data")
    if data is not None and not options.redraw:
        if options.processes == 1:
            pin_to_one_core()
        save(options.output, [*Row._fields, *PROVENANCE], study(options, data), seed=None)
    reported = reported_mse(data) if data is not None else {}
    if not reported:
        CONSOLE.print("no paper/tables.csv beside the raw data: the picture has no point for the paper's GraphEdX")
    draw_time_limit(load(options.output), reported, options.image)
    CONSOLE.print(f"{options.output} and {options.image}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
