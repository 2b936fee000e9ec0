"""One training step of GraphEdX: as the paper writes it in torch, and by the native core; then part by part.

    python benchmarks/kernels/training_step.py [--pairs 256] [--quick]

The paper's model (XOR for edges, AlignDiff for nodes, N = 20) and random pairs of 546 graphs, as many as AIDS has to
train on, made as in ``set_terms.py``. A step encodes, compares, goes back and lets Adam change the weights. Every way
has a process of its own, with as many threads as there are cores; the native core with one, too, as ``graphedx train``
has it. The best of several rounds counts, and by how much the peak of resident memory lies above what the process had
after imports and a step of one pair (Adam's first step imports a lot). Gradients must be the same, in double precision
too.

Parts are measured in processor time of one thread, which a machine that does other things, too, changes little.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from literal_step import literal_distances
from rich.console import Console
from rich.table import Table
from set_terms import SIZE, arguments, resident, sample
from torch import Tensor

from graphedx import Graph
from graphedx.models.batching import GraphBatch, graph_batch
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.set_terms import AlignmentOptions, EncodedGraphs, set_terms
from graphedx.models.predicting import select_pairs
from record import result_file, save

CONSOLE = Console()
GRAPHS = 546
PART = 32  # pairs that the written formulas may take at once to save memory
CORES = torch.get_num_threads()
LITERAL, BY_PARTS, NATIVE, NATIVE_ALONE = "literal", f"literal by {PART}", "native", "native, one thread"
STEPS = {LITERAL: 2, BY_PARTS: 2, NATIVE: 100, NATIVE_ALONE: 100}
ROUNDS = {"torch": 5, "native": 30}
COSTS = torch.ones(6)
NEGLIGIBLE = 1e-3  # of the largest gradient: biases that cancel have gradients of pure rounding


class Step(NamedTuple):
    """A way to take a step; ratios compare it with that literal way which needs least of this.

    ``off`` is the largest difference of a parameter's gradient from the written formula's, relative to the parameter's
    largest; ``off_double`` the same in double precision.
    """

    how: str
    pairs: int
    threads: int
    milliseconds: float
    processor: float  # milliseconds of all threads together, which depend less on what else the machine does
    megabytes: float
    faster: float
    faster_processor: float
    smaller: float
    off: float
    off_double: float


class Training:
    """A model, an optimiser and a batch, the same in every process."""

    def __init__(self, how: str, count: int, seed: int, dtype: torch.dtype = torch.float32) -> None:
        torch.manual_seed(seed)
        self.literal, self.part = how in (LITERAL, BY_PARTS), PART if how == BY_PARTS else count
        graphs, pairs = sample(GRAPHS, seed)
        batch = batch_of(graphs)
        self.graphs = GraphBatch(batch.x.to(dtype), *(getattr(batch, name) for name in GraphBatch.__slots__[1:]))
        self.pairs, self.costs = pairs[:count].long(), COSTS.to(dtype)
        of_both = (batch.sizes + batch.edges)[self.pairs]
        self.wanted = (of_both[:, 0] - of_both[:, 1]).abs().to(dtype)  # as good as a distance
        self.model = GraphEdX(GraphEdXConfig()).to(dtype)
        self.adam = torch.optim.Adam(self.model.parameters(), lr=1e-3, weight_decay=5e-4, foreach=True)

    def backward(self, some: slice = slice(None)) -> None:
        """Gradients of the mean squared error."""
        self.adam.zero_grad(set_to_none=True)
        pairs, wanted = self.pairs[some], self.wanted[some]
        for part, goal in zip(pairs.split(self.part), wanted.split(self.part), strict=True):
            (((self.distances(part) - goal) ** 2).sum() / len(pairs)).backward()

    def distances(self, pairs: Tensor) -> Tensor:
        if self.literal:
            return literal_distances(self.model, self.graphs, pairs, self.costs)
        found: Tensor = self.model(*select_pairs(self.graphs, pairs), self.costs)
        return found

    def step(self) -> None:
        self.backward()
        self.adam.step()

    def gradients(self) -> dict[str, list[float]]:
        self.backward()
        named = self.model.named_parameters()
        return {name: weight.grad.flatten().tolist() for name, weight in named if weight.grad is not None}


def threads_of(how: str) -> int:
    return 1 if how == NATIVE_ALONE else CORES


def measure(how: str, count: int, seed: int) -> dict[str, Any]:
    """In this process: best time, rise of peak memory, and the gradients of the first step in both precisions."""
    torch.set_num_threads(threads_of(how))
    warm = Training(NATIVE, count, seed)
    warm.backward(slice(1))
    warm.adam.step()
    training = Training(how, count, seed)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew: importing torch had a higher one
    times, busy = [], []
    for _ in range(STEPS[how]):
        start, busy_start = time.perf_counter(), time.process_time()
        training.step()
        times.append(time.perf_counter() - start)
        busy.append(time.process_time() - busy_start)
    rise = resident("VmHWM") - before
    by_parts = BY_PARTS if how == LITERAL else how  # in double precision memory would hardly hold it at once
    return {
        "milliseconds": min(times) * 1e3,
        "processor": min(busy) * 1e3,
        "megabytes": rise,
        "gradients": Training(how, count, seed).gradients(),
        "double": Training(by_parts, count, seed, torch.float64).gradients(),
    }


def in_own_process(how: str, count: int, seed: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--measure", how, "--pairs", str(count), "--seed", str(seed)]
    environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE"}  # threads that wait must not take a busy machine's cores
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def largest_difference(found: dict[str, list[float]], wanted: dict[str, list[float]], tolerance: float) -> float:
    """Relative to each parameter's largest gradient; exits if it is more than the tolerance."""
    assert found.keys() == wanted.keys()
    exact = {name: torch.tensor(values, dtype=torch.float64) for name, values in wanted.items()}
    least = NEGLIGIBLE * max(float(values.abs().max()) for values in exact.values())
    off = {
        name: float((torch.tensor(found[name], dtype=torch.float64) - values).abs().max())
        / max(float(values.abs().max()), least)
        for name, values in exact.items()
    }
    worst = max(off, key=lambda name: off[name])
    if not off[worst] <= tolerance:
        sys.exit(f"the gradient of {worst} differs by {off[worst]:.2g} of its largest")
    return off[worst]


