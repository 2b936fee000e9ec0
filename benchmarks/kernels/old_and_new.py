"""One training step by this checkout and by another one: how many times faster, and whether losses are the same.

    python benchmarks/kernels/old_and_new.py --against DIR [--data DIR] [--models graphedx gmn_match ...]

``DIR`` is another checkout of the package with its own build and environment (``DIR/.venv``). Both train the same model
from the same weights on the same batches: 256 random pairs of AIDS's training graphs (generated graphs without a folder
of raw data). Processes of both take turns, one thread each. Reported are the medians of the processor time of a step,
which includes the choice of the batch, both passes and Adam, and the largest relative difference of a loss over the
first 20 steps, in single and in double precision. In single precision the sharp alignment of GraphEdX and Adam, which
divides gradients by their size, let any difference in rounding grow from 1e-7 from step to step; in double precision
both must agree.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

PAIRS, COMPARED, STEPS, ROUNDS = 256, 20, 40, 5
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


def measure(variant: str, source: Path) -> dict[str, Any]:
    """In this process, by the package that it imports: losses, the same in double precision, and the time of steps."""
    losses, times = train(variant, source, STEPS, double=False)
    return {"losses": losses[:COMPARED], "double": train(variant, source, COMPARED, double=True)[0], "times": times[5:]}


def train(variant: str, source: Path, steps: int, *, double: bool) -> tuple[list[float], list[float]]:
    """The loss and the seconds of processor time of each step."""
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
    ends = torch.randint(len(graphs), (STEPS * PAIRS, 2), generator=torch.Generator().manual_seed(0))[: steps * PAIRS]
    data = PairData(batch, ends, (batch.sizes + batch.edges)[ends].diff(dim=1)[:, 0].abs().to(dtype))  # as distances
    if hasattr(loop, "adam"):
        adam = loop.adam(model, TrainConfig())
    else:  # as checkouts before it had it
        adam = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=5e-4, foreach=True)
    losses, times = [], []
    for pairs in torch.split(torch.arange(steps * PAIRS), PAIRS):
        start = time.process_time()
        distances, penalty = model.distances_and_penalty(*data.batch(pairs, costs))
        loss = ((distances - data.distances[pairs]) ** 2).mean() + penalty
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        losses.append(loss.item())
        times.append(time.process_time() - start)
    return losses, times


def in_process(checkout: Path, variant: str, graphs: Path) -> dict[str, Any]:
    command = [str(checkout / ".venv/bin/python"), __file__, "--measure", variant, "--graphs", str(graphs)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=checkout)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compare(variant: str, data: str, graphs: Path, old: Path, new: Path, rounds: int) -> Row:
    times: dict[Path, list[float]] = {old: [], new: []}
    found: dict[Path, dict[str, Any]] = {}
    for _ in range(rounds):
        for checkout in (old, new):
            found[checkout] = in_process(checkout, variant, graphs)
            times[checkout] += found[checkout]["times"]
    off = [
        max(abs(a - b) / abs(a) for a, b in zip(found[old][losses], found[new][losses], strict=True))
        for losses in ("losses", "double")
    ]
    before, after = (statistics.median(times[checkout]) * 1e3 for checkout in (old, new))
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
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="one round, results outside the repository")
    parser.add_argument("--measure", choices=VARIANTS, help="one measurement, as JSON")
    parser.add_argument("--graphs", type=Path, help="the file of graphs of that measurement")
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure, chosen.graphs)))
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
    here, rounds = Path(__file__).resolve().parents[2], 1 if chosen.quick else chosen.rounds
    table = Table("model", "old ms", "new ms", "times faster", "losses off", "in double")
    table.title = f"a step of {PAIRS} pairs, {name}"
    rows = []
    for variant in chosen.models:
        row = compare(variant, name, file, chosen.against.resolve(), here, rounds)
        rows.append(row)
        table.add_row(row.model, *(f"{value:.3g}" for value in row[3:]))
    CONSOLE.print(table)
    save(result_file("old_and_new", chosen.quick), Row._fields, rows, chosen.seed)


if __name__ == "__main__":
    main()
