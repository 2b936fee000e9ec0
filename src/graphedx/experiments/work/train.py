"""A training by its protocol, and its test; a run that was stopped or killed goes on where it was."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any

from graphedx import datasets
from graphedx.costs import EditCosts
from graphedx.experiments import protocols
from graphedx.experiments.job import Train
from graphedx.experiments.place import Place
from graphedx.experiments.protocols import Protocol
from graphedx.experiments.store import Outcome
from graphedx.experiments.versions import results_version
from graphedx.experiments.work.kept import note, taken_up
from graphedx.experiments.work.seen import seen
from graphedx.experiments.work.testing import keep_guesses, split_pairs, tested
from graphedx.models.base import kind_of
from graphedx.models.predicting import cost_tensor
from graphedx.training import Epoch, TrainConfig, fit
from graphedx.training.session import chosen_settings, seeded_model, torch_threads, vocabulary_for

_SECONDS_BETWEEN_NOTES = 10.0


def perform(job: Train, place: Place) -> Outcome:
    place.require_time()
    dataset, costs, kind = datasets.load(place.dataset(job.dataset)), EditCosts.parse(job.costs), kind_of(job.model)
    vocabulary = vocabulary_for(seen(dataset.graphs, costs), costs, kind)
    train, validation, test = (split_pairs(dataset, split, costs, vocabulary, kind) for split in datasets.SPLITS)
    settings = chosen_settings(dataset, costs, job.model, dict(job.settings), vocabulary)
    protocol = protocols.get(job.protocol)
    how = train_config(protocol, job.seed, place.epochs)
    folder, about = place.run(job), {"vocabulary": list(vocabulary)}
    made_from = {"dataset": dataset.fingerprint, "version": results_version(job), "training": protocol.training}
    clock = _Clock(folder, taken_up(folder, **made_from))

    def ended(epoch: Epoch) -> None:
        clock.add(epoch.seconds)
        place.require_time()

    with torch_threads(1), clock:  # another number of threads would change the rounding
        model = seeded_model(job.model, settings, job.seed)
        done = fit(model, train, validation, cost_tensor(costs), how, folder=folder, about=about, report=ended)
        found, guesses = tested(done.model, test, costs)
    keep_guesses(folder, guesses)
    return found | {
        "validation": done.validation,
        "epochs": done.epochs,
        "best_epoch": done.best_epoch,
        "stopped_early": protocol.patience is not None and done.epochs - done.best_epoch >= protocol.patience,
        "training": protocol.training,
        "seconds_an_epoch": clock.mean,
        "parameters": sum(weight.numel() for weight in done.model.parameters()),
        "dataset": dataset.fingerprint,
    }


def train_config(protocol: Protocol, seed: int, cut: int | None) -> TrainConfig:
    """Return the settings of a training; ``cut`` ends it early, unless the protocol declares its number of epochs."""
    limit = protocol.epoch_limit(cut)
    most = TrainConfig().max_epochs if limit is None else limit
    return TrainConfig(
        learning_rate=protocol.learning_rate,
        weight_decay=protocol.weight_decay,
        batch=protocol.batch,
        patience=most if protocol.patience is None else protocol.patience,
        max_epochs=most,
        one_cycle=protocol.one_cycle,
        seed=seed,
    )


class _Clock:
    """How long a training takes, over all its parts; kept with it every few seconds."""

    def __init__(self, folder: Path, noted: dict[str, Any]) -> None:
        self._folder, self._noted, self._kept = folder, noted, monotonic()
        self._epochs, self._seconds = int(noted.get("epochs", 0)), float(noted.get("seconds", 0.0))

    def __enter__(self) -> None:
        self._keep()

    def __exit__(self, *_: object) -> None:
        self._keep()

    @property
    def mean(self) -> float | None:
        """Of an epoch; None if none was timed."""
        return self._seconds / self._epochs if self._epochs else None

    def add(self, seconds: float) -> None:
        self._epochs, self._seconds = self._epochs + 1, self._seconds + seconds
        if monotonic() - self._kept > _SECONDS_BETWEEN_NOTES:
            self._keep()

    def _keep(self) -> None:
        self._kept = monotonic()
        note(self._folder, self._noted | {"epochs": self._epochs, "seconds": self._seconds})
