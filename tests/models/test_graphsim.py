"""GraphSim: images of node similarities in an order of the nodes that is their own, and the network that sees them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv2d, max_pool2d

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models import graphsim
from graphedx.models.base import make, weights_of
from graphedx.models.batching import graph_batch
from graphedx.models.graphsim import WINDOWS, GraphSim, GraphSimConfig, centrality
from graphedx.models.layers.image_convolution import ImageConvolution
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles, random_graph

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> GraphSim:
    torch.manual_seed(0)
    return GraphSim(GraphSimConfig(**{"max_nodes": 7, **settings})).double()  # type: ignore[arg-type]


def same_padding(image: Tensor, kernel: int) -> Tensor:
    before = (kernel - 1) // 2
    return torch.nn.functional.pad(image, (before, kernel - 1 - before) * 2)


@pytest.mark.parametrize(("kernel", "size"), [(10, 7), (10, 20), (4, 5), (3, 6), (1, 3), (2, 1)])
def test_the_convolution_is_conv2d(kernel: int, size: int) -> None:
    torch.manual_seed(kernel)
    layer = ImageConvolution(2, 3, 4, kernel).double()
    images = torch.randn(2, 5, 3, size, size, dtype=torch.float64, requires_grad=True)
    expected = torch.stack(
        [
            conv2d(same_padding(stack, kernel), weight, bias)
            for stack, weight, bias in zip(images, layer.weight, layer.bias, strict=True)
        ]
    )
    found = layer(images)
    torch.testing.assert_close(found, expected)
    inputs, upstream = (images, layer.weight, layer.bias), torch.randn_like(found)
    for one, other in zip(
        torch.autograd.grad(found, inputs, upstream), torch.autograd.grad(expected, inputs, upstream), strict=True
    ):
        torch.testing.assert_close(one, other)


def test_a_new_convolution_is_like_a_new_conv2d() -> None:
    torch.manual_seed(1)
    ours, theirs = ImageConvolution(1, 2, 50, 4), torch.nn.Conv2d(2, 50, 4)
    for one, other in ((ours.weight, theirs.weight), (ours.bias, theirs.bias)):
        assert one.abs().max().item() == pytest.approx(other.abs().max().item(), rel=0.1)


def test_the_most_central_nodes_come_first_and_only_like_ones_tie() -> None:
    #  0 - 1 - 2 - 3 - 4, and 5 at node 3
    found = centrality(graph_batch([Graph(6, [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5)])]), 4)
    assert torch.argsort(found, descending=True, stable=True).tolist() == [3, 2, 1, 4, 5, 0]
    assert found[4] == found[5]
    assert len(found.unique()) == 5


def test_labels_tell_nodes_apart() -> None:
    found = centrality(graph_batch([Graph(3, [(0, 1), (1, 2)], node_labels="CCN")], LABELS), 3)
    assert len(found.unique()) == 3


@pytest.mark.parametrize(("size", "cells"), [(20, (7, 3, 2, 1)), (10, (4, 2, 1, 1)), (32, (11, 4, 2, 1))])
def test_pools_drop_no_cell_and_leave_one(size: int, cells: tuple[int, ...]) -> None:
    """The sizes for 20 and 10 nodes are those of the published network."""
    image = torch.zeros(1, 1, size, size)
    image[..., -1, -1] = 1
    for window, wanted in zip(WINDOWS, cells, strict=True):
        image = max_pool2d(image, window, padding=(window - 1) // 2, ceil_mode=True)
        assert image.shape[2:] == (wanted, wanted)
        assert image[..., -1, -1] == 1


def test_pairs_in_parts_are_pairs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = model_of(), doubles()
    together = model(batch, PAIRS, COSTS)
    monkeypatch.setattr(graphsim, "MOST_CELLS", 1)
    torch.testing.assert_close(model(batch, PAIRS, COSTS), together)


def test_the_names_of_nodes_do_not_matter() -> None:
    graphs = (*GRAPHS, Graph(8, [(i, (i + 1) % 8) for i in range(8)]), random_graph(9, 0.3, 1))
    renamed = []
    for graph in graphs:
        place = torch.randperm(len(graph), generator=torch.Generator().manual_seed(5)).tolist()
        renamed.append(Graph(len(graph), [(place[u], place[v]) for u, v in graph.edge_index]))
    model = model_of(max_nodes=9)
    pairs = torch.cartesian_prod(torch.arange(9), torch.arange(9))
    torch.testing.assert_close(model(doubles(graphs), pairs, COSTS), model(doubles(tuple(renamed)), pairs, COSTS))


def test_graphs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ModelError, match="at most 5 nodes, got one of 6; train one with a larger max_nodes"):
        model_of(max_nodes=5).encode(doubles())


def test_labels_and_costs_are_features() -> None:
    model = model_of(features=3, cost_features=True)
    batch = doubles(vocabulary=LABELS)
    assert not torch.allclose(model(batch, PAIRS[3:], COSTS), model(batch, PAIRS[3:], COSTS + 1))


def test_the_number_of_weights_does_not_depend_on_the_size_of_images() -> None:
    assert weights_of("graphsim", {}) == weights_of("graphsim", {"max_nodes": 50})


def test_the_output_is_the_distance_itself() -> None:
    """Without a sigmoid it may lie anywhere."""
    model = model_of()
    assert model.output == "distance"
    with torch.no_grad():
        model.score[-1].bias.fill_(-100)
    assert model(doubles(), PAIRS, COSTS).max() < 0


@pytest.mark.parametrize("name", ["max_nodes", "channels", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (0, 10**9):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("graphsim", {name: size})
