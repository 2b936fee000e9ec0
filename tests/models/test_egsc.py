"""EGSC: gates, fusion of two graphs' vectors at every layer, and batch normalisation over graphs, not over pairs."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.egsc import Egsc, Fusion, Gate
from models.graph_samples import GRAPHS, PAIRS, doubles

COSTS = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


def egsc(**settings: object) -> Egsc:
    torch.manual_seed(0)
    model = make("egsc", settings)
    assert isinstance(model, Egsc)
    return model


def gated(gate: Gate, row: Tensor, squash: type[nn.Module]) -> list[float]:
    """Number after number."""
    narrow, _, wide = gate.gate[0]
    middle = [max(0.0, float(weight @ row + bias)) for weight, bias in zip(narrow.weight, narrow.bias, strict=True)]
    shares = [float(weight @ torch.tensor(middle) + bias) for weight, bias in zip(wide.weight, wide.bias, strict=True)]
    function = math.tanh if squash is nn.Tanh else lambda x: 1 / (1 + math.exp(-x))
    return [x * function(share) + x for x, share in zip(row.tolist(), shares, strict=True)]


@pytest.mark.parametrize("squash", [nn.Tanh, nn.Sigmoid])
def test_gates_let_everything_through_and_some_more(squash: type[nn.Module]) -> None:
    torch.manual_seed(0)
    gate, rows = Gate(9, squash), torch.randn(3, 9)
    assert gate.gate[0][0].out_features == 2  # a bottleneck
    with torch.no_grad():
        for row, found in zip(rows, gate(rows), strict=True):
            assert found.tolist() == pytest.approx(gated(gate, row, squash), rel=1e-4)


def test_fusion_gates_both_vectors_together() -> None:
    torch.manual_seed(0)
    fusion, source, target = Fusion(4), torch.randn(1, 4), torch.randn(1, 4)
    with torch.no_grad():
        both = torch.tensor(gated(fusion.gate, torch.cat([source[0], target[0]]), nn.Sigmoid))
        hidden = (fusion.network[0].weight @ both + fusion.network[0].bias).clamp(min=0)
        wanted = (fusion.network[2].weight @ hidden + fusion.network[2].bias).clamp(min=0)
        torch.testing.assert_close(fusion(source, target)[0], wanted)
        assert wanted.shape == (2,)
        # Each half of the gate hears of the other half: that is the fusion.
        changed = fusion.gate(torch.cat([source, 2 * target], 1)) - fusion.gate(torch.cat([source, target], 1))
        assert bool(changed[0, :4].any())


def test_every_layer_is_fused_and_all_are_judged_together() -> None:
    model, batch = egsc(width=4).double().eval(), doubles()
    with torch.no_grad():
        vectors, found = model.encode(batch), model(batch, PAIRS, COSTS)
        assert vectors.shape == (len(GRAPHS), 3, 4)
        for (i, j), distance in zip(PAIRS.tolist(), found.tolist(), strict=True):
            fused = [model.fusions[at](vectors[i, at][None], vectors[j, at][None]) for at in (2, 1, 0)]
            gated_all = model.gate(torch.cat(fused, 1))
            similarity = 1 / (1 + math.exp(-float(model.score(gated_all))))
            wanted = -(len(GRAPHS[i]) + len(GRAPHS[j])) / 2 * math.log(similarity + 1e-7)
            assert distance == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_vectors_are_pooled_after_a_gate() -> None:
    """Sums over nodes, each as much as it is like the mean: the attention of SimGNN, on gated vectors."""
    model, graph = egsc(layers=1, width=4).double().eval(), GRAPHS[4]
    batch = doubles((graph,))
    with torch.no_grad():
        h = model.layers[0](batch.x, batch.edge_index).relu()
        rows = [torch.tensor(gated(model.gates[0].float(), row.float(), nn.Tanh)).double() for row in h]
        context = torch.tanh(model.pools[0].context.weight @ (sum(rows) / len(rows)))
        wanted = sum(torch.sigmoid(row @ context) * row for row in rows)
        model.double()
        torch.testing.assert_close(model.encode(batch)[0, 0], wanted, rtol=1e-4, atol=1e-6)


def test_statistics_are_over_graphs_not_over_pairs() -> None:
    """However often a graph is paired, it counts once; in inference nothing is counted."""
    batch = graph_batch(GRAPHS)
    once, often = egsc(), egsc()
    once(batch, PAIRS, COSTS)
    often(batch, PAIRS.repeat(5, 1), COSTS)
    states = [dict(model.named_buffers()) for model in (once, often)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    mean = states[0]["layers.0.nn.3.module.running_mean"]
    assert bool(mean.any())
    before = mean.clone()
    once.eval()(batch, PAIRS, COSTS)
    assert torch.equal(states[0]["layers.0.nn.3.module.running_mean"], before)


@pytest.mark.parametrize("graphs", [GRAPHS, GRAPHS[:1], GRAPHS[1:2], GRAPHS[:2]], ids=["all", "empty", "one", "two"])
def test_gradients_are_finite(graphs: tuple[Graph, ...]) -> None:
    """With batches of no node and of one, of which there is no variance, too."""
    model = egsc()
    pairs = PAIRS if len(graphs) > 2 else torch.tensor([[0, 0], [0, len(graphs) - 1]])
    (model(graph_batch(graphs), pairs, COSTS) - 1).square().mean().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and bool(weight.grad.isfinite().all()), name
        assert bool(weight.grad.any()) or len(graphs) <= 2, name


@pytest.mark.parametrize("width", [1, 2, 3])
def test_narrow_ones_have_no_empty_layers(width: int) -> None:
    assert egsc(width=width).eval()(graph_batch(GRAPHS), PAIRS, COSTS).shape == (len(PAIRS),)


@pytest.mark.parametrize(("settings", "says"), [({"hidden": 0}, "hidden must be"), ({"width": 0}, "width must be")])
def test_bad_settings_are_refused(settings: dict[str, object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        make("egsc", settings)
