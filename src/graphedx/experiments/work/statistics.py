"""The numbers of a dataset, by the names that the paper's table has in ``catalog.PaperRow``."""

from __future__ import annotations

from graphedx import datasets
from graphedx.experiments.job import Statistics
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome


def perform(job: Statistics, place: Place) -> Outcome:
    found = datasets.stats(place.dataset(job.dataset))
    return {
        "graphs": found["graphs"],
        **{f"{split}_pairs": found["pairs"][split] for split in datasets.SPLITS},
        "avg_nodes": found["avg_nodes"],
        "avg_edges": found["avg_edges"],
        "avg_ged_uniform": found["ged"]["uniform"]["all"]["avg_ged"],
        "avg_ged_non_uniform": found["ged"]["non-uniform"]["all"]["avg_ged"],
        "dataset": found["fingerprint"],
    }
