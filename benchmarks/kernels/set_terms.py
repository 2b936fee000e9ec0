"""The set terms of GraphEdX, forward and backward: the formulas as they are written, plain torch, the native core.

    python benchmarks/kernels/set_terms.py [--pairs 256] [--quick]

Pairs of graphs with the sizes and densities of AIDS (about 11 nodes, at most 20), random vectors of the paper's widths,
padded to 20 nodes. Every implementation runs in a process of its own on the same pairs: the best of several rounds
counts, and the rise of the peak resident size. The written formulas work through the batch in parts of 32 pairs, as
memory would hardly hold it at once; so their memory is that of 32 pairs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from graphedx.models.layers.set_terms import AlignmentOptions, EncodedGraphs, SetTerm, set_terms
from record import result_file, save

SIZE, NODE, ALIGN, PAIR = 20, 10, 20, 20
PART = 32  # pairs that the written formulas take at once
HOWS = ("literal", "torch", "native")
CONSOLE = Console()


class Row(NamedTuple):
    """A way to compute, for one edge term; ``faster`` and ``smaller`` compare it with the written formulas."""

    edge_term: str
    how: str
    pairs: int
    milliseconds: float
    megabytes: float
    faster: float
    smaller: float


def sample(pairs: int, seed: int) -> tuple[EncodedGraphs, Tensor]:
    """As many graphs as pairs: random trees and a few more edges."""
    random = torch.Generator().manual_seed(seed)
    sizes = (torch.randn(pairs, generator=random) * 4 + 11).round().clamp(4, SIZE).long()
    bits = []
    for n in sizes.tolist():
        adjacency = torch.rand(n, n, generator=random) < 0.02
        for v in range(1, n):
            adjacency[v, int(torch.randint(max(0, v - 3), v, (1,), generator=random))] = True
        high, low = torch.tril_indices(n, n, -1)
        bits.append(adjacency[high, low])
    nodes, all_pairs = int(sizes.sum()), int((sizes * (sizes + 1) // 2).sum())
    graphs = EncodedGraphs(
        torch.randn(nodes, NODE, generator=random),
        torch.randn(nodes, ALIGN, generator=random) * 0.05,
        torch.randn(ALIGN, generator=random) * 0.05,
        torch.randn(all_pairs, PAIR, generator=random),
        torch.randn(PAIR, generator=random),
        torch.cat(bits),
        torch.cat((torch.zeros(1, dtype=torch.int64), sizes.cumsum(0))),
    )
    return graphs, torch.randint(0, pairs, (pairs, 2), generator=random, dtype=torch.int32)


def padded(graphs: EncodedGraphs, which: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Nodes (K, N, d), alignment (K, N, m), pairs (K, N(N-1)/2, D) and edges of graphs with explicit padding nodes."""
    sizes = graphs.sizes
    first_pair = (sizes * (sizes + 1) // 2).cumsum(0) - sizes * (sizes + 1) // 2
    high, low = torch.tril_indices(SIZE, SIZE, -1)
    slot = torch.arange(SIZE)
    node_place, pair_place, real_place = [], [], []
    for g in which.tolist():
        n, first = int(sizes[g]), int(graphs.offsets[g])
        node_place.append(torch.where(slot < n, first + slot, len(graphs.node)))
        end = high.clamp(max=n)
        place = int(first_pair[g]) + end * (end - 1) // 2 + low
        pair_place.append(torch.where(low < n, place, len(graphs.pair)))
        real_place.append(torch.where(high < n, place - first, len(graphs.adjacency)))
    nodes, pairs, real = torch.stack(node_place), torch.stack(pair_place), torch.stack(real_place)
    return (
        torch.cat((graphs.node, graphs.node.new_zeros(1, NODE)))[nodes],
        torch.cat((graphs.align, graphs.align_pad[None]))[nodes],
        torch.cat((graphs.pair, graphs.pair_pad[None]))[pairs],
        torch.cat((graphs.adjacency, graphs.adjacency.new_zeros(1)))[real],
    )


def literal(graphs: EncodedGraphs, pairs: Tensor, edge_term: SetTerm) -> Tensor:
    """All N(N-1)/2 node pairs against all, with S written out; nodes by AlignDiff."""
    (node, align, pair, edge), (node_t, align_t, pair_t, edge_t) = (padded(graphs, pairs[:, side]) for side in (0, 1))
    log_plan = -(align[:, :, None] - align_t[:, None]).abs().sum(3) / 0.01
    for _ in range(20):
        log_plan = log_plan - log_plan.logsumexp(2, keepdim=True)
        log_plan = log_plan - log_plan.logsumexp(1, keepdim=True)
    plan = log_plan.exp()
    difference = node - plan @ node_t
    v, u = torch.tril_indices(SIZE, SIZE, -1)
    at_u, at_v = plan[:, u], plan[:, v]
    aligned = at_u[:, :, u] * at_v[:, :, v] + at_u[:, :, v] * at_v[:, :, u]  # S
    if edge_term is SetTerm.ALIGN_DIFF:
        rest = pair - aligned @ pair_t
        edges = (rest.relu().sum((1, 2)), (-rest).relu().sum((1, 2)))
    else:
        if edge_term is SetTerm.XOR:
            aligned = aligned * (edge[:, :, None] ^ edge_t[:, None])
        apart = pair[:, :, None] - pair_t[:, None]  # (K, 190, 190, D)
        edges = ((aligned * apart.relu().sum(3)).sum((1, 2)), (aligned * (-apart).relu().sum(3)).sum((1, 2)))
    return torch.stack((difference.relu().sum((1, 2)), (-difference).relu().sum((1, 2)), *edges), 1)


def step(how: str, graphs: EncodedGraphs, pairs: Tensor, edge_term: SetTerm) -> Tensor:
    """Forward and backward; the terms."""
    if how == "literal":
        terms = []
        for part in pairs.split(PART):
            terms.append(literal(graphs, part, edge_term))
            terms[-1].sum().backward()
            terms[-1] = terms[-1].detach()
        return torch.cat(terms)
    alignment = AlignmentOptions(padded_nodes=SIZE)
    found = set_terms(graphs, pairs, alignment, edge_term=edge_term, backend=how)  # type: ignore[arg-type]
    found.sum().backward()
    return found.detach()


def resident(field: str) -> float:
    """Megabytes of this process: VmRSS now, VmHWM at the peak (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) / 1024


def measure(how: str, edge_term: SetTerm, count: int, seed: int) -> dict[str, object]:
    """In this process: best time, rise of peak memory, and sums that show that the same was computed."""
    graphs, pairs = sample(count, seed)
    graphs = EncodedGraphs(*(vector.requires_grad_() for vector in graphs.vectors), graphs.adjacency, graphs.offsets)
    step("native", graphs, pairs[:1], edge_term)  # torch's own first-time memory is not the question
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew: importing torch had a higher one
    times = []
    for _ in range(2 if how == "literal" else 5 if how == "torch" else 40):
        for vector in graphs.vectors:
            vector.grad = None
        start = time.perf_counter()
        terms = step(how, graphs, pairs, edge_term)
        times.append(time.perf_counter() - start)
    rise = resident("VmHWM") - before
    sums = [
        float(terms.sum()),
        *(float(vector.grad.abs().sum()) for vector in graphs.vectors if vector.grad is not None),
    ]
    return {"milliseconds": min(times) * 1e3, "megabytes": rise, "sums": sums}


def in_own_process(how: str, edge_term: SetTerm, count: int, seed: int) -> dict[str, object]:
    command = [sys.executable, __file__, "--measure", how, edge_term.value, "--pairs", str(count), "--seed", str(seed)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def compare(count: int, seed: int) -> list[Row]:
    rows = []
    for edge_term in (SetTerm.XOR, SetTerm.DIFF_ALIGN, SetTerm.ALIGN_DIFF):
        found = {how: in_own_process(how, edge_term, count, seed) for how in HOWS}
        time_of = {how: float(found[how]["milliseconds"]) for how in HOWS}  # type: ignore[arg-type]
        memory_of = {how: float(found[how]["megabytes"]) for how in HOWS}  # type: ignore[arg-type]
        for how in HOWS:
            same = torch.tensor(found[how]["sums"]), torch.tensor(found["literal"]["sums"])
            torch.testing.assert_close(*same, rtol=1e-3, atol=0.0)
            faster = time_of["literal"] / time_of[how]
            smaller = memory_of["literal"] / max(memory_of[how], 1.0)  # below a megabyte it is noise
            rows.append(Row(edge_term.value, how, count, time_of[how], memory_of[how], faster, smaller))
    return rows


def show(rows: list[Row]) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    title = f"forward + backward of {rows[0].pairs} pairs, {torch.get_num_threads()} threads, load {load}"
    table = Table("edge term", "how", "ms", "MB", "times faster", "times less memory", title=title)
    for row in rows:
        numbers = (f"{row.milliseconds:.1f}", f"{row.megabytes:.0f}", f"{row.faster:.1f}", f"{row.smaller:.1f}")
        table.add_row(row.edge_term, row.how, *numbers)
    CONSOLE.print(table)


def arguments(about: str) -> argparse.ArgumentParser:
    """What every benchmark of such a batch can be asked for."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="64 pairs, results outside the repository")
    return parser


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--measure", nargs=2, metavar=("HOW", "EDGE_TERM"), help="one measurement, as JSON")
    chosen = parser.parse_args()
    if chosen.measure:
        how, term = chosen.measure
        print(json.dumps(measure(how, SetTerm(term), chosen.pairs, chosen.seed)))
        return
    rows = compare(64 if chosen.quick else chosen.pairs, chosen.seed)
    show(rows)
    save(result_file("set_terms", chosen.quick), Row._fields, rows, chosen.seed)


if __name__ == "__main__":
    main()
