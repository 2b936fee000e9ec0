"""All models of this package on the test pairs of a dataset, by the clock."""

from __future__ import annotations

from graphedx import datasets
from graphedx.experiments.job import Timing
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.models.base import IN_THE_BOX
from graphedx.training.session import most_nodes
from graphedx.training.timing import model_times


def perform(job: Timing, place: Place) -> Outcome:
    """``MODEL_seconds`` a pair, ``MODEL_encoded_seconds`` if graphs are encoded, ``MODEL_step_seconds`` of training."""
    place.require_time()
    dataset = datasets.load(place.dataset(job.dataset))
    graphs = [graph.unlabelled() for graph in dataset.split("test")]
    found: dict[str, float | int | str] = {"pairs": dataset.pair_count("test"), "dataset": dataset.fingerprint}
    for name, times in model_times(IN_THE_BOX, graphs, most_nodes(dataset)).items():
        found[f"{name}_seconds"] = times.guess
        found[f"{name}_encoded_seconds"] = times.encoded
        found[f"{name}_step_seconds"] = times.step
    return found
