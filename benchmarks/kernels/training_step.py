"""One training step of GraphEdX, part by part, forward and backward: plain torch and the native core.

    python benchmarks/kernels/training_step.py [--pairs 256] [--quick]

The graphs and pairs of ``set_terms.py``, the paper's model. What counts is the processor time of one thread, the
best of several rounds; a machine that does other things, too, changes it little.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from rich.console import Console
from rich.table import Table
from set_terms import SIZE, sample
from torch import Tensor

from graphedx.models.batching import GraphBatch
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.set_terms import EncodedGraphs, set_terms
from record import result_file, save

CONSOLE = Console()
ROUNDS = {"torch": 5, "native": 30}


class Row(NamedTuple):
    """Milliseconds of processor time for one part, by either way."""

    part: str
    pairs: int
    torch: float
    native: float
    faster: float


def batch_of(graphs: EncodedGraphs) -> GraphBatch:
    """Nodes without labels, and the edges that the adjacency bits name."""
    sizes = graphs.sizes
    ends = [
        torch.tril_indices(n, n, -1) + first
        for n, first in zip(sizes.tolist(), graphs.offsets[:-1].tolist(), strict=True)
    ]
    edges = torch.cat(ends, 1)[:, graphs.adjacency]
    arcs = torch.stack([edges, edges.flip(0)], 2).reshape(2, -1)
    per_graph = [int(bits.sum()) for bits in graphs.adjacency.split((sizes * (sizes - 1) // 2).tolist())]
    nodes = len(graphs.node)
    labels = torch.zeros(nodes, dtype=torch.int64)
    return GraphBatch(torch.ones(nodes, 1), labels, arcs, sizes, torch.tensor(per_graph), graphs.adjacency)


def parts(backend: str, model: GraphEdX, batch: GraphBatch, pairs: Tensor) -> dict[str, Callable[[], Tensor]]:
    """What a step consists of; each part begins with values that the one before would give."""
    nodes = model.nodes(batch).detach().requires_grad_()
    encoded = model.encode(batch)
    vectors = (vector.detach().requires_grad_() for vector in encoded.vectors)
    fixed = EncodedGraphs(*vectors, encoded.adjacency, encoded.offsets)
    return {
        "messages": lambda: model.nodes(batch, backend=backend),
        "node pairs": lambda: model.pairs(nodes, batch, backend=backend)[0],
        "alignment": lambda: model.alignment(nodes),
        "set terms": lambda: set_terms(fixed, pairs, padded_nodes=SIZE, backend=backend),  # type: ignore[arg-type]
    }


def milliseconds(part: Callable[[], Tensor], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        part().sum().backward()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def compare(count: int, seed: int) -> list[Row]:
    torch.manual_seed(seed)
    graphs, pairs = sample(count, seed)
    model, batch = GraphEdX(GraphEdXConfig()), batch_of(graphs)
    times = {
        backend: {name: milliseconds(part, rounds) for name, part in parts(backend, model, batch, pairs).items()}
        for backend, rounds in ROUNDS.items()
    }
    for of_parts in times.values():
        of_parts["all"] = sum(of_parts.values())
    both = [(name, times["torch"][name], times["native"][name]) for name in times["torch"]]
    return [Row(name, count, torch_time, native, torch_time / native) for name, torch_time, native in both]


def show(rows: list[Row]) -> None:
    title = f"forward + backward of {rows[0].pairs} pairs: ms of one thread"
    table = Table("part", "torch", "native", "times faster", title=title)
    for row in rows:
        table.add_row(row.part, f"{row.torch:.1f}", f"{row.native:.1f}", f"{row.faster:.1f}")
    CONSOLE.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="64 pairs, results outside the repository")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    rows = compare(64 if chosen.quick else chosen.pairs, chosen.seed)
    show(rows)
    save(result_file("training_step", chosen.quick), Row._fields, rows, chosen.seed)


if __name__ == "__main__":
    main()
