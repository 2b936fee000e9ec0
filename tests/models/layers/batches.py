"""Batches of graphs for tests of encoders, and what a layer gives for them: values, then all gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from graphedx.graph import Graph
from graphedx.models.batching import GraphBatch, graph_batch

SIZES = (0, 1, 5, 2, 0, 9, 3, 20, 1, 12)
LABELS = ("C", "N", "O")


def random_batch(sizes: Sequence[int] = SIZES, density: float = 0.3, seed: int = 0) -> GraphBatch:
    """In double precision, with three node labels."""
    random = torch.Generator().manual_seed(seed)
    graphs = []
    for n in sizes:
        joined = (torch.rand(n, n, generator=random) < density).tril(-1)
        edges = [(u, v) for v, u in joined.nonzero().tolist()]
        labels = [LABELS[int(i)] for i in torch.randint(0, 3, (n,), generator=random)]
        graphs.append(Graph(n, edges, node_labels=labels))
    batch = graph_batch(graphs, LABELS)
    return in_type(batch, torch.float64)


def in_type(batch: GraphBatch, dtype: torch.dtype) -> GraphBatch:
    parts = {name: getattr(batch, name) for name in GraphBatch.__slots__}
    return GraphBatch(**{**parts, "x": batch.x.to(dtype)})


def values_and_gradients(
    layer: nn.Module, leaves: Sequence[Tensor], run: Callable[[], Sequence[Tensor]]
) -> list[Tensor]:
    """What ``run`` gives, then the gradients of a random combination for the leaves and the layer's parameters."""
    outputs = run()
    random = torch.Generator().manual_seed(1)
    weights = [torch.randn(one.shape, generator=random, dtype=torch.float64) for one in outputs]
    total = sum((one * weight.to(one.dtype)).sum() for one, weight in zip(outputs, weights, strict=True))
    gradients = torch.autograd.grad(total, [*leaves, *layer.parameters()], materialize_grads=True)  # type: ignore[arg-type]
    return [one.detach() for one in (*outputs, *gradients)]


def assert_close(found: Sequence[Tensor], expected: Sequence[Tensor], tolerance: float) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        largest = float(other.abs().max()) if other.numel() else 0.0
        torch.testing.assert_close(one.double(), other.double(), rtol=0, atol=tolerance * (1 + largest))
