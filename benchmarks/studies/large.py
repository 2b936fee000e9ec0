"""How time, memory and the gap between the bounds grow with the size of graphs and with the number of edits.

    python benchmarks/studies/large.py [--data DIR] [--quick] [--redraw]

Pairs are a graph of real pieces (molecules; functions of Python's standard library) and a copy with a known number of
random edits, whose cost bounds the distance from above ("planted"). Every pair is solved in a process of its own under
unit costs. Memory is how far that process's resident size rises above what it was before the call; a process that is
not back long after the limit is killed, and its row has no bounds.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.progress import track

from edited_pairs import edited, molecule, program
from graphedx import Graph, ged
from record import data_folder, image_file, load, result_file, save
from studies.figures import draw_large

SIZES = (100, 200, 500, 1000, 2000, 5000)
FRACTION = 0.05
FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2)
FRACTIONS_SIZE = 1000
QUICK_SIZES, QUICK_FRACTIONS_SIZE = (50, 100, 200, 300), 100
KINDS = ("molecule", "program")
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Case(NamedTuple):
    """What is measured; ``fraction`` is the number of edits by the number of nodes and edges."""

    graphs: str
    nodes: int
    fraction: float
    instance: int


class Row(NamedTuple):
    graphs: str
    nodes: int
    fraction: float
    instance: int
    edges: int
    planted: int
    method: str
    time_limit: float
    lower: float
    upper: float
    gap: float
    upper_by_planted: float
    seconds: float
    megabytes: float
    stopped_by: str


def cases(quick: bool, instances: int) -> Iterator[Case]:
    sizes, size = (QUICK_SIZES, QUICK_FRACTIONS_SIZE) if quick else (SIZES, FRACTIONS_SIZE)
    wanted = [(nodes, FRACTION) for nodes in sizes]
    wanted += [(size, fraction) for fraction in FRACTIONS if (size, fraction) not in wanted]
    for nodes, fraction in wanted:
        for kind in KINDS:
            for instance in range(instances):
                yield Case(kind, nodes, fraction, instance)


def pair(case: Case, seed: int, data: Path | None) -> tuple[Graph, Graph, int]:
    """The graph, its edited copy, and the number of edits."""
    number = 1000 * seed + case.instance
    graph = molecule(case.nodes, number, data) if case.graphs == "molecule" else program(case.nodes, number)
    copy, planted = edited(graph, round(case.fraction * (len(graph) + graph.num_edges)), number)
    return graph, copy, planted


def measured(case: Case, options: argparse.Namespace, data: Path | None) -> Row:
    """One pair, solved in a process of its own."""
    source, target, planted = pair(case, options.seed, data)
    command = [sys.executable, str(Path(__file__).resolve()), "--child", options.method, str(options.time_limit)]
    question = pickle.dumps((source, target))
    answer: dict[str, Any] = {"lower": math.nan, "upper": math.nan, "seconds": math.nan, "megabytes": math.nan}
    try:
        done = subprocess.run(command, input=question, capture_output=True, timeout=options.patience, check=False)
    except subprocess.TimeoutExpired:
        answer["stopped_by"] = f"killed after {options.patience:g} s"
    else:
        words = done.stderr.decode().strip().splitlines()
        failure = {"stopped_by": words[-1] if words else f"exit status {done.returncode}"}
        answer |= json.loads(done.stdout) if done.returncode == 0 else failure
    upper = answer["upper"]
    return Row(
        *case,
        edges=source.num_edges,
        planted=planted,
        method=options.method,
        time_limit=options.time_limit,
        gap=(upper - answer["lower"]) / upper if upper else 0.0,
        upper_by_planted=upper / planted if planted else math.nan,
        **answer,
    )


# -- in the process of its own ----------------------------------------------------------------------------------------


def child(method: str, time_limit: float) -> int:
    """Read two graphs, solve them, and say what it took."""
    source, target = pickle.load(sys.stdin.buffer)
    tiny = Graph(2, [(0, 1)], directed=source.directed)
    ged(tiny, tiny, method=method, time_limit=time_limit)  # loads what the method needs
    before = peak_after_reset()
    start = time.perf_counter()
    result = ged(source, target, method=method, time_limit=time_limit)
    seconds = time.perf_counter() - start
    answer = {
        "lower": result.lower,
        "upper": result.upper,
        "seconds": seconds,
        "megabytes": max(0.0, peak() - before),
        "stopped_by": result.stopped_by.value,
    }
    print(json.dumps(answer))
    return 0


def peak() -> float:
    """The most memory that this process ever had resident, in MB; unlike ``getrusage``'s, none of its parent's."""
    (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def peak_after_reset() -> float:
    """Forget the peak of reading the graphs, where the system lets us."""
    with suppress(OSError):
        CLEAR.write_text("5")
    return peak()


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2], float(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data, for its molecules; else those of rdkit")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--patience", type=float, help="seconds until a process is killed; 6 limits if not given")
    parser.add_argument("--instances", type=int, default=3, help="pairs of each size and number of edits")
    parser.add_argument("--quick", action="store_true", help="small graphs, one pair each, a limit of a second")
    parser.add_argument("--redraw", action="store_true", help="only the picture, from the result file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="results/large.csv; if quick, build/benchmarks/quick_...")
    parser.add_argument("--image", type=Path, help="docs/images/large.png; if quick, build/benchmarks/quick_...")
    options = parser.parse_args()
    options.output = options.output or result_file("large", options.quick)
    options.image = options.image or image_file("large", options.quick)
    if options.quick:
        options.instances, options.time_limit = 1, min(options.time_limit, 1.0)
    options.patience = options.patience or 6 * options.time_limit
    data, console = data_folder(options.data), Console()
    if not options.redraw:
        rows = []
        for case in track(list(cases(options.quick, options.instances)), console=Console(stderr=True)):
            rows.append(measured(case, options, data))
            row = rows[-1]
            text = f"{row.graphs} {row.nodes}, {row.fraction:.0%} edits: [{row.lower:g}, {row.upper:g}]"
            text += f" planted {row.planted}, {row.seconds:.2f} s, {row.megabytes:.1f} MB, {row.stopped_by}"
            console.print(text, highlight=False, markup=False)
            save(options.output, Row._fields, rows, options.seed)  # after each: a run that is stopped leaves its rows
    draw_large(load(options.output), options.image)
    console.print(f"{options.output} and {options.image}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
