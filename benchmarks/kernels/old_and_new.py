"""One training step by this checkout and by another one: how many times faster, and whether losses are the same.

    python benchmarks/kernels/old_and_new.py --against DIR [--data DIR] [--models graphedx gmn_match ...]

``DIR`` is another checkout of the package with its own build and environment (``DIR/.venv``). Both train the same model
from the same weights on the same batches: 256 random pairs of AIDS's training graphs (generated graphs without a folder
of raw data). Two processes, one thread each, take turns step by step, so that other load on the machine affects both
alike. Reported are the medians of the processor time of a step, which includes the choice of the batch, both
passes and Adam, and the largest relative difference of a loss over the first 20 steps, in single and in double
precision. In single precision the sharp alignment of GraphEdX and Adam, which divides gradients by their size, let a
difference in rounding grow from 1e-7 in the first step; in double precision both must agree.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PAIRS, COMPARED, STEPS, WARM = 256, 20, 200, 5
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "graphedx": ("graphedx", {}),
    "graphedx, DiffAlign": ("graphedx", {"node_term": "diff_align"}),
    "graphedx, AlignDiff": ("graphedx", {"edge_term": "align_diff"}),
    "gmn_embed": ("gmn_embed", {}),
    "gmn_match": ("gmn_match", {}),
    "graphsim": ("graphsim", {}),
    "h2mn": ("h2mn", {}),
    "isonet": ("isonet", {}),
    "simgnn": ("simgnn", {}),
}


class Row(NamedTuple):
    """Milliseconds of processor time of a step by either checkout, and how far losses are apart."""

    model: str
    data: str
    pairs: int
    old: float
    new: float
    faster: float
    loss_off: float
    loss_off_double: float


def train(variant: str, source: Path, steps: int, *, double: bool) -> None:
    """In this process, by the package that it imports: a step for each line read, which prints its loss and seconds."""
    import torch

    from graphedx import read_all
    from graphedx.costs import UNIFORM
    from graphedx.models.base import kind_of
    from graphedx.models.batching import GraphBatch
    from graphedx.models.predicting import cost_tensor
    from graphedx.training import loop
    from graphedx.training.config import TrainConfig
    from graphedx.training.data import PairData
    from graphedx.training.session import seeded_model

    torch.set_num_threads(1)
    graphs = read_all(source)
    name, settings = VARIANTS[variant]
    dtype = torch.float64 if double else torch.float32
    model = seeded_model(name, settings, 0).train().to(dtype)
    batch, costs = kind_of(name).batch(graphs, ()), cost_tensor(UNIFORM)
    batch = GraphBatch(batch.x.to(dtype), *(getattr(batch, part) for part in GraphBatch.__slots__[1:]))
    ends = torch.randint(len(graphs), (steps * PAIRS, 2), generator=torch.Generator().manual_seed(0))
    data = PairData(batch, ends, (batch.sizes + batch.edges)[ends].diff(dim=1)[:, 0].abs().to(dtype))  # as distances
    if hasattr(loop, "adam"):
        adam = loop.adam(model, TrainConfig())
    else:  # as checkouts before it had it
        adam = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=5e-4, foreach=True)
    for pairs in torch.split(torch.arange(steps * PAIRS), PAIRS):
        sys.stdin.readline()
        start = time.process_time()
        distances, penalty = model.distances_and_penalty(*data.batch(pairs, costs))
        loss = ((distances - data.distances[pairs]) ** 2).mean() + penalty
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        value = loss.item()
        print(json.dumps([value, time.process_time() - start]), flush=True)


class Trainer:
    """A process of a checkout that trains step by step."""

    def __init__(self, checkout: Path, variant: str, graphs: Path, steps: int, *, double: bool) -> None:
        command = [checkout / ".venv/bin/python", __file__, "--measure", variant, "--graphs", graphs]
        command += ["--steps", str(steps), *(["--double"] if double else [])]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, cwd=checkout, **pipes)

    def step(self) -> tuple[float, float]:
        """The loss and the seconds of processor time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        loss, seconds = json.loads(self._process.stdout.readline())
        return loss, seconds

    def end(self) -> None:
        self._process.communicate()


def in_turns(checkouts: tuple[Path, Path], variant: str, graphs: Path, steps: int, *, double: bool) -> Any:
    """(steps, 2, 2): of each step, by either checkout, the loss and the seconds."""
    both = [Trainer(checkout, variant, graphs, steps, double=double) for checkout in checkouts]
    found = [[trainer.step() for trainer in both] for _ in range(steps)]
    for trainer in both:
        trainer.end()
    return np.array(found)


def compare(variant: str, data: str, graphs: Path, checkouts: tuple[Path, Path], steps: int) -> Row:
    single = in_turns(checkouts, variant, graphs, steps, double=False)
    double = in_turns(checkouts, variant, graphs, COMPARED, double=True)
    off = [float(np.abs(one[:COMPARED, 1, 0] / one[:COMPARED, 0, 0] - 1).max()) for one in (single, double)]
    before, after = np.median(single[WARM:, :, 1], axis=0) * 1e3
    return Row(variant, data, PAIRS, before, after, before / after, *off)


def training_graphs(data: Path | None, quick: bool, seed: int) -> tuple[str, list[Any]]:
    from kernels.inference import graphs_of
    from paper_data import prepared

    if data is None:
        return graphs_of(None, quick, seed)
    return "AIDS", [graph.unlabelled() for graph in prepared("AIDS", data).split("train")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="the other checkout")
    parser.add_argument("--data", type=Path, help="the folder of raw data; GRAPHEDX_DATA names it too")
    parser.add_argument("--models", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="30 steps, results outside the repository")
    parser.add_argument("--double", action="store_true", help="in double precision, with --measure")
    parser.add_argument("--measure", choices=VARIANTS, help="one measurement, as JSON")
    parser.add_argument("--graphs", type=Path, help="the file of graphs of that measurement")
    chosen = parser.parse_args()
    if chosen.measure:
        train(chosen.measure, chosen.graphs, chosen.steps, double=chosen.double)
        return
    if chosen.against is None:
        parser.error("name the other checkout: --against DIR")
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    report(chosen)


def report(chosen: argparse.Namespace) -> None:
    from rich.table import Table

    from graphedx import write
    from record import CONSOLE, WORK, data_folder, result_file, save

    name, graphs = training_graphs(data_folder(chosen.data), chosen.quick, chosen.seed)
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / "old_and_new.jsonl"
    write(graphs, file, overwrite=True)
    checkouts = chosen.against.resolve(), Path(__file__).resolve().parents[2]
    steps = 30 if chosen.quick else chosen.steps
    table = Table("model", "old ms", "new ms", "times faster", "losses off", "in double")
    table.title = f"a step of {PAIRS} pairs, {name}"
    rows = []
    for variant in chosen.models:
        row = compare(variant, name, file, checkouts, steps)
        rows.append(row)
        table.add_row(row.model, *(f"{value:.3g}" for value in row[3:]))
    CONSOLE.print(table)
    save(result_file("old_and_new", chosen.quick), Row._fields, rows, chosen.seed)


if __name__ == "__main__":
    main()
