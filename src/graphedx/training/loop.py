"""``fit``: epochs of Adam until the validation no longer improves; the same seed gives the same weights."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import torch
from torch import Tensor

from graphedx._files import atomic_write
from graphedx.errors import ModelError
from graphedx.models.base import PairModel
from graphedx.training import checkpoint
from graphedx.training.checkpoint import BEST, DESCRIPTION, HISTORY, LAST, Progress
from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData, predict


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

    Raises:
        ModelError: a split is empty, the loss is not a number, or the folder is of another run.
    """
    for name, data in (("training", train), ("validation", validation)):
        if not len(data):
            raise ModelError(f"there are no pairs for {name}; label the split, or take a larger dataset")
    run = _Run(model, config, folder, about or {})
    while not run.finished:
        start = perf_counter()
        loss = _epoch(model, run.optimizer, train, costs, config, run.progress.epoch + 1)
        error = float(((predict(model, validation, costs) - validation.distances) ** 2).mean())
        run.end_epoch(loss, error)
        at = run.progress
        report(Epoch(at.epoch, loss, error, at.best, at.best_epoch, perf_counter() - start))
    run.take_best()
    return Trained(model, run.progress.epoch, run.progress.best_epoch, run.progress.best)


def _epoch(
    model: PairModel,
    optimizer: torch.optim.Optimizer,
    train: PairData,
    costs: Tensor,
    config: TrainConfig,
    number: int,
) -> float:
    """One pass over all pairs, in an order that depends on the seed and the epoch only; returns the mean error."""
    model.train()
    shuffle = torch.Generator().manual_seed(config.seed * 1_000_003 + number)
    total = 0.0
    for pairs in torch.split(torch.randperm(len(train), generator=shuffle), config.batch):
        loss = ((model(*train.batch(pairs), costs) - train.distances[pairs]) ** 2).mean()
        value = float(loss.detach())
        if not math.isfinite(value):
            raise ModelError(f"the loss of epoch {number} is {value}; a lower learning_rate may help")
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += value * len(pairs)
    return total / len(train)


class _Run:
    """What has to be remembered between epochs."""

    def __init__(self, model: PairModel, config: TrainConfig, folder: Path | None, about: dict[str, Any]) -> None:
        self._model, self._config, self._folder = model, config, folder
        self.optimizer = torch.optim.Adam(
            model.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, foreach=True
        )
        self.progress = Progress()
        self._best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        if folder is not None:
            self._begin(folder, about)

    @property
    def finished(self) -> bool:
        at = self.progress
        return at.epoch >= self._config.max_epochs or at.epoch - at.best_epoch >= self._config.patience

    def end_epoch(self, loss: float, error: float) -> None:
        at = self.progress
        at.epoch += 1
        at.history.append((at.epoch, loss, error))
        if error < at.best:
            at.best, at.best_epoch = error, at.epoch
            self._best = {name: tensor.clone() for name, tensor in self._model.state_dict().items()}
        if self._folder is not None:
            self._write(self._folder)

    def take_best(self) -> None:
        self._model.load_state_dict(self._best)

    def _begin(self, folder: Path, about: dict[str, Any]) -> None:
        """Take up the run of the folder, if it is this one."""
        folder.mkdir(parents=True, exist_ok=True)
        ours = {"format": checkpoint.FORMAT, "model": self._model.name, "settings": self._model.config.to_json()}
        ours |= {"training": {**asdict(self._config), "max_epochs": None}, **about}
        text = json.dumps(ours, indent=1, sort_keys=True) + "\n"
        path = folder / DESCRIPTION
        if path.exists():
            if path.read_text(encoding="utf-8") != text:
                raise ModelError(f"{folder}: holds a run of another model, data or settings; choose another folder")
        else:
            with atomic_write(path, mode="w") as file:
                file.write(text)
        if (folder / LAST).exists():
            self._resume(folder)

    def _resume(self, folder: Path) -> None:
        tensors, about = checkpoint.load_tensors(folder / LAST)
        weights = {name: tensors[name] for name in self._model.state_dict() if name in tensors}
        checkpoint.load_weights(self._model, weights, folder / LAST)
        checkpoint.restore_optimizer(self.optimizer, self._model, tensors)
        self.progress = Progress(**about["progress"])
        self._best, _ = checkpoint.load_tensors(folder / BEST)

    def _write(self, folder: Path) -> None:
        at = self.progress
        if at.best_epoch == at.epoch:
            checkpoint.save_tensors(folder / BEST, self._best, {"epoch": at.epoch, "validation": at.best})
        tensors = self._model.state_dict() | checkpoint.optimizer_tensors(self.optimizer, self._model)
        checkpoint.save_tensors(folder / LAST, tensors, {"progress": asdict(at)})
        with atomic_write(folder / HISTORY, overwrite=True, mode="w") as file:
            file.write("epoch,training,validation\n")
            file.writelines(f"{epoch},{loss!r},{error!r}\n" for epoch, loss, error in at.history)
