"""Embeddings of node pairs by the native core are those by torch."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.pair_embedding import PairEmbedding
from models.layers.batches import SIZES, assert_close, in_type, random_batch, values_and_gradients


def layer(width: int = 10, size: int = 20, dtype: torch.dtype = torch.float64) -> PairEmbedding:
    torch.manual_seed(0)
    return PairEmbedding(width, size).to(dtype)


def vectors(batch: GraphBatch, width: int = 10) -> Tensor:
    random = torch.Generator().manual_seed(2)
    values = torch.randn(len(batch.x), width, generator=random, dtype=torch.float64)
    return values.to(batch.x.dtype).requires_grad_()


def found(of: PairEmbedding, batch: GraphBatch, backend: str, threads: int | None = None) -> list[Tensor]:
    h = vectors(batch, (of.first.in_features - 1) // 2)
    return values_and_gradients(of, [h], lambda: of(h, batch, backend=backend, threads=threads))


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(("width", "size"), [(10, 20), (1, 1), (2, 3), (3, 4), (4, 7), (8, 16), (5, 33)])
def test_values_and_gradients_are_those_of_torch(width: int, size: int, density: float) -> None:
    one, batch = layer(width, size), random_batch(density=density)
    assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-10)


@pytest.mark.parametrize("sizes", [(), (0,), (0, 0), (1,), (7,), (40, 3, 90, 1), (1,) * 300])
def test_few_nodes_and_many(sizes: tuple[int, ...]) -> None:
    one, batch = layer(), random_batch(sizes, density=0.1)
    assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-10)


@pytest.mark.parametrize("size", [5, 8, 20])
def test_single_precision_is_near(size: int) -> None:
    exact = found(layer(size=size), random_batch(), "torch")
    single = found(layer(size=size, dtype=torch.float32), in_type(random_batch(), torch.float32), "native")
    assert single[0].dtype == torch.float32
    assert_close(single, exact, 1e-4)


def test_the_slope_at_zero_is_that_of_torch() -> None:
    one, batch = layer(), random_batch()
    with torch.no_grad():
        one.first.weight.round_(decimals=0)
        one.first.bias.zero_()  # every sum is 0
    assert_close(found(one, batch, "native"), found(one, batch, "torch"), 1e-10)


@pytest.mark.parametrize("size", [3, 5])
def test_gradients_are_those_of_finite_differences(size: int) -> None:
    one, batch = layer(2, size), random_batch((3, 0, 1, 2), density=0.7)
    names = [name for name, _ in one.named_parameters()]

    def run(h: Tensor, *values: Tensor) -> Tensor:
        return torch.func.functional_call(one, dict(zip(names, values, strict=True)), (h, batch), {"backend": "native"})

    values = tuple(value.detach().clone().requires_grad_() for value in one.parameters())
    assert torch.autograd.gradcheck(run, (vectors(batch, 2), *values))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [3, 20])
def test_the_number_of_threads_changes_no_bit(size: int, dtype: torch.dtype) -> None:
    one, batch = layer(size=size, dtype=dtype), in_type(random_batch(SIZES * 12), dtype)
    alone = found(one, batch, "native", 1)
    for threads in (1, 2, 3, 8):
        for this, that in zip(alone, found(one, batch, "native", threads), strict=True):
            assert torch.equal(this, that)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"adjacency": torch.zeros(3, dtype=torch.bool)}, "bits of adjacency: 3 where the offsets ask for 4"),
        ({"sizes": torch.tensor([3, 1])}, "offsets must end with the number of nodes, 5, got 4"),
        ({"sizes": torch.tensor([6, -1])}, "offsets must rise"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Tensor], message: str) -> None:
    batch = random_batch((3, 2))
    with pytest.raises(ModelError, match=message):
        layer()(vectors(batch), replace(batch, **changes), backend="native")


def test_a_backend_that_cannot_is_refused() -> None:
    one, batch = layer(dtype=torch.bfloat16), in_type(random_batch(), torch.bfloat16)
    h = vectors(batch).detach()
    assert one(h, batch)[0].dtype == torch.bfloat16
    with pytest.raises(ModelError, match="float32 or float64 on the CPU; use"):
        one(h, batch, backend="native")
    with pytest.raises(ModelError, match="threads must be at least 1"):
        layer()(h.double(), in_type(batch, torch.float64), threads=0)
