"""``graphedx models``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphedx.cli import options, render
from graphedx.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    from graphedx.models.listing import ModelFacts

EPILOG = """Examples:

  graphedx models

  graphedx models --json

  graphedx train aids --model graphedx --costs uniform --out run"""

_COUNTS = ("parameters", "with costs", "paper")
_HEADS = ("model", *_COUNTS, "interaction", "says", "aligns", "any costs", "any labels", "trained", "what")


def models(as_json: options.Json = False) -> None:
    """The models that guess distances, and what each of them takes and gives.

    Parameters are those of the default settings, for nodes without labels. Beside them are those with the four costs as
    input features, and the paper's, which for the baselines are at four features (630 of EGSC's are never used). With
    late interaction every graph is encoded once, with early interaction once a pair. Models take the costs and labels
    they were trained with, some take any. Those that come trained are known by name to `predict` and `evaluate`.
    """
    found = _listing().listed_models()
    if as_json:
        render.print_json({name: _data(each) for name, each in found.items()})
    else:
        render.print_table(_HEADS, [_row(name, each) for name, each in found.items()], right=(1, 2, 3))


def _data(facts: ModelFacts | ModelError) -> dict[str, Any]:
    return {"error": str(facts)} if isinstance(facts, ModelError) else facts._asdict()


def _row(name: str, facts: ModelFacts | ModelError) -> list[str]:
    if isinstance(facts, ModelError):
        return [name, *[""] * (len(_HEADS) - 2), str(facts)]
    counts = ("" if each is None else f"{each:,}" for each in (facts.parameters_with_costs, facts.in_the_paper))
    yes_or_no = (facts.aligns, facts.any_costs, facts.any_labels, facts.shipped)
    marks = ["yes" if each else "no" for each in yes_or_no]
    return [name, f"{facts.parameters:,}", *counts, facts.interaction, facts.output, *marks, facts.summary]


def _listing() -> Any:
    try:
        import graphedx.models.listing
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("torch", "neural") from None
    return graphedx.models.listing
