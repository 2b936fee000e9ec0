"""A training as the paper has it, and its test; a run that was stopped or killed goes on where it was."""

from __future__ import annotations

from graphedx import datasets
from graphedx.costs import EditCosts
from graphedx.experiments.job import Train
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.work.testing import keep_guesses, seen, split_pairs, tested
from graphedx.models.base import kind_of
from graphedx.models.predicting import cost_tensor
from graphedx.training import Epoch, TrainConfig, fit
from graphedx.training.session import chosen_settings, seeded_model, torch_threads, vocabulary_for


def perform(job: Train, place: Place) -> Outcome:
    place.require_time()
    dataset, costs, kind = datasets.load(place.dataset(job.dataset)), EditCosts.parse(job.costs), kind_of(job.model)
    vocabulary = vocabulary_for(seen(dataset.graphs, costs), costs, kind)
    train, validation, test = (split_pairs(dataset, split, costs, vocabulary, kind) for split in datasets.SPLITS)
    settings = chosen_settings(dataset, costs, job.model, dict(job.settings), vocabulary)
    how = TrainConfig(seed=job.seed) if place.epochs is None else TrainConfig(seed=job.seed, max_epochs=place.epochs)
    seconds: list[float] = []

    def ended(epoch: Epoch) -> None:
        seconds.append(epoch.seconds)
        place.require_time()

    folder, about = place.run(job), {"vocabulary": list(vocabulary)}
    with torch_threads(1):  # another number would change the rounding
        model = seeded_model(job.model, settings, job.seed)
        done = fit(model, train, validation, cost_tensor(costs), how, folder=folder, about=about, report=ended)
        found, guesses = tested(done.model, test, costs)
    keep_guesses(folder, guesses)
    return found | {
        "validation": done.validation,
        "epochs": done.epochs,
        "best_epoch": done.best_epoch,
        "stopped_early": done.epochs - done.best_epoch >= how.patience,
        "seconds_an_epoch": sum(seconds) / len(seconds) if seconds else None,
        "parameters": sum(weight.numel() for weight in done.model.parameters()),
        "dataset": dataset.fingerprint,
    }
