"""H2MN: walks in exact fractions; convolution, PageRank, matching and pooling against what they stand for."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.nn import HypergraphConv

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.h2mn import H2MN, H2MNConfig, kept
from graphedx.models.layers import chunks
from graphedx.models.layers.hypergraph import Hypergraphs, incidence, walk_hypergraphs
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles, random_graph
from models.literal_baselines import matches
from models.literal_layers import hyperedge_of

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0, 0.0], dtype=torch.float64)
MORE = (*GRAPHS, random_graph(12, 0.2, 7), Graph(9, [(0, leaf) for leaf in range(1, 9)]))


def model_of(**settings: object) -> H2MN:
    """With biases: without them the vectors of nodes with constant features are parallel, and all cosines are 1."""
    torch.manual_seed(0)
    model = H2MN(H2MNConfig(**settings)).double()  # type: ignore[arg-type]
    for weight in model.parameters():
        weight.data += 0.1 * torch.rand(weight.shape, dtype=torch.float64)
    return model


@pytest.mark.parametrize("steps", [1, 3, 5])
def test_hyperedges_are_the_nodes_that_walks_visit_most(steps: int) -> None:
    found = incidence(graph_batch(MORE), steps)
    for graph, members in zip(MORE, found, strict=True):
        hyperedges = [set(row.nonzero()[:, 0].tolist()) for row in members[: len(graph)]]
        assert hyperedges == [hyperedge_of(graph, u, steps) for u in range(len(graph))]
        assert not members[len(graph) :].any()


def test_hyperedges_of_small_graphs() -> None:
    path, star = Graph(5, [(0, 1), (1, 2), (2, 3), (3, 4)]), Graph(4, [(0, 1), (0, 2), (0, 3)])
    members = incidence(graph_batch([path, star, Graph(2)]), 3)
    assert members[0, 0].tolist() == [True, True, True, False, False]
    # From a leaf, the hub and the leaf itself are ahead, the other two leaves tie: all are in.
    assert members[1, 1].tolist() == [True, True, True, True, False]
    assert members[2, :2, :2].tolist() == [[True, False], [False, True]]


def test_the_matrices_are_those_of_the_convolution_and_of_pagerank() -> None:
    graph = MORE[-2]
    batch = doubles((graph,))
    dense = walk_hypergraphs(batch, 5)
    mean, back, rank = (matrix[0] for matrix in dense)
    hyperedge, node = incidence(batch, 5)[0].nonzero().T
    published = HypergraphConv(4, 3).double()
    x = torch.randn(len(graph), 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = published(x, torch.stack([node, hyperedge]))
    torch.testing.assert_close(back @ mean @ published.lin(x) + published.bias, expected)
    first = x[:, 0].sigmoid()
    value = first
    for _ in range(10):
        value = 0.9 * back @ (mean @ value) + 0.1 * first
    torch.testing.assert_close(rank @ first, mean @ value)


def test_matrices_come_back_as_they_were() -> None:
    batch = doubles(MORE)
    dense = walk_hypergraphs(batch, 5)
    which = torch.tensor([7, 0, 8, 2, 2])
    for one, other in zip(dense.flat(batch.sizes).padded(batch.sizes, which), dense, strict=True):
        torch.testing.assert_close(one, other[which])


def test_hyperedges_of_other_weights_count_so_much_less() -> None:
    """Hyperedges that are partly kept are matched by their weights; padding is not matched at all."""
    level = model_of(width=3)._level(0)
    columns = torch.rand(2, 3, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64) + 0.1
    columns[1, :, 3] = 0  # the second graph has one hyperedge less
    weight = torch.tensor([[1.0, 1.0, 0.25, 0.0], [1.0, 0.5, 1.0, 0.0]], dtype=torch.float64)
    found = level.matched(columns, weight).transpose(1, 2)
    source, target = list(columns[0].T), list(columns[1, :, :3].T)
    torch.testing.assert_close(found[0], matches(source, target, weight[1, :3], level.perspectives))
    torch.testing.assert_close(found[1, :3], matches(target, source, weight[0], level.perspectives))
    assert not found[1, 3].any()


def test_padded_pooling_is_that_of_rows() -> None:
    pooling = model_of().levels[0].pooling
    batch = doubles()
    rows = torch.randn(len(batch.x), 10, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    columns = torch.randn(len(batch), 10, 6, dtype=torch.float64)  # whatever is in the padding
    weight = torch.zeros(len(batch), 6, dtype=torch.float64)
    for number, part in enumerate(torch.split(rows, batch.sizes.tolist())):
        columns[number, :, : len(part)] = part.T
        weight[number, : len(part)] = 1
    torch.testing.assert_close(pooling.padded(columns, weight), pooling(rows, batch))


def test_the_best_hyperedges_are_kept_and_those_that_tie_with_them() -> None:
    scores = torch.tensor([[0.2, 0.9, 0.2, 0.5, 0.1], [0.3, 0.7, 0.9, 0.9, 0.9], [0.495, 0.5, 0.48, 0.1, 0.0]])
    found = kept(scores, torch.tensor([5, 2, 2]), 0.5)
    expected = torch.tensor([[1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0, 0.0]])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert kept(scores, torch.tensor([5, 0, 3]), 0.8).sum(1).tolist() == [4, 0, 3]  # ceil(2.4) of three


def test_vectors_of_the_second_level_depend_on_the_other_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = model_of(), doubles()
    encoded = model.encode(batch)
    seen: list[Tensor] = []
    original = model._level(1).hyperedges

    def watched(mixed: Tensor, graphs: Hypergraphs) -> tuple[Tensor, Tensor]:
        seen.append(mixed)
        return original(mixed, graphs)

    monkeypatch.setattr(model.levels[1], "hyperedges", watched)
    for other in (2, 3):
        model.compare(batch, encoded, torch.tensor([[4, other]]), COSTS)
    assert not torch.allclose(seen[0][0], seen[1][0])
    assert (model.interaction, model.output) == ("early", "distance")


def test_parts_of_the_work_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = model_of(), doubles(MORE)
    pairs = torch.cartesian_prod(torch.arange(9), torch.arange(9))
    together = model(batch, pairs, COSTS)
    monkeypatch.setattr(chunks, "MOST_CELLS", 200)
    torch.testing.assert_close(model(batch, pairs, COSTS), together)


@pytest.mark.parametrize("settings", [{}, {"layers": 1}, {"layers": 2, "ratio": 1.0, "width": 1, "steps": 1}])
def test_the_names_of_nodes_do_not_matter(settings: dict[str, object]) -> None:
    model = model_of(**settings)
    renamed = []
    for graph in MORE:
        place = torch.randperm(len(graph), generator=torch.Generator().manual_seed(5)).tolist()
        renamed.append(Graph(len(graph), [(place[u], place[v]) for u, v in graph.edge_index]))
    pairs = torch.cartesian_prod(torch.arange(9), torch.arange(9))
    torch.testing.assert_close(model(doubles(MORE), pairs, COSTS), model(doubles(tuple(renamed)), pairs, COSTS))


def test_labels_and_costs_are_features() -> None:
    model = model_of(features=3, cost_features=True)
    batch = doubles(vocabulary=LABELS)
    assert not torch.allclose(model(batch, PAIRS[3:], COSTS), model(batch, PAIRS[3:], COSTS + 1))


def test_settings_that_make_no_sense_are_refused() -> None:
    for name in ("steps", "layers", "width"):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("h2mn", {name: 0})
    for ratio in (0.0, -1.0, 1.5, float("nan")):
        with pytest.raises(ModelError, match="ratio must be > 0 and at most 1"):
            make("h2mn", {"ratio": ratio})
