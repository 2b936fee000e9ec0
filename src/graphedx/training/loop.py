"""``fit``: epochs of Adam until the validation no longer improves; the same seed gives the same weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from graphedx.errors import ModelError
from graphedx.models.base import PairModel
from graphedx.models.batching import GraphBatch
from graphedx.models.predicting import predict_pairs
from graphedx.models.saving import FORMAT
from graphedx.training import checkpoint
from graphedx.training.checkpoint import LAST, Progress, State
from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData
from graphedx.training.distributed import Group, current_group


class Epoch(NamedTuple):
    """How an epoch ended."""

    epoch: int
    loss: float
    validation: float
    best: float
    best_epoch: int
    seconds: float


Report = Callable[[Epoch], object]


class Trained(NamedTuple):
    """The model with its best weights, and how it came to them."""

    model: PairModel
    epochs: int
    best_epoch: int
    validation: float


def fit(
    model: PairModel,
    train: PairData,
    validation: PairData,
    costs: Tensor,
    config: TrainConfig,
    *,
    folder: Path | None = None,
    about: dict[str, Any] | None = None,
    report: Report = lambda _: None,
) -> Trained:
    """Train a model; with a folder every epoch is kept there, and a run that was killed goes on where it was.

    The same model, data, seed and number of torch's threads give the same weights bit for bit, killed or not; another
    number of threads or processes changes the rounding of sums, and where a model normalises by means of a batch, each
    process takes those of its share. ``about`` is kept with the run and must be the same when it goes on. A finished
    run goes on if ``max_epochs`` is raised. Where torch.distributed has several processes, each takes its share of
    every batch, and the first keeps the folder.

    Raises:
        ModelError: a split is empty, an error is not a number, or the folder is of another run.
        OutputError: another process trains into the folder, or nothing can be written there.
    """
    for name, data in (("training", train), ("validation", validation)):
        if not len(data):
            raise ModelError(f"there are no pairs for {name}; label the split, or take a larger dataset")
    group = current_group()
    with checkpoint.only_run(folder if group.first else None):
        run = _Run(model, config, group, folder, {"costs": costs.tolist(), "vocabulary": [], **(about or {})})
        train, validation = (data.with_its_graphs().with_evidence(model, costs) for data in (train, validation))
        shared = group.wrapped(_WithPenalty(model))
        while not run.finished:
            start, number = perf_counter(), run.progress.epoch + 1
            with torch.random.fork_rng(devices=[]):  # a model may draw random numbers; after a kill it draws the same
                torch.manual_seed(_epoch_seed(config, number) + group.rank)
                loss = _epoch(shared, run.optimizer, train, costs, config, group, number)
            group.share_buffers(model)
            error = _validation(model, validation, costs, group, number)
            run.end_epoch(loss, error)
            at = run.progress
            report(Epoch(at.epoch, loss, error, at.best, at.best_epoch, perf_counter() - start))
        run.take_best()
        return Trained(model, run.progress.epoch, run.progress.best_epoch, run.progress.best)


def adam(model: nn.Module, config: TrainConfig) -> torch.optim.Adam:
    """Return Adam for a model: fused where torch has that, which takes a third of the time for small models."""
    fused = all(weight.device.type in ("cpu", "cuda") for weight in model.parameters())
    rate, decay = config.learning_rate, config.weight_decay
    return torch.optim.Adam(model.parameters(), lr=rate, weight_decay=decay, fused=fused, foreach=not fused)


class _WithPenalty(nn.Module):
    """A model whose forward pass gives what training needs: processes that train together only see that one."""

    def __init__(self, model: PairModel) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, graphs: GraphBatch, pairs: Tensor, costs: Tensor, evidence: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        return self.model.distances_and_penalty(graphs, pairs, costs, evidence)


def _epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    train: PairData,
    costs: Tensor,
    config: TrainConfig,
    group: Group,
    number: int,
) -> float:
    """One pass over all pairs, in an order that depends on the seed and the epoch only; returns the mean error."""
    model.train()
    shuffle = torch.Generator().manual_seed(_epoch_seed(config, number))
    total = 0.0
    batches = _batches(train, config, shuffle)
    for step, pairs in enumerate(batches):
        for weights in optimizer.param_groups:
            weights["lr"] = config.rate(number - 1 + step / len(batches))
        mine = group.share(pairs)
        weight = float(len(mine) > 0)
        mine = mine if weight else pairs[:1]  # a process without a share goes through the motions: all must take part
        distances, penalty = model(*train.batch(mine, costs))
        squares = weight * ((distances - train.distances[mine]) ** 2).sum()
        value = group.total(float(squares.detach()))
        _require_finite(value, "loss", number)
        optimizer.zero_grad(set_to_none=True)
        loss = squares + weight * len(mine) * penalty  # which is a mean over the pairs
        (loss * (group.size / len(pairs))).backward()  # processes average their gradients
        optimizer.step()
        total += value
    return total / len(train)


def _batches(train: PairData, config: TrainConfig, shuffle: torch.Generator) -> list[Tensor]:
    """All pairs by place, in random order; with blocks, those between the same two parts of the graphs together."""
    order = torch.randperm(len(train), generator=shuffle)
    if config.blocks == 1:
        return list(torch.split(order, config.batch))
    part = torch.randint(config.blocks, (len(train.graphs),), generator=shuffle)[train.ends[order]]
    kind = part.min(1).values * config.blocks + part.max(1).values
    batches = torch.split(order[torch.argsort(kind, stable=True)], config.batch)
    return [batches[place] for place in torch.randperm(len(batches), generator=shuffle).tolist()]


def _validation(model: PairModel, data: PairData, costs: Tensor, group: Group, number: int) -> float:
    """The mean squared error; each process takes its share, and all agree on the sum."""
    mine = group.share(torch.arange(len(data)))
    prices, evidence = (None if part is None else part[mine] for part in (data.costs, data.evidence))
    guesses = predict_pairs(model, data.graphs, data.ends[mine], costs if prices is None else prices, evidence)
    off = guesses - data.distances[mine]
    error = group.total(float((off.double() ** 2).sum())) / len(data)
    _require_finite(error, "validation error", number)
    return error


def _require_finite(value: float, what: str, number: int) -> None:
    if not math.isfinite(value):
        raise ModelError(f"the {what} of epoch {number} is {value}; a lower learning_rate may help")


def _epoch_seed(config: TrainConfig, number: int) -> int:
    return config.seed * 1_000_003 + number


class _Run:
    """What has to be remembered between epochs."""

    def __init__(
        self, model: PairModel, config: TrainConfig, group: Group, folder: Path | None, about: dict[str, Any]
    ) -> None:
        self._config = config
        self._folder = folder if group.first else None
        self._state = State(model, adam(model, config), Progress(), _copied(model))
        self._description = {
            "format": FORMAT,
            "model": model.name,
            "settings": model.config.to_json(),
            "training": config.identity(),
            **about,
        }
        version = model.config.version(model.config.to_json())
        if version > 1:  # left out at first, so that runs of unchanged models can go on
            self._description["model_version"] = version
        self._resume(folder, group)

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        return self._state.optimizer

    @property
    def progress(self) -> Progress:
        return self._state.progress

    @property
    def finished(self) -> bool:
        at = self.progress
        return at.epoch >= self._config.max_epochs or at.epoch - at.best_epoch >= self._config.patience

    def end_epoch(self, loss: float, error: float) -> None:
        at = self.progress
        at.history.append((loss, error))
        if at.best_epoch == at.epoch:
            self._state.best = _copied(self._state.model)
        if self._folder is not None:
            checkpoint.write(self._folder, self._state, self._description)

    def take_best(self) -> None:
        self._state.model.load_state_dict(self._state.best)

    def _resume(self, folder: Path | None, group: Group) -> None:
        """Take up the run of the folder, if it is this one; the first process reads it for all."""
        if folder is None:
            return
        last = checkpoint.begin(folder, self._description) if group.first else b""
        last = group.from_first(last)
        if last:
            checkpoint.restore(last, self._state, self._description, folder / LAST)
            if self._folder is not None:
                checkpoint.write(self._folder, self._state, self._description, all_files=True)


def _copied(model: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}
