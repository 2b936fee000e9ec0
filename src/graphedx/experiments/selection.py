"""Which jobs of which tables to run, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphedx.errors import ExperimentError
from graphedx.experiments.declared import jobs_of, under
from graphedx.experiments.job import Job, Train
from graphedx.experiments.protocols import PUBLISHED
from graphedx.experiments.table import Experiment


class Selection(NamedTuple):
    """Protocols, datasets and models of jobs; no datasets or models means all of them.

    The order counts: jobs of the first protocol come before those of the second, and within a protocol those of the
    first dataset before those of the second.
    """

    protocols: Sequence[str] = (PUBLISHED,)
    datasets: Sequence[str] = ()
    models: Sequence[str] = ()
    only: Sequence[str] = ()  # patterns of parts of keys, see ``jobs_of``

    def require_known(self, experiments: Sequence[Experiment]) -> None:
        """Check that each dataset and model that is named occurs in one of these tables.

        Raises:
            ExperimentError: one does not.
        """
        everything = jobs_of(under(experiments, self.protocols))
        _require("dataset", self.datasets, {dataset_of(job) for job in everything})
        _require("model", self.models, {model_of(job) for job in everything} - {""})

    def jobs(self, experiments: Sequence[Experiment]) -> dict[Job, float]:
        """Return the jobs of these tables that are selected, and what each is worth."""
        tables = under(experiments, self.protocols)
        return {job: worth for job, worth in jobs_of(tables, self.only).items() if self._has(job)}

    def turn(self, job: Job) -> tuple[int, ...]:
        """Return when a job is to be run beside others: lower tuples first."""
        train = training_of(job)
        protocol = 0 if train is None else _place(self.protocols, train.protocol)
        return (protocol, _place(self.datasets, dataset_of(job)))

    def _has(self, job: Job) -> bool:
        return (not self.datasets or dataset_of(job) in self.datasets) and (
            not self.models or model_of(job) in self.models
        )


def training_of(job: Job) -> Train | None:
    """Return the training that a job is, or rests on."""
    found = job if isinstance(job, Train) else getattr(job, "train", None)
    return found if isinstance(found, Train) else None


def dataset_of(job: Job) -> str:
    """Return the dataset that a job is about: that of its training, if it has one."""
    return str(getattr(training_of(job) or job, "dataset", ""))


def model_of(job: Job) -> str:
    """Return the model or method of a job; empty if it has none."""
    about = training_of(job) or job
    return str(getattr(about, "model", "") or getattr(about, "method", ""))


def _place(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _require(what: str, names: Sequence[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise ExperimentError(f"no job has the {what} {name!r}; there are {', '.join(sorted(known))}")
