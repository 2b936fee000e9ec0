"""Algorithm 1 of the paper to the letter: two assignments, and edits that need not lead to the target."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
import torch

import graphedx as gx
from graphedx.edits import DeleteEdge, DeleteNode, InsertEdge, InsertNode, SubstituteNode
from graphedx.errors import ModelError
from graphedx.models.algorithm_1 import MAX_NODES, algorithm_1
from graphedx.models.alignment import Alignment
from graphedx.models.layers.ablations import Variant
from models.graph_samples import GRAPHS, doubles
from models.layers.literal import pair_plan
from models.literal_model import node_plan, node_vectors, pair_vectors, soft_plan
from models.test_predicting import COSTS, Sizes, estimator_of

PAIRS = [(a, b) for a in GRAPHS for b in GRAPHS[::2]]


def heaviest(plan: np.ndarray) -> tuple[int, ...]:
    return max(permutations(range(len(plan))), key=lambda order: sum(plan[u, v] for u, v in enumerate(order)))


def literal_counts(source: gx.Graph, target: gx.Graph, plan: np.ndarray, pairs: np.ndarray) -> list[int]:
    """Nodes inserted, edges inserted, edges deleted, nodes deleted: the three loops over all assignments."""
    slots = list(combinations(range(len(plan)), 2))
    joined, wanted = ({frozenset(edge) for edge in graph.edge_index} for graph in (source, target))
    counts = [0, 0, 0, 0]
    for u, v in enumerate(heaviest(plan)):
        counts[0] += u >= len(source) and v < len(target)
        counts[3] += u < len(source) and v >= len(target)
    for k, image in enumerate(heaviest(pairs)):
        here, there = frozenset(slots[k]) in joined, frozenset(slots[image]) in wanted
        counts[1] += not here and there
        counts[2] += here and not there
    return counts


@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 4), (4, 2), (0, 3), (2, 0)])
def test_the_edits_are_those_of_the_loops(n: int, m: int) -> None:
    rng = np.random.default_rng(0)
    for seed in range(4):
        source, target = (
            gx.Graph(size, [pair for pair in combinations(range(size), 2) if rng.random() < 0.5]) for size in (n, m)
        )
        plan, pairs = rng.random((4, 4)), rng.random((6, 6))
        found = algorithm_1(source, target, COSTS, plan, pairs)
        kinds = (InsertNode, InsertEdge, DeleteEdge, DeleteNode)
        counts = [sum(isinstance(operation, kind) for operation in found.operations) for kind in kinds]
        assert counts == literal_counts(source, target, plan, pairs), seed
        assert found.cost == pytest.approx(
            np.dot(counts, (COSTS.node_ins, COSTS.edge_ins, COSTS.edge_del, COSTS.node_del))
        )
        assert [type(operation) for operation in found.operations][: counts[0]] == [InsertNode] * counts[0]
        assert [type(operation) for operation in found.operations][len(found.operations) - counts[3] :] == (
            [DeleteNode] * counts[3]
        )


def test_plans_that_agree_give_the_path_of_the_mapping() -> None:
    """Of a permutation the pair plan is one, too; its edits cost what the nodes' mapping costs."""
    rng = np.random.default_rng(1)
    for a, b in PAIRS:
        plan = np.eye(6)[rng.permutation(6)]
        pairs = pair_plan(torch.from_numpy(plan)).numpy()
        aligned = Alignment.from_plan(a, b, COSTS, plan, pairs)
        found = aligned.algorithm_1()
        assert found.valid
        assert found.cost == pytest.approx(aligned.upper)
        kinds, expected = (Counter(map(type, edits)) for edits in (found.operations, aligned.edit_path()))
        del expected[SubstituteNode]  # which Algorithm 1 has not; free under these costs
        assert kinds == expected


def test_plans_that_disagree_are_not_valid_and_may_cost_less_than_the_distance() -> None:
    """A path of four nodes and a star: the pair plan keeps all three edges, whatever the nodes do."""
    path, star = gx.Graph(4, [(0, 1), (1, 2), (2, 3)]), gx.Graph(4, [(0, 1), (0, 2), (0, 3)])
    slots = list(combinations(range(4), 2))
    images = {(0, 1): (0, 1), (1, 2): (0, 2), (2, 3): (0, 3), (0, 2): (1, 2), (0, 3): (1, 3), (1, 3): (2, 3)}
    pairs = np.zeros((6, 6))
    for pair, image in images.items():
        pairs[slots.index(pair), slots.index(image)] = 1
    found = algorithm_1(path, star, COSTS, np.eye(4), pairs)
    assert (found.operations, found.cost, found.valid) == ((), 0.0, False)
    assert gx.ged(path, star, costs=COSTS).distance > 0


@pytest.mark.parametrize("variant", list(Variant))
def test_the_pair_plan_is_that_of_the_formulas(variant: Variant) -> None:
    model = estimator_of(variant=variant).model.double()
    encoded = model.encode(doubles())
    for a, b in [(0, 0), (0, 3), (6, 1), (3, 4), (4, 2)]:
        x, y = node_vectors(model, GRAPHS[a]), node_vectors(model, GRAPHS[b])
        expected = pair_plan(node_plan(model, x, y))
        if variant is Variant.REG:
            rows = [model.pair_alignment(pair_vectors(model.pairs, GRAPHS[i], h)) for i, h in ((a, x), (b, y))]
            expected = soft_plan(*rows, model.config.temperature, model.config.iterations)
        torch.testing.assert_close(model.soft_pair_alignment(encoded, a, b), expected.detach())


def test_a_model_s_own_alignment_has_it_on_request() -> None:
    estimator = estimator_of()
    known = 0
    for a, b in PAIRS:
        aligned = estimator.align(a, b, pair_plan=True)
        found = aligned.algorithm_1()
        known += found.valid
        if found.valid:
            assert found.cost >= gx.ged(a, b, costs=COSTS).distance
        nodes = [operation.cost for operation in found.operations if isinstance(operation, InsertNode | DeleteNode)]
        expected = [op.cost for op in aligned.edit_path().operations if isinstance(op, InsertNode | DeleteNode)]
        assert sorted(nodes) == sorted(expected)
    assert 0 < known < len(PAIRS)


def test_what_does_not_fit_is_refused() -> None:
    one = gx.Graph(1)
    with pytest.raises(ModelError, match="call align with pair_plan=True"):
        estimator_of().align(one, one).algorithm_1()
    with pytest.raises(ModelError, match=r"a plan of \(2, 2\) nodes and one of \(3, 3\) node pairs do not fit"):
        algorithm_1(one, one, COSTS, np.eye(2), np.eye(3))
    with pytest.raises(ModelError, match=f"at most {MAX_NODES} nodes, got 142"):
        algorithm_1(one, one, COSTS, np.eye(142), np.eye(1))
    with pytest.raises(ModelError, match=f"at most {MAX_NODES} nodes, got 150"):
        estimator_of(max_nodes=150).align(one, one, pair_plan=True)
    with pytest.raises(ModelError, match="sizes does not align nodes"):
        Sizes().soft_pair_alignment(None, 0, 1)
