"""The terms of GraphEdX's ablations, forward and backward: plain torch and the native core.

    python benchmarks/kernels/ablations.py [--pairs 256] [--quick]

Graphs and vectors are those of ``set_terms.py``. Of each way the least processor time of several rounds in one thread
counts, and both must compute the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from rich.table import Table
from set_terms import PAIR, SIZE, arguments, sample
from torch import Tensor

from graphedx.models.layers.ablations import Variant, edge_to_edge_terms, max_terms
from graphedx.models.layers.backend import Backend
from graphedx.models.layers.set_terms import AlignmentOptions, EncodedGraphs, SetTerm, independent_terms
from record import CONSOLE, result_file, save

ALIGNMENT = AlignmentOptions(padded_nodes=SIZE)
ROUNDS = {"torch": 3, "native": 10}
Terms = Callable[[EncodedGraphs, Tensor, Backend], Tensor]


class Row(NamedTuple):
    """Milliseconds for all pairs."""

    ablation: str
    pairs: int
    torch: float
    native: float
    faster: float


def independent(edge_term: SetTerm) -> Terms:
    mixer = torch.randn(PAIR, SIZE, generator=torch.Generator().manual_seed(1)) * 0.01

    def terms(graphs: EncodedGraphs, pairs: Tensor, backend: Backend) -> Tensor:
        by = graphs.pair @ mixer, graphs.pair_pad @ mixer
        how = {"node_term": SetTerm.ALIGN_DIFF, "edge_term": edge_term}
        found, apart = independent_terms(graphs, pairs, ALIGNMENT, by, backend=backend, **how)  # type: ignore[arg-type]
        return torch.cat((found, apart[:, None]), dim=1)

    return terms


def ablations() -> dict[str, Terms]:
    edge = SetTerm.ALIGN_DIFF
    return {
        "max": lambda graphs, pairs, backend: max_terms(graphs, pairs, ALIGNMENT, Variant.MAX, backend),
        "max_or": lambda graphs, pairs, backend: max_terms(graphs, pairs, ALIGNMENT, Variant.MAX_OR, backend),
        "edge_to_edge": lambda graphs, pairs, backend: edge_to_edge_terms(
            graphs, pairs, ALIGNMENT, edge, edge, backend
        ),
        "reg": independent(SetTerm.ALIGN_DIFF),
        "reg, xor": independent(SetTerm.XOR),
    }


def step(terms: Terms, graphs: EncodedGraphs, pairs: Tensor, backend: Backend) -> tuple[float, list[Tensor]]:
    """Seconds, and what was computed."""
    start = time.process_time()
    found = terms(graphs, pairs, backend)
    gradients = torch.autograd.grad(found.sum(), graphs.vectors, allow_unused=True)
    seconds = time.process_time() - start
    return seconds, [found.detach(), *(one for one in gradients if one is not None)]


def compared(name: str, terms: Terms, count: int, seed: int) -> Row:
    graphs, pairs = sample(count, seed)
    graphs = EncodedGraphs(*(vector.requires_grad_() for vector in graphs.vectors), graphs.adjacency, graphs.offsets)
    best = {}
    results = []
    for backend, rounds in ROUNDS.items():
        steps = [step(terms, graphs, pairs, backend) for _ in range(rounds)]  # type: ignore[arg-type]
        best[backend] = min(seconds for seconds, _ in steps)
        results.append(steps[0][1])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one.abs().sum(), other.abs().sum(), rtol=1e-2, atol=1e-3)
    return Row(name, count, best["torch"] * 1e3, best["native"] * 1e3, best["torch"] / best["native"])


def main() -> None:
    chosen = arguments(__doc__).parse_args()
    torch.set_num_threads(1)
    count = 64 if chosen.quick else chosen.pairs
    rows = [compared(name, terms, count, chosen.seed) for name, terms in ablations().items()]
    table = Table("ablation", "torch, ms", "native, ms", "times faster", title=f"{count} pairs, one thread")
    for row in rows:
        table.add_row(row.ablation, f"{row.torch:.1f}", f"{row.native:.1f}", f"{row.faster:.1f}")
    CONSOLE.print(table)
    save(result_file("ablations", chosen.quick), Row._fields, rows, chosen.seed)


if __name__ == "__main__":
    main()
