"""Results versions: declared numbers that say which rows are results of the code as it is.

A row carries the version that its job had when it was computed. Raise a number here, deliberately, in the same change
that may change results; moving or renaming files changes nothing. Rows of another version are stale: they are kept,
counted, and not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from types import MappingProxyType

from graphedx.costs import EditCosts
from graphedx.experiments.job import Job, Train

FIRST = 1
"""The version of everything that is not named below, and of rows that were written before versions were declared."""

MODELS: Mapping[str, int] = MappingProxyType(
    {"gmn_embed": 2, "gmn_match": 2, "isonet": 2, "simgnn": 2, "graphsim": 2, "h2mn": 2}
)
"""2: the configuration of the paper's comparison, by its number of weights."""

VARIANTS: Mapping[str, int] = MappingProxyType({"max": 2, "max_or": 2})
"""Of GraphEdX. 2: the edge factor of the paper's text and code."""

COST_FEATURES = 2
"""Of baselines that see the costs. 2: the four costs replace the constant feature."""

KINDS: Mapping[str, int] = MappingProxyType({"timing": 2})
"""Of kinds of jobs. Timing 2: one job times all models, of which some are new."""

_WITHOUT_COST_FEATURES = frozenset({"graphedx", "bracket"})


def results_version(job: Job) -> int:
    """Return the version of the results that a job has now: the highest of all that it rests on."""
    train = job if isinstance(job, Train) else getattr(job, "train", None)
    own = KINDS.get(job.kind, FIRST)
    return max(own, _of_training(train)) if isinstance(train, Train) else own


def _of_training(job: Train) -> int:
    variant = str(dict(job.settings).get("variant", ""))
    versions = [MODELS.get(job.model, FIRST), VARIANTS.get(variant, FIRST)]
    return max(*versions, COST_FEATURES if _sees_costs(job) else FIRST)


def _sees_costs(job: Train) -> bool:
    """Return whether the nodes of a baseline have the costs as features: by its settings, or if the costs differ."""
    if job.model in _WITHOUT_COST_FEATURES:
        return False
    differ = len(set(astuple(EditCosts.parse(job.costs))[:4])) > 1
    return bool(dict(job.settings).get("cost_features", differ))
