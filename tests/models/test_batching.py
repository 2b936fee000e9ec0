"""Batches of graphs."""

from __future__ import annotations

from itertools import combinations

import pytest
import torch

from graphedx import Graph
from graphedx.errors import GraphError
from graphedx.models import batching
from graphedx.models.batching import GraphBatch, graph_batch, join_batches
from models.graph_samples import GRAPHS, LABELS


def assert_same(one: GraphBatch, other: GraphBatch) -> None:
    for name in GraphBatch.__slots__:
        assert torch.equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("vocabulary", [(), LABELS])
@pytest.mark.parametrize("chosen", [[], [3], [0], [6, 2, 2, 0, 5], list(range(7)), [5, 0]])
def test_selecting_is_building_anew(chosen: list[int], vocabulary: tuple[str, ...]) -> None:
    everything = graph_batch(GRAPHS, vocabulary)
    selected = everything.select(torch.tensor(chosen, dtype=torch.int64))
    assert_same(selected, graph_batch([GRAPHS[i] for i in chosen], vocabulary))
    assert len(selected) == len(chosen)


@pytest.mark.parametrize("vocabulary", [(), LABELS])
@pytest.mark.parametrize("cuts", [[7], [0, 7], [3, 4], [1, 5, 1]])
def test_joining_is_building_at_once(cuts: list[int], vocabulary: tuple[str, ...]) -> None:
    everything = graph_batch(GRAPHS, vocabulary)
    parts = [everything.select(some) for some in torch.arange(7).split(cuts)]
    assert_same(join_batches(parts), everything)


def test_a_batch_is_its_graphs_one_after_the_other() -> None:
    batch = graph_batch(GRAPHS, LABELS)
    nodes = torch.tensor([len(graph) for graph in GRAPHS])
    assert torch.equal(batch.sizes, nodes)
    assert batch.node_starts.tolist() == [0, *torch.cumsum(nodes, 0).tolist()]
    for i, graph in enumerate(GRAPHS):
        mine = slice(int(batch.node_starts[i]), int(batch.node_starts[i + 1]))
        assert batch.graph_of_node[mine].tolist() == [i] * len(graph)
        assert [LABELS[int(place)] for place in batch.label[mine]] == list(graph.node_labels)
        assert torch.equal(batch.x[mine].argmax(1), batch.label[mine])
        assert batch.degree[mine].tolist() == [sum(u in edge for edge in graph.edge_index) for u in range(len(graph))]
    assert torch.equal(batch.x.sum(1), torch.ones(int(nodes.sum())))


def test_pairs_come_by_their_higher_end() -> None:
    graph = Graph(4, [(0, 2), (1, 3)])
    pairs = sorted(combinations(range(4), 2), key=lambda pair: pair[::-1])
    assert graph_batch([graph]).adjacency.tolist() == [pair in {(0, 2), (1, 3)} for pair in pairs]


def test_edges_have_both_directions() -> None:
    batch = graph_batch([Graph(1), Graph(3, [(0, 1), (1, 2)])])
    assert set(zip(*batch.edge_index.tolist(), strict=True)) == {(1, 2), (2, 1), (2, 3), (3, 2)}
    assert batch.edges.tolist() == [0, 2]


def test_no_graphs_at_all() -> None:
    batch = graph_batch([])
    assert len(batch) == 0
    assert batch.x.shape == (0, 1)
    assert batch.edge_index.shape == (2, 0)


def test_what_the_models_cannot_take_is_refused() -> None:
    with pytest.raises(GraphError, match="directed"):
        graph_batch([Graph(2, [(0, 1)], directed=True)])
    with pytest.raises(GraphError, match="node label 'Xe'"):
        graph_batch([Graph(1, node_labels=["Xe"])], LABELS)


@pytest.mark.parametrize("structural", [False, True])
def test_a_graph_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch, structural: bool) -> None:
    monkeypatch.setattr(batching, "MOST_NODES", 5)
    graph_batch([Graph(5)], structural=structural)
    with pytest.raises(GraphError, match=r"more than 5 nodes, which no model takes; ged does"):
        graph_batch([Graph(2), Graph(6)], structural=structural)
