"""Properties of a trained GraphEdX that the paper states: symmetry, the bound between its terms, late interaction."""

from __future__ import annotations

from typing import Any, NamedTuple

from graphedx import datasets
from graphedx.api import load_model
from graphedx.errors import ModelError
from graphedx.experiments.job import Properties
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.work.solve import sampled
from graphedx.experiments.work.testing import split_pairs
from graphedx.models.graphedx import GraphEdX
from graphedx.models.layers.divergence import set_divergences
from graphedx.models.layers.encoded import SetTerm
from graphedx.models.layers.padded import Items, pair_plan, sides
from graphedx.models.predicting import cost_tensor, guessing
from graphedx.models.saving import BEST, load_tensors
from graphedx.training.session import torch_threads


class Found(NamedTuple):
    """What is measured of one pair."""

    plan_gap: float  # the largest entry of |P' - Pᵀ|
    row_gap: float  # the largest |row sum of P - 1|
    excess: float  # of AlignDiff over DiffAlign, relative: the largest for nodes and node pairs, in both directions
    stochastic_excess: float  # the same with rows that sum to one


def perform(job: Properties, place: Place) -> Outcome:
    """Measure a sample of test pairs of two graphs; gaps are the largest of all pairs.

    ``estimate_gap`` compares the estimate of a pair with that of its graphs in the other order, where deletions cost
    what insertions did. ``index_gap`` compares with estimates from graphs that were encoded one by one.
    """
    place.require_time()
    trained, dataset = load_model(place.run(job.train)), datasets.load(place.dataset(job.train.dataset))
    model, costs = trained.model, trained.costs
    if not isinstance(model, GraphEdX) or costs.node_sub or costs.edge_sub:
        raise ModelError("properties are measured of GraphEdX only, for costs without substitutions")
    test = split_pairs(dataset, "test", costs, trained.vocabulary, GraphEdX)
    ends = test.ends[sampled(len(test), job.pairs, job.seed)]
    ends = ends[ends[:, 0] != ends[:, 1]]
    if not len(ends):
        raise ModelError(f"test of {dataset.name} has no pairs of two graphs")
    with torch_threads(1), guessing():
        model.eval()
        encoded = model.encode(test.graphs)
        ahead = model.compare(test.graphs, encoded, ends, cost_tensor(costs))
        back = model.compare(test.graphs, encoded, ends.flip(1), cost_tensor(costs.swapped()))
        stored = model.joined([model.encode(test.graphs.select(ends.new_tensor([k]))) for k in range(len(test.graphs))])
        indexed = model.compare(test.graphs, stored, ends, cost_tensor(costs))
        found = []
        for pair in ends:
            place.require_time()
            found.append(_measured(model, encoded, pair))
    _, about = load_tensors(place.run(job.train) / BEST)
    return {
        "pairs": len(found),
        "plan_gap": max(one.plan_gap for one in found),
        "row_gap": max(one.row_gap for one in found),
        "estimate_gap": float((ahead - back).abs().max()),
        "index_gap": float((ahead - indexed).abs().max()),
        "bound_excess": max(one.excess for one in found),
        "stochastic_bound_excess": max(one.stochastic_excess for one in found),
        "validation": about["validation"],
        "dataset": dataset.fingerprint,
    }


def _measured(model: GraphEdX, encoded: Any, pair: Any) -> Found:
    source, target = (int(end) for end in pair)
    plan = model.soft_alignment(encoded, source, target)  # (N, N)
    other = model.soft_alignment(encoded, target, source)
    rows, columns = sides(encoded, pair[None], model.config.max_nodes, one_by_one=True)
    sets = [(rows.nodes, columns.nodes, plan[None])]
    of_pairs = rows.node_pairs, columns.node_pairs
    sets.append((of_pairs[0].items, of_pairs[1].items, pair_plan(*of_pairs, plan[None])))
    return Found(
        plan_gap=float((plan - other.T).abs().max()),
        row_gap=float((plan.sum(1) - 1).abs().max()),
        excess=max(_excess(*one) for one in sets),
        stochastic_excess=max(_excess(a, b, _rows_of_one(b, some)) for a, b, some in sets),
    )


def _excess(source: Items, target: Items, plan: Any) -> float:
    """Return by how much AlignDiff exceeds DiffAlign, relative to it; 0 where DiffAlign is an upper bound."""
    aligned = set_divergences(source, target, plan, SetTerm.ALIGN_DIFF)
    paired = set_divergences(source, target, plan, SetTerm.DIFF_ALIGN)
    return max(float((less - more).clamp_min(0) / (1 + more.abs())) for less, more in zip(aligned, paired, strict=True))


def _rows_of_one(target: Items, plan: Any) -> Any:
    """Divide each row of a plan by its mass."""
    mass = (plan * target.weight[:, None, :]).sum(2, keepdim=True)  # (1, E, 1)
    return plan / mass.clamp_min(1e-12)
