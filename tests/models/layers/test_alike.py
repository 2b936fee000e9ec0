"""Nodes that are alike count as one class: the same terms, and the gradients of all at the first of them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.batching import graph_batch
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.ablations import Variant
from graphedx.models.layers.encoded import joined
from graphedx.models.layers.set_terms import (
    AlignBy,
    AlignmentOptions,
    EncodedGraphs,
    SetTerm,
    alignment_plan,
    set_terms,
)
from graphedx.models.predicting import predict_pairs
from models.layers.samples import TERMS, gradients_of
from models.layers.symmetric import batches, encoded_alike, refined, symmetric_graphs

PAIRS = torch.tensor([(0, 1), (1, 0), (1, 2), (2, 0)])  # a graph with itself lies on the kinks of AlignDiff
COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)
STAR = Graph(6, [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)])
CYCLES = Graph(7, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
BOOK = Graph(6, [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4), (4, 5)])
three_graphs = st.lists(symmetric_graphs(), min_size=3, max_size=3)


def leaves(graphs: EncodedGraphs) -> EncodedGraphs:
    names = ("node", "align", "align_pad", "pair", "pair_pad")
    return graphs._replace(**{name: getattr(graphs, name).clone().requires_grad_() for name in names})


def values_and_gradients(graphs: EncodedGraphs, pairs: Tensor, *how: object, **options: object) -> list[Tensor]:
    graphs = leaves(graphs)
    terms = set_terms(graphs, pairs, *how, **options)  # type: ignore[arg-type]
    return [terms.detach(), *gradients_of(graphs, terms)]


def summed(rows: Tensor, first: Tensor) -> Tensor:
    """What alike rows have together, at the first of them."""
    return torch.zeros_like(rows).index_add(0, first, rows)


@pytest.mark.parametrize("edge_term", TERMS)
@pytest.mark.parametrize("node_term", TERMS)
@given(three_graphs, st.sampled_from([0, 9, 12]), st.integers(0, 99), st.sampled_from(AlignBy))
@settings(max_examples=25, deadline=None)
def test_terms_and_gradients_are_those_of_all_nodes(
    node_term: SetTerm, edge_term: SetTerm, graphs: list[Graph], padded_nodes: int, seed: int, by: AlignBy
) -> None:
    encoded, of_node, of_pair = encoded_alike(graphs, seed)
    how = AlignmentOptions(padded_nodes=padded_nodes, by=by, temperature=0.05)
    terms = {"node_term": node_term, "edge_term": edge_term}
    found = values_and_gradients(encoded, PAIRS, how, **terms)
    expected = values_and_gradients(encoded._replace(alike=None), PAIRS, how, **terms)
    for place, first in ((1, of_node), (2, of_node), (4, of_pair)):
        others = first != torch.arange(len(first))
        assert not found[place][others].any()
        expected[place] = summed(expected[place], first)
    for one, other in zip(found, expected, strict=True):
        largest = float(other.abs().max()) if other.numel() else 0.0
        torch.testing.assert_close(one, other, rtol=0, atol=1e-10 * (1 + largest))


@pytest.mark.parametrize("term", [SetTerm.DIFF_ALIGN, SetTerm.XOR])
def test_a_graph_with_itself(term: SetTerm) -> None:
    encoded, of_node, of_pair = encoded_alike([CYCLES], 0)
    pair, terms = torch.tensor([(0, 0)]), {"node_term": term, "edge_term": term}
    found = values_and_gradients(encoded, pair, **terms)
    expected = values_and_gradients(encoded._replace(alike=None), pair, **terms)
    torch.testing.assert_close(found[0], expected[0])
    torch.testing.assert_close(found[1], summed(expected[1], of_node))
    torch.testing.assert_close(found[4], summed(expected[4], of_pair))


@given(graphs=st.lists(symmetric_graphs(), max_size=4), by_label=st.booleans())
@settings(max_examples=100, deadline=None)
def test_alike_is_what_colour_refinement_does_not_tell_apart(graphs: list[Graph], by_label: bool) -> None:
    batch = graph_batch(graphs, ("C", "N") if by_label else ())
    assert batch.alike.tolist() == [first for graph in graphs for first in refined(graph, by_label)]


def test_some_nodes_are_alike() -> None:
    assert graph_batch([STAR]).alike.tolist() == [0, 1, 1, 1, 4, 5]
    assert graph_batch([CYCLES]).alike.tolist() == [0, 0, 0, 0, 0, 0, 6]
    assert graph_batch([STAR], structural=True).alike.tolist() == list(range(6))


def model_of(**options: object) -> GraphEdX:
    torch.manual_seed(0)
    sizes = {"max_nodes": 9, "width": 4, "pair_size": 5, "message": 6, "steps": 3, "temperature": 0.05}
    return GraphEdX(GraphEdXConfig(**{**sizes, **options})).double()  # type: ignore[arg-type]


@pytest.mark.parametrize("edge_term", TERMS)
@pytest.mark.parametrize("node_term", TERMS)
def test_a_model_learns_the_same(node_term: SetTerm, edge_term: SetTerm) -> None:
    model = model_of(node_term=node_term, edge_term=edge_term)
    found, expected = (model(batch, PAIRS, COSTS) for batch in batches([STAR, CYCLES, BOOK]))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)
    slopes = (torch.autograd.grad(distances.sum(), list(model.parameters())) for distances in (found, expected))
    for one, other in zip(*slopes, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-10 * (1 + float(other.abs().max())))


@given(graphs=three_graphs, labelled=st.booleans(), term=st.sampled_from(TERMS))
@settings(max_examples=40, deadline=None)
def test_a_model_guesses_the_same(graphs: list[Graph], labelled: bool, term: SetTerm) -> None:
    model = model_of(node_term=term, edge_term=term, features=2 if labelled else 1)
    costs = COSTS + torch.tensor([0.0, 0, 0, 0, 2, 0]) * labelled
    pairs = torch.cartesian_prod(torch.arange(3), torch.arange(3))
    found, expected = (
        predict_pairs(model, batch, pairs, costs) for batch in batches(graphs, ("C", "N") if labelled else ())
    )
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10 * (1 + float(expected.abs().max())))


VARIANTS = (
    (Variant.MAX, SetTerm.ALIGN_DIFF),
    (Variant.MAX_OR, SetTerm.ALIGN_DIFF),
    (Variant.REG, SetTerm.ALIGN_DIFF),
    (Variant.REG, SetTerm.XOR),
    (Variant.EDGE_TO_EDGE, SetTerm.ALIGN_DIFF),
    (Variant.EDGE_TO_EDGE, SetTerm.DIFF_ALIGN),
)


@pytest.mark.parametrize(("variant", "edge_term"), VARIANTS)
@given(graphs=three_graphs, labelled=st.booleans())
@settings(max_examples=25, deadline=None)
def test_variants_guess_and_learn_the_same(
    variant: Variant, edge_term: SetTerm, graphs: list[Graph], labelled: bool
) -> None:
    model = model_of(variant=variant, edge_term=edge_term, features=2 if labelled else 1)
    costs = COSTS + torch.tensor([0.0, 0, 0, 0, 2, 0]) * labelled
    found: list[list[Tensor]] = []
    for batch in batches(graphs, ("C", "N") if labelled else ()):
        distances, penalty = model.distances_and_penalty(batch, PAIRS, costs)
        slopes = torch.autograd.grad(distances.sum() + 100 * penalty, list(model.parameters()), allow_unused=True)
        found.append([distances.detach(), penalty.detach(), *(slope for slope in slopes if slope is not None)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9 * (1 + float(other.abs().max())))


def test_noise_is_heard_by_every_node_and_plans_are_of_nodes() -> None:
    model = model_of(noise=0.3)
    heard = []
    for batch in batches([STAR, CYCLES, BOOK]):
        torch.manual_seed(5)
        heard.append(model(batch, PAIRS, COSTS))
    assert torch.equal(*heard)
    encoded, _, _ = encoded_alike([STAR, CYCLES], 0)
    plan = alignment_plan(encoded, 0, 1, AlignmentOptions(padded_nodes=8))
    assert plan.shape == (8, 8)
    assert torch.equal(plan, alignment_plan(encoded._replace(alike=None), 0, 1, AlignmentOptions(padded_nodes=8)))


@pytest.mark.parametrize("edge_term", TERMS)
def test_the_number_of_threads_changes_no_bit(edge_term: SetTerm) -> None:
    encoded, _, _ = encoded_alike([STAR, CYCLES, BOOK], 0)
    pairs = torch.randint(0, 3, (100, 2), generator=torch.Generator().manual_seed(0))
    alone = values_and_gradients(encoded, pairs, edge_term=edge_term, threads=1)
    for one, other in zip(alone, values_and_gradients(encoded, pairs, edge_term=edge_term, threads=3), strict=True):
        assert torch.equal(one, other)


def test_joined_graphs_remain_alike() -> None:
    parts = [encoded_alike([graph], 0)[0] for graph in (STAR, CYCLES)]
    assert joined(parts).alike.tolist() == [0, 1, 1, 1, 4, 5, 0, 0, 0, 0, 0, 0, 6]  # type: ignore[union-attr]
    assert joined([parts[0], parts[1]._replace(alike=None)]).alike is None


@pytest.mark.parametrize(
    ("alike", "message"),
    [
        (torch.tensor([0, 1, 1, 1, 4]), "alike must be an int64 for each of the 6 nodes"),
        (torch.zeros(6), "alike must be an int64"),
        (torch.tensor([0, 1, 1, 1, 4, 6]), "first of each class of nodes, got 6 for node 5"),
        (torch.tensor([0, 1, 1, 2, 4, 5]), "first of each class of nodes, got 2 for node 3"),
        (torch.tensor([-1, 1, 1, 1, 4, 5]), "first of each class of nodes, got -1 for node 0"),
    ],
)
def test_what_is_no_partition_is_refused(alike: Tensor, message: str) -> None:
    encoded, _, _ = encoded_alike([STAR], 0)
    with pytest.raises(ModelError, match=message):
        set_terms(encoded._replace(alike=alike), torch.tensor([[0, 0]]))
