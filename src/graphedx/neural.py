"""The method ``neural``: what the model that comes with the package guesses, inside an interval that is proven."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphedx import solvers
from graphedx._files import AnyPath
from graphedx.costs import EditCosts
from graphedx.errors import MissingExtraError
from graphedx.graph import Graph
from graphedx.result import GedEstimate
from graphedx.solvers.registry import Guarantee, register

if TYPE_CHECKING:
    from graphedx.models.predicting import Estimator

SHIPPED = "bracket"
"""The model that the method asks."""


def load_model(folder: AnyPath) -> Estimator:
    """A model that ``graphedx train`` has left in a folder, or that comes with the package: "bracket".

    Its ``predict`` guesses the distances of pairs of graphs.

    >>> gx.load_model("run").predict([(path, star), (star, path)])   # doctest: +SKIP
    array([2.03, 2.03])
    """
    estimator: Estimator = _saving().load_model(folder)
    return estimator


@lru_cache(maxsize=1)
def _shipped() -> Estimator:
    estimator: Estimator = _saving().shipped_model(SHIPPED)
    return estimator


def _saving() -> Any:
    """``models.saving``, or an error that says how to get what it needs."""
    try:
        import graphedx.models.saving as saving
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("torch", "neural") from None
    return saving


@register("neural", Guarantee.ESTIMATE, "a network's guess, inside the interval of a narrow beam (extra: neural)")
def solve_neural(
    source: Graph,
    target: Graph,
    *,
    costs: EditCosts,
    time_limit: float | None = None,
    cutoff: float | None = None,
) -> GedEstimate:
    """The interval, its mapping and the guess; neither limit is looked at: the work is bounded as that of ``beam``."""
    del time_limit, cutoff
    model = _shipped()
    from graphedx.models.bracket import beam_expansions  # there, if there is a model

    [value], [nearest] = model.predict_and_snap([(source, target)], costs=costs)
    # The beam that the model has asked itself, for its mapping.
    expansions = beam_expansions(model.model, source, target)
    beam = solvers.get("beam").solve(source, target, costs=costs, time_limit=None, cutoff=None, expansions=expansions)
    return GedEstimate(
        *(source, target, costs, "neural", beam.lower, beam.upper, beam.stopped_by, beam.images, beam.nodes),
        value=min(max(float(value), beam.lower), beam.upper),
        nearest=min(max(float(nearest), beam.lower), beam.upper),
        model=SHIPPED,
    )
