"""A dataset in its folder, made from raw files if it is not there, with the exact distances of all its pairs."""

from __future__ import annotations

from pathlib import Path

from graphedx import datasets
from graphedx.costs import EditCosts
from graphedx.datasets import catalog, files
from graphedx.errors import DatasetError
from graphedx.experiments.job import Prepare
from graphedx.experiments.place import RAW, Place
from graphedx.experiments.store import Outcome


def perform(job: Prepare, place: Place) -> Outcome:
    folder = place.dataset(job.dataset)
    if files.stored_fingerprint(folder) is None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        source, paper = _source(job.dataset, place.data), catalog.get(job.dataset).paper
        # No more graphs than the paper has: what stands in for its data must not teach models more than that did.
        most = None if paper is None else paper.graphs
        datasets.prepare(job.dataset, source, folder, max_graphs=most, progress=False)
    datasets.label(folder, EditCosts.parse(job.costs), workers=1, progress=lambda _: place.require_time())
    return {}


def _source(name: str, data: Path | None) -> Path | None:
    """The raw file of a dataset; None for those that need none."""
    if catalog.get(name).generate is not None:
        return None
    if data is None or name not in RAW or not (data / RAW[name]).exists():
        wanted = f"{RAW[name]} below the folder that --data names" if name in RAW else "graphedx data prepare"
        raise DatasetError(f"no data: {name} needs {wanted}")
    return data / RAW[name]
