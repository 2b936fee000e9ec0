"""The paper's model: nine combinations against the formulas as written, and the laws that every model obeys."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make, models
from graphedx.models.batching import GraphBatch
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.set_terms import SetTerm
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles, random_graph
from models.literal_model import literal_distance

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)
SWAPPED = COSTS[[1, 0, 3, 2, 4, 5]]
every_node_term = pytest.mark.parametrize("node_term", list(SetTerm))
every_edge_term = pytest.mark.parametrize("edge_term", list(SetTerm))


def model_of(**settings: object) -> GraphEdX:
    torch.manual_seed(0)
    sizes = {"max_nodes": 7, "width": 4, "pair_size": 5, "message": 6, "steps": 3}
    return GraphEdX(GraphEdXConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def gradients(model: GraphEdX, distances: Tensor) -> list[Tensor]:
    weights = torch.randn(distances.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return list(torch.autograd.grad((distances * weights).sum(), list(model.parameters())))


@every_node_term
@every_edge_term
def test_values_and_gradients_are_those_of_the_formulas(node_term: SetTerm, edge_term: SetTerm) -> None:
    model = model_of(node_term=node_term, edge_term=edge_term, node_weight=0.3)
    found = model(doubles(), PAIRS, COSTS)
    expected = torch.stack([literal_distance(model, GRAPHS[a], GRAPHS[b], COSTS) for a, b in PAIRS.tolist()])
    assert expected.abs().max() > 10
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-11)  # 12 digits of the largest
    slopes = gradients(model, expected)
    assert max(float(slope.abs().max()) for slope in slopes) > 10
    for one, other in zip(gradients(model, found), slopes, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-11)


def test_the_published_model_has_3030_parameters() -> None:
    model = GraphEdX(GraphEdXConfig())
    assert sum(parameter.numel() for parameter in model.parameters()) == 3030


def test_a_model_is_made_by_name_and_from_its_own_config() -> None:
    assert "graphedx" in models()
    model = model_of(node_term=SetTerm.XOR)
    again = make("graphedx", model.config.to_json())
    assert again.config == model.config
    with pytest.raises(ModelError, match="no setting 'colour'"):
        make("graphedx", {"colour": 1})
    with pytest.raises(ModelError, match="there is no model 'graphadx'"):
        make("graphadx", {})


@pytest.mark.parametrize("name", ["max_nodes", "width", "pair_size", "message", "features", "steps", "iterations"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("graphedx", {name: size})
    with pytest.raises(ModelError, match="weights; at most"):
        make("graphedx", {"max_nodes": 10**5})


@pytest.mark.parametrize("name", ["node_weight", "consistency_weight", "noise"])
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_factors_that_make_no_sense_are_refused(name: str, value: float) -> None:
    with pytest.raises(ModelError, match=f"{name} must be finite and >= 0"):
        make("graphedx", {name: value})


def test_the_weights_of_a_new_model_depend_on_the_seed_only() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        direct = GraphEdX(GraphEdXConfig()).state_dict()
        torch.manual_seed(3)
        made = make("graphedx", {}).state_dict()
    assert all(torch.equal(direct[name], made[name]) for name in direct)


@every_node_term
@every_edge_term
def test_the_names_of_nodes_do_not_matter(node_term: SetTerm, edge_term: SetTerm) -> None:
    generator = torch.Generator().manual_seed(0)
    renamed = []
    for graph in GRAPHS:
        place = torch.randperm(len(graph), generator=generator).tolist()
        renamed.append(Graph(len(graph), [(place[u], place[v]) for u, v in graph.edge_index]))
    model = model_of(node_term=node_term, edge_term=edge_term)
    torch.testing.assert_close(model(doubles(), PAIRS, COSTS), model(doubles(tuple(renamed)), PAIRS, COSTS))


def test_other_pairs_of_the_batch_do_not_matter() -> None:
    model, batch = model_of(), doubles()
    together = model(batch, PAIRS, COSTS)
    for pair, distance in zip(PAIRS, together, strict=True):
        alone = model(batch.select(pair), torch.tensor([[0, 1]]), COSTS)
        torch.testing.assert_close(alone[0], distance, rtol=0, atol=1e-12)
    assert torch.equal(model(batch, PAIRS.flip(0), COSTS), together.flip(0))
    assert model(batch, PAIRS[:0], COSTS).shape == (0,)


def with_size(model: GraphEdX, max_nodes: int) -> GraphEdX:
    """The same weights at another padding: the alignment's width stays, where GraphEdX would have taken max_nodes."""
    other = model_of(**{**model.config.to_json(), "max_nodes": max_nodes})
    other.alignment = model.alignment
    other.load_state_dict(model.state_dict())
    return other


@every_node_term
@pytest.mark.parametrize("edge_term", [SetTerm.DIFF_ALIGN, SetTerm.XOR])
def test_padding_changes_nothing_where_it_is_aligned_with_padding(node_term: SetTerm, edge_term: SetTerm) -> None:
    # At a temperature where padding takes part in the alignment of nodes the distance does depend on max_nodes. So it
    # always does for edges by AlignDiff: k padding nodes are spread evenly over k others, and S leaves out u' = v', so
    # that only (k - 1) / k of a pair of paddings is carried over to another one.
    batch = doubles((random_graph(6, 0.4, 1), random_graph(6, 0.4, 2)))
    pair = torch.tensor([[0, 1]])
    for temperature, same in ((0.001, True), (1.0, False)):
        model = model_of(node_term=node_term, edge_term=edge_term, temperature=temperature)
        found, wider = model(batch, pair, COSTS), with_size(model, 12)(batch, pair, COSTS)
        assert bool(torch.isclose(found, wider, rtol=1e-6)) is same


@pytest.mark.parametrize("term", [SetTerm.DIFF_ALIGN, SetTerm.XOR])
def test_the_way_back_under_swapped_costs_is_as_far_once_converged(term: SetTerm) -> None:
    # AlignDiff carries the target over to the source, never the other way: only a hard alignment makes it the same.
    model = model_of(node_term=term, edge_term=term, temperature=0.2, iterations=2000)
    batch = doubles()
    torch.testing.assert_close(model(batch, PAIRS, COSTS), model(batch, PAIRS.flip(1), SWAPPED))


def test_costs_weigh_terms() -> None:
    model, batch = model_of(), doubles()
    parts = [model(batch, PAIRS, cost) for cost in torch.diag(COSTS)]
    torch.testing.assert_close(sum(parts), model(batch, PAIRS, COSTS))


def test_too_large_a_graph_is_refused() -> None:
    batch = doubles((Graph(8), Graph(1)))
    with pytest.raises(ModelError, match="at most 7 nodes, got one of 8"):
        model_of()(batch, torch.tensor([[0, 1]]), COSTS)


def test_features_of_another_model_are_refused() -> None:
    with pytest.raises(ModelError, match="takes 1 features a node, got 3"):
        model_of()(doubles(vocabulary=LABELS), PAIRS, COSTS)


def test_no_graphs_at_all() -> None:
    none: GraphBatch = doubles(())
    assert model_of()(none, PAIRS[:0], COSTS).shape == (0,)
