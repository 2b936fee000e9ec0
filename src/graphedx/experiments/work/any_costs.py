"""A model that is shipped, under the costs by which models that are trained for some are tested, too."""

from __future__ import annotations

from graphedx import datasets
from graphedx.api import load_model
from graphedx.experiments.job import AnyCosts
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.work.cost_transfer import drawn, tested_under


def perform(job: AnyCosts, place: Place) -> Outcome:
    dataset = datasets.load(place.dataset(job.dataset))
    return tested_under(drawn(job.draws, job.seed), load_model(job.model).model, dataset, place)
