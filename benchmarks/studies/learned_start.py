"""Is the alignment that GraphEdX learns a good start for local search? Its upper bounds beside those of other starts.

    python benchmarks/studies/learned_start.py --data DIR [--model AIDS=FOLDER ...] [--pairs 1000] [--quick]

Test pairs of the paper's sets, structure only, costs of the paper's uniform regime, distances from the labels. Graphs
are encoded beforehand for the core and for the model. Times are processor time from Python, a call for each start
that is improved; that of the soft alignment alone, likewise from Python, stands beside all others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from graphedx import GedResult, Graph, NodeMapping, datasets, ged, improve
from graphedx.datasets.labels import PAPER
from graphedx.experiments import Train, settings
from graphedx.experiments.place import Place
from graphedx.models.alignment import Alignment
from graphedx.models.saving import load_model
from paper_data import RAW, prepared
from record import CONSOLE, EXPERIMENTS, WORK, data_folder, load, pin_to_one_core, result_file, save

SETS = ("AIDS", "Linux")
COSTS = PAPER["uniform"]
NOISES = (0.3, 1.0, 10.0)  # factors on Gumbel noise; 1 is what the model's own temperature stands for
STARTS = 10
LEAST = 1e-30  # of a share, before its logarithm


class Row(NamedTuple):
    """How far the mappings of one way are above the distance."""

    dataset: str
    model: str
    epochs: int
    way: str
    starts: int
    pairs: int
    mean_error: float
    mse: float
    share_optimal: float
    milliseconds: float
    alignment_milliseconds: float


class Pair(NamedTuple):
    """Two graphs by place among those of the split, and their distance."""

    source: int
    target: int
    distance: float


class Way(NamedTuple):
    """A name, how many local searches it runs, and what it says of two graphs by place: an upper bound."""

    name: str
    starts: int
    upper: Callable[[int, int], float]


class Ways:
    """Everything that is compared, on the graphs of one split."""

    def __init__(self, graphs: list[Graph], folder: Path, seed: int) -> None:
        self.graphs = graphs
        self.estimator = load_model(folder)
        self.encoded = self.estimator.prepare(graphs).encoded
        self.draw = np.random.default_rng(seed)

    def all(self) -> Iterator[Way]:
        yield Way("learned", 0, lambda a, b: self.aligned(a, b).upper)
        yield Way("learned, improved", 1, lambda a, b: self.improved(a, b, self.aligned(a, b).images))
        yield Way("random, improved", 1, lambda a, b: self.improved(a, b, self.random_images(a, b)))
        for method in ("bipartite", "branch"):
            yield Way(f"{method}, improved", 1, lambda a, b, m=method: self.improved(a, b, self.solved(a, b, m).images))
        yield self.refined(1)
        for noise in NOISES:
            yield self.noisy(noise, STARTS)
        yield self.noisy(1.0, 3 * STARTS)
        yield Way("random, improved", STARTS, self.best_random)
        yield self.refined(STARTS)
        yield Way(f"refine {STARTS} and learned", STARTS + 1, self.both)
        yield self.refined(STARTS + 1)
        yield from map(self.refined, (3 * STARTS, 100, 300))
        yield Way("beam 150", 0, lambda a, b: self.solved(a, b, "beam", expansions=150).upper)

    def noisy(self, noise: float, starts: int) -> Way:
        return Way(f"learned with noise {noise:g}, improved", starts, lambda a, b: self.sampled(a, b, noise, starts))

    def refined(self, starts: int) -> Way:
        return Way(f"refine {starts}", starts, lambda a, b: self.solved(a, b, "refine", starts=starts).upper)

    def solved(self, a: int, b: int, method: str, **options: int) -> GedResult:
        return ged(self.graphs[a], self.graphs[b], costs=COSTS, method=method, **options)

    def improved(self, a: int, b: int, images: tuple[int, ...]) -> float:
        return improve(NodeMapping(self.graphs[a], self.graphs[b], images), costs=COSTS).upper

    def plan(self, a: int, b: int) -> NDArray[np.float64]:
        with torch.inference_mode():
            return self.estimator.model.soft_alignment(self.encoded, a, b).double().numpy()

    def aligned(self, a: int, b: int) -> Alignment:
        return Alignment.from_plan(self.graphs[a], self.graphs[b], COSTS, self.plan(a, b))

    def random_images(self, a: int, b: int) -> tuple[int, ...]:
        """As many nodes as can be are mapped."""
        n, m = len(self.graphs[a]), len(self.graphs[b])
        images = self.draw.permutation(max(n, m))[:n]
        return tuple(int(image) if image < m else -1 for image in images)

    def best_random(self, a: int, b: int) -> float:
        return min(self.improved(a, b, self.random_images(a, b)) for _ in range(STARTS))

    def sampled(self, a: int, b: int, noise: float, starts: int) -> float:
        """The best of the alignment itself and of those next to it with Gumbel noise."""
        n, m = len(self.graphs[a]), len(self.graphs[b])
        plan = self.plan(a, b)
        scores = np.log(np.maximum(plan, LEAST))
        found = [self.improved(a, b, Alignment.from_plan(self.graphs[a], self.graphs[b], COSTS, plan).images)]
        while len(found) < starts:
            columns = linear_sum_assignment(scores + noise * self.draw.gumbel(size=scores.shape), maximize=True)[1]
            found.append(self.improved(a, b, tuple(int(v) if v < m else -1 for v in columns[:n])))
        return min(found)

    def both(self, a: int, b: int) -> float:
        upper = self.solved(a, b, "refine", starts=STARTS).upper
        return min(upper, self.improved(a, b, self.aligned(a, b).images))


def tested_pairs(dataset: datasets.Dataset, count: int, seed: int) -> list[Pair]:
    ends = dataset.pairs("test") - dataset.span("test").start
    distances = np.asarray(dataset.labels("test", COSTS).distances)
    chosen = np.random.default_rng(seed).permutation(len(ends))[:count]
    return [Pair(int(ends[k, 0]), int(ends[k, 1]), float(distances[k])) for k in chosen]


def measured(name: str, folder: Path, dataset: datasets.Dataset, pairs: list[Pair], seed: int) -> Iterator[Row]:
    ways = Ways([graph.unlabelled() for graph in dataset.split("test")], folder, seed)
    epochs = len(load(folder / "history.csv"))
    for a, b, _ in pairs:  # so that no way pays for encoding
        ways.solved(a, b, "branch")
    start = process_time()
    for a, b, _ in pairs:
        ways.plan(a, b)
    alone = (process_time() - start) / len(pairs) * 1e3
    for way in ways.all():
        start = process_time()
        uppers = np.array([way.upper(a, b) for a, b, _ in pairs])
        taken = (process_time() - start) / len(pairs) * 1e3
        above = uppers - np.array([pair.distance for pair in pairs])
        assert (above >= 0).all(), f"{way.name}: an upper bound below the distance"
        scores = float(above.mean()), float((above**2).mean()), float((above == 0).mean())
        yield Row(name, "/".join(folder.parts[-3:]), epochs, way.name, way.starts, len(pairs), *scores, taken, alone)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--model", action="append", default=[], metavar="SET=FOLDER", help="a trained model for a set")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="30 pairs a set, kept out of the repository")
    options = parser.parse_args()
    data = data_folder(options.data)
    if data is None:
        CONSOLE.print("no data: pass --data, or set GRAPHEDX_DATA")
        return 2
    torch.set_num_threads(1)
    pin_to_one_core()
    terms = settings(edge_term="xor", node_term="diff_align", node_weight=1)
    place = Place(EXPERIMENTS)
    folders = {name: place.run(Train(RAW[name].entry, "uniform", "graphedx", terms)) for name in SETS}
    folders |= {name: Path(folder) for name, _, folder in (given.partition("=") for given in options.model)}
    rows = []
    for name, folder in folders.items():
        dataset = prepared(name, data, WORK / "datasets" / RAW[name].entry)
        datasets.label(dataset, [COSTS])
        pairs = tested_pairs(dataset, 30 if options.quick else options.pairs, options.seed)
        for row in measured(name, folder, dataset, pairs, options.seed):
            rows.append(row)
            CONSOLE.print(
                f"{name}, {row.way}, {row.starts} starts: mean error {row.mean_error:.3f}, MSE {row.mse:.3f}, "
                f"optimal {row.share_optimal:.1%}, {row.milliseconds:.3f} ms"
            )
    save(result_file("learned_start", options.quick), Row._fields, rows, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
