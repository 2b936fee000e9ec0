"""What there is to know of every model before one is trained."""

from __future__ import annotations

import inspect
import sys
from typing import NamedTuple

from graphedx.errors import ModelError
from graphedx.models.base import installed_models, kind_of, models, setting_names, weights_of
from graphedx.models.saving import shipped_models

IN_THE_PAPER = {
    "egsc": 4278,
    "eric": 5932,
    "gmn_embed": 2000,
    "gmn_match": 2300,
    "graphedx": 3030,
    "graphsim": 6331,
    "greed": 2464,
    "h2mn": 3004,
    "isonet": 2595,
    "simgnn": 1773,
}
"""The numbers of parameters in the paper: at four input features, GraphEdX at one; EGSC with 630 that are not used."""


class ModelFacts(NamedTuple):
    """A model as it is by default, for nodes without labels."""

    parameters: int
    parameters_with_costs: int | None  # with the four costs as input features, where the model can have them
    in_the_paper: int | None  # parameters, where the paper has the model
    interaction: str
    output: str
    aligns: bool
    any_costs: bool
    any_labels: bool
    shipped: bool  # whether it comes with weights
    summary: str


def listed_models() -> dict[str, ModelFacts | ModelError]:
    """All models by name; of a model of another package that cannot be imported, why.

    Raises:
        MissingExtraError: a library is missing that models of this package need.
    """
    listed: dict[str, ModelFacts | ModelError] = {}
    for name in sorted({*models(), *installed_models()}):
        try:
            listed[name] = facts_of(name)
        except ModelError as error:
            listed[name] = error
    return listed


def facts_of(name: str) -> ModelFacts:
    """Of the model of this name."""
    kind, costs = kind_of(name), {"cost_features": True}
    return ModelFacts(
        parameters=weights_of(name, {}),
        parameters_with_costs=weights_of(name, costs) if costs.keys() <= setting_names(name) else None,
        in_the_paper=IN_THE_PAPER.get(name),
        interaction=kind.interaction,
        output=kind.output,
        aligns=kind.aligns,
        any_costs=kind.any_costs,
        any_labels=kind.any_labels,
        shipped=name in shipped_models(),
        # What a model computes is said by its class, in formulas; what it is, by the module that it lives in.
        summary=_first_sentence(inspect.cleandoc(sys.modules[kind.__module__].__doc__ or kind.__doc__ or "")),
    )


def _first_sentence(text: str) -> str:
    """Of the first paragraph, in one line.

    >>> _first_sentence("Pooled: graphs by\\ntheir vectors. More is said later.\\n\\nReference: none")
    'Pooled: graphs by their vectors'
    """
    paragraph = " ".join(text.split("\n\n")[0].split())
    return paragraph.split(". ")[0].removesuffix(".")
