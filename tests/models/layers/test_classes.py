"""Alike nodes as one slot: what slots stand for, and variants of GraphEdX that guess and learn the same by them."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.ablations import Variant
from graphedx.models.layers.classes import ClassedGraphs
from graphedx.models.layers.encoded import SetTerm
from models.layers.symmetric import batches, encoded_alike, refined, symmetric_graphs

PADDED = 9
COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)
PAIRS = torch.tensor([(0, 1), (1, 0), (1, 2), (2, 0)])  # a graph with itself lies on the kinks of AlignDiff
VARIANTS = (
    (Variant.MAX, SetTerm.ALIGN_DIFF),
    (Variant.MAX_OR, SetTerm.ALIGN_DIFF),
    (Variant.REG, SetTerm.ALIGN_DIFF),
    (Variant.REG, SetTerm.XOR),
    (Variant.EDGE_TO_EDGE, SetTerm.DIFF_ALIGN),
)
three_graphs = st.lists(symmetric_graphs(), min_size=3, max_size=3)


def counted(graph: Graph) -> tuple[Counter[int], Counter[tuple[int, int, bool]]]:
    """How many nodes are in each class, by its first node, and how many node pairs of each type, -1 for padding."""
    alike, padding = refined(graph), PADDED - len(graph)
    of_nodes, of_pairs = Counter(alike), Counter[tuple[int, int, bool]]()
    of_nodes[-1] = padding
    joined = {tuple(sorted(edge)) for edge in graph.edge_index}
    for v in range(PADDED):
        for u in range(v):
            ends = sorted(alike[x] if x < len(graph) else -1 for x in (u, v))
            of_pairs[ends[0], ends[1], (u, v) in joined] += 1
    return +of_nodes, +of_pairs


@given(three_graphs)
@settings(max_examples=60, deadline=None)
def test_slots_stand_for_all_nodes_and_all_pairs(graphs: list[Graph]) -> None:
    encoded, _, _ = encoded_alike(graphs, 0)
    classed = ClassedGraphs.of(encoded)
    sources, targets = classed.sides(PAIRS, PADDED)
    for side, which in ((sources, PAIRS[:, 0]), (targets, PAIRS[:, 1])):
        for row, graph in enumerate(which.tolist()):
            classes = int(classed.classes[graph])
            name = [*dict.fromkeys(refined(graphs[graph])), -1]  # of slots
            nodes, pairs = side.nodes, side.node_pairs
            assert nodes.present[row].tolist() == [slot < classes for slot in range(nodes.present.shape[1])]
            of_nodes = {name[slot]: weight for slot, weight in enumerate(nodes.weight[row].tolist()) if weight}
            ends = zip(
                pairs.low[row].tolist(), pairs.high[row].tolist(), pairs.items.present[row].tolist(), strict=True
            )
            slots = zip(ends, pairs.items.weight[row].tolist(), strict=True)
            of_pairs = {
                (*sorted((name[low], name[high])), joined): weight for (low, high, joined), weight in slots if weight
            }
            assert (of_nodes, of_pairs) == counted(graphs[graph])


def test_alike_nodes_share_a_slot() -> None:
    encoded, _, _ = encoded_alike([Graph(6, [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)])], 0)
    # Classes 0, {1, 2, 3}, 4, 5: six pairs of two of them, {1, 2, 3} within itself, four with padding, two of padding.
    assert ClassedGraphs.of(encoded).types == 12
    assert ClassedGraphs.of(encoded, one_by_one=True).types == 15 + 6 + 1


@pytest.mark.parametrize(("variant", "edge_term"), VARIANTS)
@given(graphs=three_graphs, labelled=st.booleans())
@settings(max_examples=25, deadline=None)
def test_variants_guess_and_learn_the_same(
    variant: Variant, edge_term: SetTerm, graphs: list[Graph], labelled: bool
) -> None:
    torch.manual_seed(0)
    sizes = {"max_nodes": PADDED, "width": 4, "pair_size": 5, "message": 6, "steps": 3, "temperature": 0.05}
    terms = {"variant": variant, "edge_term": edge_term, "features": 2 if labelled else 1}
    model = GraphEdX(GraphEdXConfig(**sizes, **terms)).double()  # type: ignore[arg-type]
    costs = COSTS + torch.tensor([0.0, 0, 0, 0, 2, 0]) * labelled
    found: list[list[Tensor]] = []
    for batch in batches(graphs, ("C", "N") if labelled else ()):
        distances, penalty = model.distances_and_penalty(batch, PAIRS, costs)
        slopes = torch.autograd.grad(distances.sum() + 100 * penalty, list(model.parameters()), allow_unused=True)
        found.append([distances.detach(), penalty.detach(), *(slope for slope in slopes if slope is not None)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9 * (1 + float(other.abs().max())))


@pytest.mark.parametrize("alike", [[0, 2, 2], [0, -1, 2], [0, 0, 1]])
def test_classes_that_are_none_are_refused(alike: list[int]) -> None:
    encoded, _, _ = encoded_alike([Graph(3, [(0, 1)])], 0)
    with pytest.raises(ModelError, match="alike"):
        ClassedGraphs.of(encoded._replace(alike=torch.tensor(alike)))


def test_no_nodes_and_no_pairs() -> None:
    encoded, _, _ = encoded_alike([Graph(0, [])], 0)
    source, target = ClassedGraphs.of(encoded).sides(torch.tensor([(0, 0)]), 3)
    assert source.weight.tolist() == target.weight.tolist() == [[3.0]]
    assert source.node_pairs.items.weight.tolist() == [[3.0]]
    assert ClassedGraphs.of(encoded).sides(torch.zeros(0, 2, dtype=torch.int64), 3)[0].weight.shape == (0, 1)
