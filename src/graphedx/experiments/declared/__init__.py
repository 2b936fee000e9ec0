"""The experiments there are, one small module a group of tables; each has its ``EXPERIMENTS``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from types import MappingProxyType

from graphedx.errors import ExperimentError
from graphedx.experiments.job import Job
from graphedx.experiments.protocols import get
from graphedx.experiments.table import Experiment

MODULES = (
    "statistics",
    "combinations",
    "baselines",
    "ablations",
    "other_costs",
    "transfers",
    "times",
    "examples",
    "properties",
)
"""In the order of the report."""
ALL = "all"


@cache
def experiments() -> Mapping[str, Experiment]:
    """Every experiment by its name."""
    modules = [import_module(f"{__name__}.{module}") for module in MODULES]
    found: dict[str, Experiment] = {}
    for experiment in (experiment for module in modules for experiment in module.EXPERIMENTS):
        if experiment.name in found or experiment.name == ALL:
            raise ExperimentError(f"two experiments are called {experiment.name!r}, or one like all of them")
        found[experiment.name] = experiment
    return MappingProxyType(found)


def chosen(names: Iterable[str]) -> list[Experiment]:
    """The experiments of these names, or all."""
    known, asked = experiments(), list(dict.fromkeys(names))
    for name in asked:
        if name not in known and name != ALL:
            raise ExperimentError(f"there is no experiment {name!r}; there are {', '.join(known)} and {ALL}")
    return list(known.values()) if ALL in asked else [known[name] for name in asked]


def under(some: Iterable[Experiment], protocols: Iterable[str]) -> list[Experiment]:
    """Return experiments under each of these protocols, those that are declared for it."""
    known = list(some)
    return [table.under(name) for name in protocols for table in known if get(name).name in table.protocols]


def jobs_of(some: Iterable[Experiment], only: Iterable[str] = ()) -> dict[Job, float]:
    """The jobs of experiments, each once, and what they are worth together.

    With ``only``, those whose key has a part like each of these patterns: ``linux``, ``seed=0``, ``graphedx*``.
    """
    patterns = list(only)
    found: dict[Job, float] = {}
    for experiment in some:
        for job, value in experiment.jobs.items():
            if all(any(fnmatchcase(part, pattern) for part in job.key.split("/")) for pattern in patterns):
                found[job] = found.get(job, 0.0) + value
    return found
