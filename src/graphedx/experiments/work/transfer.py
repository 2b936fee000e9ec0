"""A trained model on the test pairs of another dataset."""

from __future__ import annotations

from graphedx import datasets
from graphedx.api import load_model
from graphedx.experiments.job import Transfer
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.work.testing import keep_guesses, split_pairs, tested
from graphedx.models.saving import BEST, load_tensors
from graphedx.training.session import torch_threads


def perform(job: Transfer, place: Place) -> Outcome:
    place.require_time()
    trained = load_model(place.run(job.train))
    dataset = datasets.load(place.dataset(job.dataset))
    test = split_pairs(dataset, "test", trained.costs, trained.vocabulary, type(trained.model))
    with torch_threads(1):
        found, guesses = tested(trained.model, test, trained.costs)
    keep_guesses(place.run(job), guesses)
    _, about = load_tensors(place.run(job.train) / BEST)
    return found | {"validation": about["validation"], "best_epoch": about["epoch"], "dataset": dataset.fingerprint}
