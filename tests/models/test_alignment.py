"""Alignments of trained models: the network's own, and what follows from them is proven, trained or not."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch

import graphedx as gx
from graphedx.errors import CostError, GraphError, ModelError
from graphedx.models.alignment import Alignment
from graphedx.models.layers.ablations import Variant
from graphedx.models.predicting import Estimator
from laws.test_edit_paths import renamed
from models.graph_samples import GRAPHS, LABELS, doubles, random_graph
from models.literal_model import node_plan, node_vectors
from models.test_predicting import COSTS, Sizes, estimator_of

PAIRS = [(a, b) for a in GRAPHS for b in GRAPHS[::2]]
every_vocabulary = pytest.mark.parametrize("vocabulary", [(), LABELS])
every_variant = pytest.mark.parametrize("variant", list(Variant))


@every_vocabulary
@every_variant
def test_the_soft_alignment_is_that_of_the_formulas(variant: Variant, vocabulary: tuple[str, ...]) -> None:
    model = estimator_of(vocabulary, variant=variant).model.double()
    encoded = model.encode(doubles(vocabulary=vocabulary))
    for a, b in [(0, 0), (0, 3), (6, 1), (3, 4), (4, 2)]:
        x, y = node_vectors(model, GRAPHS[a], vocabulary), node_vectors(model, GRAPHS[b], vocabulary)
        torch.testing.assert_close(model.soft_alignment(encoded, a, b), node_plan(model, x, y).detach())


@every_vocabulary
def test_what_is_not_aligned_is_left(vocabulary: tuple[str, ...]) -> None:
    # Sinkhorn ends with the columns, so those add up to 1; rows do in the limit.
    few, many = estimator_of(vocabulary), estimator_of(vocabulary, temperature=1.0, iterations=500)
    for a, b in PAIRS:
        found, converged = few.align(a, b), many.align(a, b)
        for one in (found, converged):
            assert one.soft.shape == (len(a), len(b))
            np.testing.assert_allclose(one.soft.sum(0) + one.target_left, 1, atol=1e-5)
        np.testing.assert_allclose(converged.soft.sum(1) + converged.source_left, 1, atol=1e-4)


def test_the_way_back_is_aligned_alike_once_converged() -> None:
    # After a few iterations it is not: the way there ends with the target's columns, the way back with the source's.
    converged = estimator_of(temperature=1.0, iterations=500)
    for a, b in PAIRS:
        there, back = converged.align(a, b), converged.align(b, a)
        np.testing.assert_allclose(there.soft, back.soft.T, atol=1e-4)
        np.testing.assert_allclose(there.source_left, back.target_left, atol=1e-4)


@every_vocabulary
@every_variant
def test_its_path_is_a_path_and_its_cost_an_upper_bound(variant: Variant, vocabulary: tuple[str, ...]) -> None:
    estimator = estimator_of(vocabulary, variant=variant)
    for a, b in PAIRS:
        found = estimator.align(a, b)
        path = found.edit_path()
        assert renamed(path.apply(a), dict(path.final_names)) == b
        assert path.cost == found.upper == pytest.approx(sum(operation.cost for operation in path))
        assert found.upper >= gx.ged(a, b, costs=estimator.costs).distance
        assert found.mapping.images == found.images


def test_the_mapping_is_the_heaviest_of_the_padded_graphs() -> None:
    rng = np.random.default_rng(0)
    for n, m in [(2, 4), (4, 2), (3, 3), (0, 2), (5, 5), (0, 0)]:
        plan = rng.random((5, 5)).round(2)
        found = Alignment.from_plan(gx.Graph(n), gx.Graph(m), COSTS, plan)
        heaviest = max(permutations(range(5)), key=lambda order: sum(plan[u, v] for u, v in enumerate(order)))
        assert found.images == tuple(v if v < m else -1 for v in heaviest[:n])
        np.testing.assert_allclose(found.source_left, plan[:n, m:].sum(1))
        np.testing.assert_allclose(found.target_left, plan[n:, :m].sum(0))


def test_a_sure_alignment_is_followed() -> None:
    source, target = gx.Graph("abc", [("a", "b"), ("b", "c")]), gx.Graph("xy", [("x", "y")])
    plan = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=float)
    found = Alignment.from_plan(source, target, COSTS, plan)
    assert dict(found.mapping) == {"a": None, "b": "y", "c": "x"}
    assert found.upper == COSTS.node_del + COSTS.edge_del
    assert [type(edit).__name__ for edit in found.edit_path()] == ["DeleteEdge", "DeleteNode"]


def test_the_same_question_gets_the_same_answer_and_nobody_changes_it() -> None:
    estimator, a, b = estimator_of(), random_graph(6, 0.4, 8), random_graph(7, 0.3, 9)
    one, other = estimator.align(a, b), estimator.align(a, b)
    assert one.images == other.images
    for name in ("soft", "source_left", "target_left"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        with pytest.raises(ValueError, match="read-only"):
            getattr(one, name)[...] = 0


def test_what_cannot_be_aligned_is_refused() -> None:
    estimator, one = estimator_of(LABELS), gx.Graph(1, node_labels=["C"])
    with pytest.raises(ModelError, match=r"sizes does not align nodes; these models do: .*graphedx"):
        Estimator(Sizes(), COSTS).align(one, one)
    with pytest.raises(ModelError, match="at most 7 nodes, got one of 8"):
        estimator.align(one, gx.Graph(8, node_labels=["C"] * 8))
    with pytest.raises(GraphError, match="'Xe', which the model does not know"):
        estimator.align(one, gx.Graph(1, node_labels=["Xe"]))
    with pytest.raises(ModelError, match="cannot guess for"):
        estimator.align(one, one, costs=COSTS)
    with pytest.raises(CostError, match="EditCosts"):
        estimator.align(one, one, costs="uniform")  # type: ignore[arg-type]
