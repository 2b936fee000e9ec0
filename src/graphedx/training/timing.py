"""How long models take, side by side: for a guess, for one from encoded graphs, and for a step of training.

Processor time of one thread, which a machine that does other things, too, changes little; models take turns, and the
best of several rounds counts. Weights are as they are before any training: they do not matter to the time, but for
``bracket``, of which most is the beam.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations_with_replacement
from time import process_time
from typing import NamedTuple

import torch
from torch import Tensor

from graphedx.costs import UNIFORM
from graphedx.graph import Graph
from graphedx.models.base import kind_of, setting_names
from graphedx.models.predicting import cost_tensor, predict_pairs
from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData
from graphedx.training.loop import adam
from graphedx.training.session import seeded_model, torch_threads

ROUNDS = 5
_STEPS = 8
_AT_ONCE = 16_384


class Times(NamedTuple):
    """Seconds: of a pair with every graph encoded once, of a pair of encoded graphs, and of a step of training."""

    guess: float
    encoded: float
    step: float
    pairs: int
    parameters: int


def model_times(
    names: Iterable[str], graphs: Sequence[Graph], max_nodes: int, *, rounds: int = ROUNDS
) -> dict[str, Times]:
    """Of each model, for all pairs i <= j of graphs of at most so many nodes; a step has a random batch."""
    with torch_threads(1):
        clocks = {name: _Clock(name, graphs, max_nodes) for name in names}
        for _ in range(rounds):
            for clock in clocks.values():
                clock.round()
    return {name: clock.times() for name, clock in clocks.items()}


class _Clock:
    """A model and the least time that each of its tasks has taken."""

    def __init__(self, name: str, graphs: Sequence[Graph], max_nodes: int) -> None:
        how = TrainConfig()
        self.costs = cost_tensor(UNIFORM)
        settings = {"max_nodes": max_nodes} if "max_nodes" in setting_names(name) else {}
        self.model = seeded_model(name, settings, how.seed)
        self.graphs = kind_of(name).batch(graphs, ())
        self.pairs = torch.tensor(list(combinations_with_replacement(range(len(graphs)), 2)))
        some = torch.randint(len(self.pairs), (how.batch,), generator=torch.Generator().manual_seed(how.seed))
        apart = (self.graphs.sizes + self.graphs.edges)[self.pairs[some]].diff(dim=1)[:, 0].abs()  # like a distance
        self.batch = PairData(self.graphs, self.pairs[some], apart.float()).with_evidence(self.model, self.costs)
        self.adam = adam(self.model, how)
        self.guess = self.encoded = self.step = float("inf")

    def round(self) -> None:
        self.model.eval()
        self.guess = min(self.guess, _seconds(lambda: predict_pairs(self.model, self.graphs, self.pairs, self.costs)))
        with torch.inference_mode():
            known = self.model.encode(self.graphs, self.costs)
            self.encoded = min(self.encoded, _seconds(lambda: self._compare(known)))
        self.model.train()
        for _ in range(_STEPS):
            self.step = min(self.step, _seconds(self._train))

    def times(self) -> Times:
        pairs, weights = len(self.pairs), sum(weight.numel() for weight in self.model.parameters())
        return Times(self.guess / pairs, self.encoded / pairs, self.step, pairs, weights)

    def _compare(self, encoded: object) -> None:
        for part in torch.split(self.pairs, _AT_ONCE):
            self.model.compare(self.graphs, encoded, part, self.costs)

    def _train(self) -> None:
        batch = self.batch.batch(torch.arange(len(self.batch)), self.costs)
        distances, penalty = self.model.distances_and_penalty(*batch)
        loss: Tensor = ((distances - self.batch.distances) ** 2).mean() + penalty
        self.adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.adam.step()


def _seconds(task: Callable[[], object]) -> float:
    start = process_time()
    task()
    return process_time() - start
