"""Which trained models stand in figures, and by what names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphedx.experiments.declared.common import COSTS, DATASETS
from graphedx.experiments.declared.methods import BASELINES, GRAPHEDX
from graphedx.experiments.job import Train
from graphedx.experiments.protocols import PUBLISHED
from graphedx.experiments.store import Row

OURS = "graphedx"
Place = tuple[str, str]  # dataset and costs
_OF_THE_PAPER = frozenset({"edge_term", "node_term", "node_weight"})  # other settings make an ablation of a model


class Tested(NamedTuple):
    """A trained model that stands for its kind: that with the least validation error."""

    job: Train
    row: Row
    mse: float

    @property
    def name(self) -> str:
        """As the paper calls it."""
        return GRAPHEDX if self.job.model == OURS else BASELINES.get(self.job.model, self.job.model)


def best_of_kinds(rows: Iterable[Row], protocol: str = PUBLISHED) -> dict[Place, list[Tested]]:
    """Return one final training of every kind of model, by dataset and costs, the least error first.

    Trainings that were cut short, ablations and other protocols have no part.
    """
    found: dict[Place, dict[str, Tested]] = {}
    for row in rows:
        if row.job.get("kind") != Train.kind or (mse := row.number("mse")) is None or not row.is_final:
            continue
        job = row.asked()
        assert isinstance(job, Train)
        if job.protocol != protocol or not {name for name, _ in job.settings} <= _OF_THE_PAPER:
            continue
        kinds = found.setdefault((job.dataset, job.costs), {})
        if job.model not in kinds or _validation(row) < _validation(kinds[job.model].row):
            kinds[job.model] = Tested(job, row, mse)
    return {where: sorted(kinds.values(), key=lambda one: one.mse) for where, kinds in found.items()}


def ordered(places: Iterable[Place]) -> list[Place]:
    """Those of the paper's figures, in the order of its tables; then others under the same costs."""
    order = {dataset: k for k, dataset in enumerate(DATASETS)}
    there = [place for place in places if place[1] in COSTS]
    return sorted(there, key=lambda place: (order.get(place[0], len(order)), place[0], COSTS.index(place[1])))


def _validation(row: Row) -> float:
    found = row.number("validation")
    return float("inf") if found is None else found
