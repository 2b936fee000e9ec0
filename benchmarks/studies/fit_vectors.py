"""The weights of the vectors of approximate search, fitted to rankings of molecules, beside those that are used.

    python benchmarks/studies/fit_vectors.py --data DIR [--queries 60] [--members 10000]

Molhiv, structure only and with atom labels: six weights each. They maximise the chance of the certified nearest under
``exp(-distance of vectors)``, summed over half of the queries, and are scaled so that these are guessed right on
average; recall is that of the other half. It prints, and changes nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
from approximate_search import CONSOLE, COSTS, COUNT, K, edited, molecules
from numpy.typing import NDArray
from torch import Tensor

from graphedx import EditCosts, Graph
from graphedx._collection import Collection
from graphedx.search.vectors import Vectors, columns_of, vectors, weighing
from record import chosen_data

_STEPS, _RATE = 1500, 0.02


class Ranking(NamedTuple):
    apart: NDArray[np.float32]  # (members, weights): nodes, edges, and blocks, each by L1
    nearest: NDArray[np.int64]
    distances: NDArray[np.float64]  # of the nearest


def ranking(
    collection: Collection, members: Vectors, query: Graph, costs: EditCosts, blocks: list[str], limit: float
) -> Ranking | None:
    """Nothing if the truth is not known in time."""
    found = collection.nearest(query, costs, k=K, time_limit=limit)
    if not found.complete:
        return None
    own = vectors([query], collection.node_labels, collection.edge_labels, blocks)
    counts = np.abs(members.counts.astype(np.float32) - own.counts)
    parts = [np.abs(members.sizes - own.sizes)]
    parts += [counts[:, columns].sum(axis=1, keepdims=True) for columns in columns_of(blocks).values()]
    return Ranking(np.concatenate(parts, axis=1), found.positions, found.upper)


def fitted(rankings: list[Ranking], start: list[float]) -> list[float]:
    """Weights that are not negative; where they begin matters little."""
    logs = torch.tensor(start).log().requires_grad_()
    optimiser = torch.optim.Adam([logs], _RATE)
    apart = [torch.from_numpy(one.apart) for one in rankings]
    for _ in range(_STEPS):
        optimiser.zero_grad()
        losses: list[Tensor] = []
        for one, features in zip(rankings, apart, strict=True):
            chances = torch.log_softmax(-(features @ logs.exp()), dim=0)
            losses.append(-chances[one.nearest].mean())
        torch.stack(losses).mean().backward()
        optimiser.step()
    weights = logs.detach().exp().numpy()
    guesses = np.concatenate([one.apart[one.nearest] @ weights for one in rankings])
    scale = np.concatenate([one.distances for one in rankings]).mean() / guesses.mean()
    return [float(weight * scale) for weight in weights]


def recall(rankings: list[Ranking], weights: list[float], count: int) -> float:
    """The share of the nearest that are among so many; at most ten of them count."""
    found = []
    for one in rankings:
        near = np.argsort(one.apart @ np.array(weights), kind="stable")[:count]
        found.append(min(K, int(np.isin(near, one.nearest).sum())) / min(K, len(one.nearest)))
    return float(np.mean(found))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of raw data; else GRAPHEDX_DATA names it")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for the truth of a query")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    graphs = molecules(chosen_data(options, parser), options.members)
    torch.set_num_threads(1)
    collection = Collection.of(graphs)
    draw = random.Random(options.seed)
    chosen = draw.sample(graphs, options.queries)
    asked = [graph if k % 2 else edited(graph, draw) for k, graph in enumerate(chosen)]
    count = max(K, COUNT * len(graphs) // 41_120)  # the same share as of all of them
    for kind, costs in COSTS.items():
        used = weighing(costs, collection.node_labels, collection.edge_labels)
        blocks = list(used.blocks)
        members = vectors(graphs, collection.node_labels, collection.edge_labels, blocks)
        every = [ranking(collection, members, query, costs, blocks, options.limit) for query in asked]
        known = [one for one in every if one is not None]
        now = [used.node, used.edge, *used.blocks.values()]
        found = fitted(known[::2], [0.1] * len(now))
        CONSOLE.print(f"{kind}: {len(known)} of {len(asked)} queries, half of them to fit, half to test")
        for name, weights in (("used", now), ("fitted", found)):
            said = ", ".join(f"{n} {w:.3f}" for n, w in zip(("node", "edge", *blocks), weights, strict=True))
            tested = ", ".join(f"{recall(known[1::2], weights, n):.3f} in {n}" for n in (K, count))
            CONSOLE.print(f"  {name}: {said}; recall {tested}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
