"""Message passing by the native core is message passing by torch."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.batching import GraphBatch, graph_batch
from graphedx.models.layers.propagation import GatedPropagation
from models.layers.batches import SIZES, assert_close, in_type, random_batch, values_and_gradients


def layer(width: int = 10, message: int = 20, steps: int = 5, dtype: torch.dtype = torch.float64) -> GatedPropagation:
    torch.manual_seed(0)
    return GatedPropagation(3, width, message, steps).to(dtype)


def found(of: GatedPropagation, batch: GraphBatch, backend: str, threads: int | None = None) -> list[Tensor]:
    return values_and_gradients(of, (), lambda: [of(batch, backend=backend, threads=threads)])


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(("width", "message", "steps"), [(10, 20, 5), (1, 1, 1), (3, 2, 2), (8, 16, 3), (13, 7, 4)])
def test_values_and_gradients_are_those_of_torch(width: int, message: int, steps: int, density: float) -> None:
    one, batch = layer(width, message, steps), random_batch(density=density)
    assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-10)


@pytest.mark.parametrize("sizes", [(), (0,), (0, 0), (1,), (7,), (40, 3, 120, 1), (1,) * 300])
def test_few_nodes_and_many(sizes: tuple[int, ...]) -> None:
    one, batch = layer(), random_batch(sizes, density=0.1)
    assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-10)


def test_no_steps_are_the_encoder_alone() -> None:
    one, batch = layer(steps=0), random_batch()
    assert_close([one(batch)], [one.encoder(batch.x)], 1e-12)
    assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-12)


def test_nodes_that_begin_alike_and_nodes_that_do_not() -> None:
    """Few kinds of input rows, as labels have them: most nodes are computed together with others."""
    one = layer()
    for kinds in (1, 2, 5):
        batch = random_batch((7, 9, 9, 12), density=0.3)
        rows = torch.eye(3, dtype=torch.float64)[torch.arange(len(batch.x)) % kinds % 3]
        batch = replace(batch, x=rows)
        assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-10)


def test_cycles_of_several_graphs_are_one_node() -> None:
    """Nodes that colour refinement does not tell apart have the same bits, in one graph and in several."""
    batch = graph_batch([Graph(3, [(0, 1), (1, 2), (2, 0)]), Graph(5, [(i, (i + 1) % 5) for i in range(5)])])
    h = layer()(replace(batch, x=torch.ones(8, 3, dtype=torch.float64)))
    assert torch.equal(h, h[:1].expand_as(h))


def test_inputs_that_want_gradients_get_their_own() -> None:
    one, batch = layer(), random_batch()
    batch = replace(batch, x=torch.ones_like(batch.x).requires_grad_())
    gradients = []
    for backend in ("native", "torch"):
        weights = torch.arange(one(batch).numel(), dtype=torch.float64).view_as(one(batch))
        (gradient,) = torch.autograd.grad((weights * one(batch, backend=backend)).sum(), batch.x)
        gradients.append(gradient)
    assert_close(gradients[:1], gradients[1:], 1e-10)


def test_a_second_backward_pass_gives_the_same() -> None:
    one = layer()
    h = one(random_batch())
    first = torch.autograd.grad(h.square().sum(), list(one.parameters()), retain_graph=True)
    second = torch.autograd.grad(h.square().sum(), list(one.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_single_precision_is_near() -> None:
    exact = found(layer(), random_batch(), "torch")
    single = found(layer(dtype=torch.float32), in_type(random_batch(), torch.float32), "native")
    assert single[0].dtype == torch.float32
    assert_close(single, exact, 1e-4)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 30.0, 1e4])
def test_gates_are_right_however_far_they_open(scale: float) -> None:
    """One node without edges and one step: h' = (1 - z) n + z h with gates of any size."""
    one = layer(width=8, steps=1, dtype=torch.float32)
    batch = in_type(random_batch((1,) * 50, density=0.0), torch.float32)
    with torch.no_grad():
        one.update.weight_hh.mul_(scale)
        one.update.bias_ih.mul_(scale)
    double = layer(width=8, steps=1)
    double.load_state_dict(one.state_dict())
    exact = double(in_type(batch, torch.float64), backend="torch").detach()
    torch.testing.assert_close(one(batch, backend="native").detach().double(), exact, rtol=2e-6, atol=1e-6)


def test_gradients_are_those_of_finite_differences() -> None:
    one, batch = layer(width=3, message=2, steps=2), random_batch((3, 0, 1, 2), density=0.7)
    names = [name for name, _ in one.named_parameters()]

    def run(*values: Tensor) -> Tensor:
        return torch.func.functional_call(one, dict(zip(names, values, strict=True)), (batch,), {"backend": "native"})

    values = tuple(value.detach().clone().requires_grad_() for value in one.parameters())
    assert torch.autograd.gradcheck(run, values)


def test_arcs_may_have_one_direction_and_any_order() -> None:
    batch = random_batch()
    kept = torch.randperm(batch.edge_index.shape[1], generator=torch.Generator().manual_seed(0))[::2]
    one_way = replace(batch, edge_index=batch.edge_index[:, kept])
    one = layer()
    assert_close(found(one, one_way, "native"), found(one, one_way, "torch"), 1e-10)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_number_of_threads_changes_no_bit(dtype: torch.dtype) -> None:
    one, batch = layer(dtype=dtype), in_type(random_batch(SIZES * 12), dtype)
    alone = found(one, batch, "native", 1)
    for threads in (1, 2, 3, 8):
        for this, that in zip(alone, found(one, batch, "native", threads), strict=True):
            assert torch.equal(this, that)


def test_a_batch_of_one_is_a_batch_of_many() -> None:
    one, batch = layer(dtype=torch.float32), in_type(random_batch(), torch.float32)
    with torch.no_grad():
        h = one.encoder(batch.x)
    one.encoder = torch.nn.Sequential()  # torch's own products may differ with the number of rows
    single = [replace(batch.select(torch.tensor([g])), x=part) for g, part in enumerate(h.split(batch.sizes.tolist()))]
    assert torch.equal(one(replace(batch, x=h)), torch.cat([one(graph) for graph in single]))


def test_numbers_that_are_none_stay_visible() -> None:
    one, batch = layer(), random_batch((3, 2))
    batch.x[0] = float("nan")
    assert one(batch, backend="native")[0].isnan().all()
    assert one(batch, backend="native")[3:].isfinite().all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edge_index": torch.tensor([[0], [4]])}, "arc 0 from node 0 to node 4 does not stay in one of the graphs"),
        ({"edge_index": torch.tensor([[1, -1], [0, 0]])}, "arc 1 from node -1"),
        ({"edge_index": torch.tensor([[1, 2**40], [0, 0]])}, "arc 1 .* have 5 nodes"),
        ({"sizes": torch.tensor([3, 1])}, "offsets must end with the number of nodes, 5, got 4"),
        ({"sizes": torch.tensor([6, -1])}, "offsets must rise"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Tensor], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        layer()(replace(random_batch((3, 2)), **changes), backend="native")


def test_a_backend_that_cannot_is_refused() -> None:
    one, batch = layer(dtype=torch.bfloat16), in_type(random_batch(), torch.bfloat16)
    assert one(batch).dtype == torch.bfloat16
    with pytest.raises(ModelError, match="float32 or float64 on the CPU; use"):
        one(batch, backend="native")
    with pytest.raises(ModelError, match="backend must be auto, native or torch"):
        one(batch, backend="numpy")
    with pytest.raises(ModelError, match="threads must be at least 1"):
        layer()(random_batch(), threads=0)
