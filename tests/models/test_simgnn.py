"""SimGNN: the histogram of node similarities and the whole network, against the formulas written as loops."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.layers import chunks
from graphedx.models.simgnn import SimGNN, SimGNNConfig, node_histograms
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles, random_graph

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> SimGNN:
    torch.manual_seed(0)
    return SimGNN(SimGNNConfig(**settings)).double()  # type: ignore[arg-type]


def literal_convolutions(model: SimGNN, graph: Graph, x: Tensor) -> Tensor:
    neighbours = [{u, *(a + b - u for a, b in graph.edge_index if u in (a, b))} for u in range(len(graph))]
    for number, layer in enumerate(model.nodes.layers, 1):
        weight, bias = layer.lin.weight, layer.bias
        x = torch.stack(
            [
                sum((weight @ x[v] / math.sqrt(len(neighbours[u]) * len(neighbours[v])) for v in neighbours[u]), bias)
                for u in range(len(graph))
            ]
        )
        x = x.relu() if number < len(model.nodes.layers) else x
    return x


def literal_histogram(x: Tensor, y: Tensor, bins: int) -> Tensor:
    x, y = x.detach(), y.detach()
    size, counts = max(len(x), len(y)), [0] * bins
    for u in range(size):
        for v in range(size):
            value = float(torch.sigmoid(x[u] @ y[v])) if u < len(x) and v < len(y) else 0.5
            counts[min(int(value * bins + 1e-6), bins - 1)] += 1
    return torch.tensor(counts, dtype=torch.float64) / size**2


def literal_distance(model: SimGNN, source: Graph, target: Graph) -> Tensor:
    ends = [literal_convolutions(model, graph, torch.ones(len(graph), 1).double()) for graph in (source, target)]
    vectors = []
    for x in ends:
        context = torch.tanh(model.pooling.context.weight @ x.mean(0))
        vectors.append(sum((torch.sigmoid(row @ context) * row for row in x), torch.zeros(x.shape[1]).double()))
    g, h = vectors
    network = model.tensor_network
    linear = network.linear.weight @ torch.cat([g, h]) + network.linear.bias
    related = torch.stack([torch.relu(g @ w @ h + b) for w, b in zip(network.bilinear, linear, strict=True)])
    both = torch.cat([related, literal_histogram(*ends, model.config.bins)])
    hidden = torch.relu(model.hidden.weight @ both + model.hidden.bias)
    similarity = torch.sigmoid(model.similarity.weight[0] @ hidden + model.similarity.bias[0])
    return -(len(source) + len(target)) / 2 * torch.log(similarity + 1e-7)


def test_distances_are_those_of_the_formulas() -> None:
    model = model_of()
    there = [(a, b) for a, b in PAIRS.tolist() if len(GRAPHS[a]) and len(GRAPHS[b])]
    expected = torch.stack([literal_distance(model, GRAPHS[a], GRAPHS[b]) for a, b in there])
    assert len(expected) > 5
    torch.testing.assert_close(model(doubles(), torch.tensor(there), COSTS), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("bins", [1, 7, 16])
@pytest.mark.parametrize("most", [1, 2**19])  # one pair at a time, or all at once
def test_histograms_are_those_of_loops(bins: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST_CELLS", most)
    sizes = torch.tensor([0, 2, 5, 1])
    rows = torch.randn(8, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    parts = torch.split(rows, sizes.tolist())
    pairs = torch.tensor([(1, 2), (2, 1), (2, 2), (0, 3), (3, 0)])
    expected = torch.stack([literal_histogram(parts[a], parts[b], bins) for a, b in pairs.tolist()])
    found = node_histograms(rows, sizes, pairs, bins)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(found.sum(1), torch.ones(5, dtype=torch.float64))
    assert node_histograms(rows, sizes, torch.tensor([[0, 0]]), bins).tolist() == [[0.0] * bins]


def test_what_is_a_half_but_for_rounding_is_in_one_bin() -> None:
    rows = torch.tensor([[1.0], [1e-15], [-1e-15], [0.0]], dtype=torch.float64)
    assert node_histograms(rows, torch.tensor([1, 3]), torch.tensor([[0, 1]]), 4).tolist() == [[0.0, 0.0, 1.0, 0.0]]


def test_rounding_moves_nothing_across_the_edges_of_bins() -> None:
    """All in single precision: the similarities of symmetric nodes are the same in whatever order they are summed."""
    graphs = [Graph(n, [(i, (i + 1) % n) for i in range(n)]) for n in range(3, 20)]
    graphs += [random_graph(12, 0.3, seed) for seed in range(10)]
    torch.manual_seed(2)
    model = SimGNN(SimGNNConfig())
    batch, pairs = graph_batch(graphs), torch.cartesian_prod(torch.arange(27), torch.arange(27))
    together = model.encode(batch)
    alone = model.joined([model.encode(graph_batch([graph])) for graph in graphs])
    first, second = (node_histograms(one.node, batch.sizes, pairs, 16) for one in (together, alone))
    assert torch.equal(first, second)


def test_the_histogram_has_no_gradient_and_all_weights_have_one() -> None:
    model = model_of()
    encoded = model.encode(doubles(), COSTS)
    assert not encoded.node.requires_grad
    model(doubles(), PAIRS, COSTS).square().sum().backward()  # type: ignore[no-untyped-call]
    assert all(weight.grad is not None and bool(weight.grad.abs().sum() > 0) for weight in model.parameters())


def test_labels_and_costs_are_features() -> None:
    model = model_of(features=3, cost_features=True)
    batch = doubles(vocabulary=LABELS)
    assert not torch.allclose(model(batch, PAIRS[3:], COSTS), model(batch, PAIRS[3:], COSTS + 1))
    with pytest.raises(ModelError, match="takes 3 features a node, got 1"):
        model(doubles(), PAIRS, COSTS)


def test_it_has_about_as_many_weights_as_the_papers_1773() -> None:
    assert sum(weight.numel() for weight in make("simgnn", {}).parameters()) == 1725


@pytest.mark.parametrize("name", ["slices", "bins", "hidden", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
        make("simgnn", {name: 0})
