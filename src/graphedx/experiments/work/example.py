"""How a trained model aligns edges: as their ends are aligned, or by themselves, as if nodes had no part in it."""

from __future__ import annotations

from statistics import fmean
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from graphedx import datasets
from graphedx.api import load_model
from graphedx.errors import ModelError
from graphedx.experiments.job import Example
from graphedx.experiments.place import Place
from graphedx.experiments.store import Outcome
from graphedx.experiments.work.seen import seen
from graphedx.experiments.work.solve import sampled
from graphedx.experiments.work.testing import split_pairs
from graphedx.graph import Graph
from graphedx.models.alignment import Alignment
from graphedx.models.graphedx import GraphEdX
from graphedx.models.layers.ablations import Variant
from graphedx.models.layers.divergence import distances
from graphedx.models.layers.padded import pair_plan, sides
from graphedx.models.layers.sinkhorn import sinkhorn
from graphedx.models.predicting import Estimator
from graphedx.models.saving import BEST, load_tensors
from graphedx.training.session import torch_threads

_DIGITS = 3
_USUAL_EDITS = 6  # as many as the paper's example has
Floats = NDArray[np.float64]


class Slots(NamedTuple):
    """The node pairs of a padded graph."""

    ends: NDArray[np.int64]  # (E, 2)
    is_edge: NDArray[np.bool_]  # (E,)


class Pair(NamedTuple):
    """What a model makes of a pair: nodes by its plan P, edges as their ends (``joint``) and by themselves."""

    place: int  # among the test pairs
    distance: float
    nodes: Alignment
    joint: Floats  # of each edge of the source to each of the target; last what is left of each
    free: Floats
    free_cost: float  # of the nodes' edits, and of those that this alignment of edges by themselves asks for
    least_cost: float  # the same of any alignment of edges by themselves: what their number asks for
    kept: int  # edges that this keeps
    torn: int  # those of them whose ends are aligned with other nodes


def perform(job: Example, place: Place) -> Outcome:
    """Over some pairs how far off both are; and all numbers of one pair, for pictures.

    The free alignment is REG's own where that was trained. Other models have none: there it is that which the vectors
    of their node pairs would have, by the same rounds of Sinkhorn.
    """
    place.require_time()
    trained, dataset = load_model(place.run(job.train)), datasets.load(place.dataset(job.train.dataset))
    costs = trained.costs
    if not isinstance(trained.model, GraphEdX) or costs.node_sub or costs.edge_sub:
        raise ModelError("alignments of edges are shown of GraphEdX only, for costs without substitutions")
    table = dataset.labels("test", costs)
    graphs = seen(dataset.graphs, costs)
    test = split_pairs(dataset, "test", costs, trained.vocabulary, GraphEdX)
    with torch_threads(1):
        encoded = trained.model.eval().encode(test.graphs)
        found = []
        for k in sampled(len(table), job.pairs, job.seed):
            place.require_time()
            if table.proven[k] and table.source[k] != table.target[k]:
                both = graphs[table.source[k]], graphs[table.target[k]]
                found.append(_pair(k, float(table.distances[k]), both, trained, encoded, test.ends[k : k + 1]))
    if not found:
        raise ModelError(f"test of {dataset.name} has no pairs of two graphs whose distance is proven")
    shown = min(found, key=_telling)
    best = table.result(shown.place).images
    _, about = load_tensors(place.run(job.train) / BEST)
    return {
        "pairs": len(found),
        "gap": fmean(pair.nodes.upper - pair.distance for pair in found),
        "share_optimal": fmean(pair.nodes.upper == pair.distance for pair in found),
        "least_gap": fmean(pair.least_cost - pair.distance for pair in found),
        "share_too_cheap": fmean(pair.least_cost < pair.distance for pair in found),
        "free_gap": fmean(pair.free_cost - pair.distance for pair in found),
        "share_torn": sum(pair.torn for pair in found) / max(1, sum(pair.kept for pair in found)),
        "validation": about["validation"],
        "dataset": dataset.fingerprint,
        "picture": _picture(shown, trained, best),
    }