def whole_steps(count: int, seed: int) -> list[Step]:
    found = {how: in_own_process(how, count, seed) for how in STEPS}
    exact, needs = found[LITERAL]["double"], ("milliseconds", "processor", "megabytes")
    least = {need: min(found[LITERAL][need], found[BY_PARTS][need]) for need in needs}
    rows = []
    for how, one in found.items():
        ratios = [least[need] / max(one[need], 1.0) for need in needs]  # below a megabyte it is noise
        off = largest_difference(one["gradients"], exact, 1e-2), largest_difference(one["double"], exact, 1e-9)
        rows.append(Step(how, count, threads_of(how), *(one[need] for need in needs), *ratios, *off))
    return rows


def show_steps(rows: list[Step]) -> None:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    title = f"one training step of {rows[0].pairs} pairs, {rows[0].threads} threads if not told, load {load}"
    heads = ("how", "ms", "CPU ms", "MB", "faster", "by CPU", "smaller", "gradients off", "in double")
    table = Table(*heads, title=title)
    for row in rows:
        needs = f"{row.milliseconds:.1f}", f"{row.processor:.1f}", f"{row.megabytes:.0f}"
        ratios = f"{row.faster:.3g} x", f"{row.faster_processor:.3g} x", f"{row.smaller:.3g} x"
        table.add_row(row.how, *needs, *ratios, f"{row.off:.1g}", f"{row.off_double:.1g}")
    CONSOLE.print(table)


class Row(NamedTuple):
    """Milliseconds of processor time for one part, by either way."""

    part: str
    pairs: int
    torch: float
    native: float
    faster: float


def batch_of(graphs: EncodedGraphs) -> GraphBatch:
    """Nodes without labels, and the edges that the adjacency bits name."""
    sizes = graphs.sizes.tolist()
    bits = graphs.adjacency.split([n * (n - 1) // 2 for n in sizes])
    ends = (torch.tril_indices(n, n, -1)[:, joined].T.tolist() for n, joined in zip(sizes, bits, strict=True))
    return graph_batch([Graph(n, edges) for n, edges in zip(sizes, ends, strict=True)])


def parts(backend: str, model: GraphEdX, batch: GraphBatch, pairs: Tensor) -> dict[str, Callable[[], Tensor]]:
    """What a step consists of; each part begins with values that the one before would give."""
    nodes = model.nodes(batch).detach().requires_grad_()
    encoded = model.encode(batch)
    vectors = (vector.detach().requires_grad_() for vector in encoded.vectors)
    fixed = EncodedGraphs(*vectors, encoded.adjacency, encoded.offsets, encoded.alike)
    alignment = AlignmentOptions(padded_nodes=SIZE)
    return {
        "messages": lambda: model.nodes(batch, backend=backend),
        "node pairs": lambda: model.pairs(nodes, batch, backend=backend)[0],
        "alignment": lambda: model.alignment(nodes),
        "set terms": lambda: set_terms(fixed, pairs, alignment, backend=backend),  # type: ignore[arg-type]
    }


def milliseconds(part: Callable[[], Tensor], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        part().sum().backward()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def compare_parts(count: int, seed: int) -> list[Row]:
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


def show_parts(rows: list[Row]) -> None:
    title = f"forward + backward of {rows[0].pairs} pairs: ms of one thread"
    table = Table("part", "torch", "native", "times faster", title=title)
    for row in rows:
        table.add_row(row.part, f"{row.torch:.1f}", f"{row.native:.1f}", f"{row.faster:.1f}")
    CONSOLE.print(table)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--measure", choices=STEPS, help="one measurement, as JSON")
    chosen = parser.parse_args()
    count = 64 if chosen.quick else chosen.pairs
    if chosen.measure:
        print(json.dumps(measure(chosen.measure, chosen.pairs, chosen.seed)))
        return
    steps = whole_steps(count, chosen.seed)
    show_steps(steps)
    save(result_file("training_step", chosen.quick), Step._fields, steps, chosen.seed)
    torch.set_num_threads(1)
    parts_of_it = compare_parts(count, chosen.seed)
    show_parts(parts_of_it)
    save(result_file("training_parts", chosen.quick), Row._fields, parts_of_it, chosen.seed)


if __name__ == "__main__":
    main()
