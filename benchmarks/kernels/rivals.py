"""The programs that the exact search is measured against, each run the way it is meant to be run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import networkx as nx

from graphedx import EditCosts, Graph, ged
from raw_data import Benchmark, write_benchmark


class Timed(NamedTuple):
    """One pair's time, what came out, and whether it was proven."""

    seconds: float
    value: float
    proven: bool


class Sketch:
    """The yardstick: a minimal branch and bound in one C++ file, without relabelling costs; counts common edges."""

    def __init__(self, source: Path, folder: Path) -> None:
        compiler = shutil.which("g++")
        if compiler is None:
            raise FileNotFoundError("g++ is needed to build the sketch")
        self.program = folder / "exact_sketch"
        subprocess.run([compiler, "-O3", "-march=native", "-o", self.program, source], check=True)
        self.folder = folder

    def __call__(self, graphs: Sequence[Graph], pairs: Sequence[tuple[int, int]], limit: int = 0) -> list[Timed]:
        """``limit`` is a number of search nodes a pair; 0 means none."""
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".txt") as file:
            write_benchmark(Benchmark(list(graphs), list(pairs)), Path(file.name))
            command = [str(self.program), file.name, *([str(limit)] if limit else [])]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        rows = (line.split() for line in lines)
        return [Timed(float(seconds), float(common), proven == "1") for _, _, common, proven, seconds, _ in rows]

    def nodes_per_second(self, graphs: Sequence[Graph], pair: tuple[int, int], trial: int = 200_000) -> float:
        """How many search nodes it visits a second on a pair that it does not finish."""
        return trial / max(self(graphs, [pair], trial)[0].seconds, 1e-9)


def by_f2(source: Graph, target: Graph, costs: EditCosts, time_limit: float) -> Timed:
    start = time.perf_counter()
    result = ged(source, target, costs=costs, method="f2", time_limit=time_limit)
    return Timed(time.perf_counter() - start, result.upper, result.proven)


def by_networkx(source: Graph, target: Graph, costs: EditCosts, time_limit: float) -> Timed:
    """``proven`` tells whether it ended by itself, which is the only case in which networkx's value is the distance."""

    def substitution(cost: object) -> object:
        return lambda a, b: 0 if a.get("label") == b.get("label") else cost

    start = time.perf_counter()
    value = nx.graph_edit_distance(
        source.to_networkx(),
        target.to_networkx(),
        node_subst_cost=substitution(costs.node_sub),
        edge_subst_cost=substitution(costs.edge_sub),
        node_del_cost=lambda _: costs.node_del,
        node_ins_cost=lambda _: costs.node_ins,
        edge_del_cost=lambda _: costs.edge_del,
        edge_ins_cost=lambda _: costs.edge_ins,
        timeout=time_limit,
    )
    seconds = time.perf_counter() - start
    return Timed(seconds, float("inf") if value is None else float(value), seconds < 0.99 * time_limit)
