"""SimGNN: the histogram of node similarities, which the default leaves out."""

from __future__ import annotations

import pytest
import torch

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.layers import chunks
from graphedx.models.simgnn import SimGNN, SimGNNConfig, node_histograms
from models.graph_samples import LABELS, PAIRS, doubles, random_graph
from models.literal_baselines import node_histogram

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> SimGNN:
    torch.manual_seed(0)
    return SimGNN(SimGNNConfig(**settings)).double()  # type: ignore[arg-type]


@pytest.mark.parametrize("bins", [1, 7, 16])
@pytest.mark.parametrize("most", [1, 2**19])  # one pair at a time, or all at once
def test_histograms_are_those_of_loops(bins: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST_CELLS", most)
    sizes = torch.tensor([0, 2, 5, 1])
    rows = torch.randn(8, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    parts = torch.split(rows, sizes.tolist())
    pairs = torch.tensor([(1, 2), (2, 1), (2, 2), (0, 3), (3, 0)])
    expected = torch.stack([node_histogram(parts[a], parts[b], bins) for a, b in pairs.tolist()])
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
    model = SimGNN(SimGNNConfig(bins=16))
    batch, pairs = graph_batch(graphs), torch.cartesian_prod(torch.arange(27), torch.arange(27))
    together = model.encode(batch)
    alone = model.joined([model.encode(graph_batch([graph])) for graph in graphs])
    first, second = (node_histograms(one.node, batch.sizes, pairs, 16) for one in (together, alone))
    assert torch.equal(first, second)


def test_the_histogram_has_no_gradient_and_all_weights_have_one() -> None:
    model = model_of(bins=16)
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


@pytest.mark.parametrize("name", ["slices", "hidden", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
        make("simgnn", {name: 0})


def test_a_negative_number_of_bins_is_refused() -> None:
    with pytest.raises(ModelError, match="bins must be between 0 and 1,000,000, got -1"):
        make("simgnn", {"bins": -1})