def _pair(place: int, distance: float, both: tuple[Graph, Graph], trained: Estimator, encoded: Any, ends: Any) -> Pair:
    """``encoded`` are all graphs, ``ends`` (1, 2) the two that are meant."""
    costs = trained.costs
    plan = trained.model.soft_alignment(encoded, *ends[0].tolist()).detach()
    nodes = Alignment.from_plan(*both, costs, plan.double().numpy())
    rows, columns, joint, free = _plans(cast("GraphEdX", trained.model), encoded, ends, plan)
    _, images = linear_sum_assignment(free, maximize=True)
    kept = np.flatnonzero(rows.is_edge & columns.is_edge[images])
    deleted, inserted = int(rows.is_edge.sum()) - len(kept), int(columns.is_edge.sum()) - len(kept)
    most = min(deleted, inserted)  # edges that could be kept, too
    gone, come = nodes.images.count(-1), len(both[1]) - len(both[0]) + nodes.images.count(-1)
    prices = cast("tuple[float, ...]", (costs.node_del, costs.node_ins, costs.edge_del, costs.edge_ins))
    padded = (*nodes.images, *[-1] * len(plan))
    return Pair(
        place=place,
        distance=distance,
        nodes=nodes,
        joint=_of_edges(joint, rows, columns),
        free=_of_edges(free, rows, columns),
        free_cost=float(np.dot(prices, (gone, come, deleted, inserted))),
        least_cost=float(np.dot(prices, (gone, come, deleted - most, inserted - most))),
        kept=len(kept),
        torn=sum({padded[u] for u in rows.ends[k]} != set(columns.ends[images[k]].tolist()) for k in kept),
    )


def _plans(model: GraphEdX, encoded: Any, ends: Any, plan: Any) -> tuple[Slots, Slots, Floats, Floats]:
    """All node pairs of both graphs; their alignment that follows from the nodes' plan, and that of their own."""
    config = model.config
    rows, columns = (side.node_pairs for side in sides(encoded, ends, config.max_nodes, one_by_one=True))
    by = [side.items for side in (rows, columns)]
    if config.variant is Variant.REG:
        by = [items._replace(vector=model.pair_alignment(items.vector)) for items in by]
    scores = -distances(*by) / config.temperature
    own = sinkhorn(scores, config.iterations, row_weights=by[0].weight, column_weights=by[1].weight)
    # A slot of a node and itself stands for nothing.
    there, others = (np.flatnonzero(items.weight[0].numpy()) for items in by)
    joint, free = (
        found[0].detach().double().numpy()[np.ix_(there, others)]
        for found in (pair_plan(rows, columns, plan.to(scores)[None]), own)
    )
    slots = [
        Slots(np.stack([side.low[0].numpy(), side.high[0].numpy()], axis=1)[some], side.items.present[0].numpy()[some])
        for side, some in ((rows, there), (columns, others))
    ]
    return slots[0], slots[1], joint, free


def _of_edges(plan: Floats, rows: Slots, columns: Slots) -> Floats:
    """Edge by edge; the last column is what of an edge goes to non-edges, the last row what comes from them."""
    inner = plan[np.ix_(rows.is_edge, columns.is_edge)]
    lost, come = plan[rows.is_edge][:, ~columns.is_edge].sum(1), plan[~rows.is_edge][:, columns.is_edge].sum(0)
    return np.block([[inner, lost[:, None]], [come[None, :], np.zeros((1, 1))]])


def _telling(pair: Pair) -> tuple[bool, bool, int, int]:
    """First those whose path is optimal and whose edges by themselves could be cheaper; then of usual length."""
    edits = len(pair.nodes.edit_path())
    return pair.nodes.upper > pair.distance, pair.least_cost >= pair.distance, abs(edits - _USUAL_EDITS), pair.place


def _picture(pair: Pair, trained: Estimator, best: tuple[int, ...]) -> dict[str, Any]:
    nodes = pair.nodes
    return {
        "pair": pair.place,
        **{name: _plain(graph) for name, graph in (("source", nodes.source), ("target", nodes.target))},
        "images": list(nodes.images),
        "best_images": list(best),
        "distance": pair.distance,
        "guess": round(float(trained.predict([(nodes.source, nodes.target)])[0]), _DIGITS),
        "cost": nodes.upper,
        "free_cost": pair.free_cost,
        "least_cost": pair.least_cost,
        "kept": pair.kept,
        "torn": pair.torn,
        "nodes": _rounded(nodes.soft),
        "edges": _rounded(pair.joint),
        "free_edges": _rounded(pair.free),
    }


def _plain(graph: Graph) -> dict[str, Any]:
    return {"nodes": len(graph), "edges": [[int(u), int(v)] for u, v in graph.edge_index]}


def _rounded(shares: Floats) -> list[list[float]]:
    return [[round(float(np.clip(share, 0.0, 1.0)), _DIGITS) for share in row] for row in shares]
