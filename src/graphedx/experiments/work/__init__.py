"""How jobs are done: one module a kind of job, of that name, with ``perform(job, place)``; imported when asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from time import perf_counter
from typing import Any, cast

from graphedx.errors import GraphEdXError, MissingExtraError
from graphedx.experiments import provenance
from graphedx.experiments.job import Job, job_from_json
from graphedx.experiments.place import Place, TimeIsUp
from graphedx.experiments.store import Outcome


def perform(job: Job, place: Place) -> Outcome:
    """Do a job; what it leaves besides its outcome lies in ``place.run(job)``.

    Raises:
        TimeIsUp: it is past ``place.until``; what was done is kept, and the same call goes on there.
    """
    try:
        module: Any = import_module(f"{__name__}.{job.kind}")
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] != "torch":
            raise
        raise MissingExtraError("torch", "neural") from None
    return cast("Outcome", module.perform(job, place))


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """Do the job of a request; whatever happens is an answer: ``outcome``, ``error`` or ``unfinished``, and by whom."""
    about = provenance.here()
    start = perf_counter()
    answer: dict[str, Any]
    try:
        outcome = dict(perform(job_from_json(request["job"]), Place.from_json(request["place"])))
        answer = {"outcome": outcome} if _is_finite(outcome) else {"error": "its error is no finite number"}
    except TimeIsUp:
        answer = {"unfinished": True}
    except GraphEdXError as error:
        answer = {"error": str(error)}
    except Exception as error:  # a job that fails is a row that says so, whatever it failed of
        answer = {"error": f"{type(error).__name__}: {error}"}
    return about | answer | {"seconds": perf_counter() - start}


def _is_finite(outcome: Mapping[str, object]) -> bool:
    error = outcome.get("mse", 0.0)
    return isinstance(error, int | float) and math.isfinite(error)
