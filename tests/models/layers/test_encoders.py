"""Node and node-pair embeddings against loops that do what the paper says."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import torch
from torch import Tensor, nn

from graphedx.models.layers.pair_embedding import PairEmbedding, pair_rows
from graphedx.models.layers.propagation import GatedPropagation
from models.graph_samples import GRAPHS, LABELS, doubles
from models.layers.literal import node_pairs
from models.literal_model import features_of, padded, pair_vectors, propagated


def gradients(layer: nn.Module, value: Tensor) -> list[Tensor]:
    weights = torch.randn(value.shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    return list(torch.autograd.grad((value * weights).sum(), list(layer.parameters())))


def assert_close(found: Iterable[Tensor], expected: Iterable[Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("vocabulary", [(), LABELS])
def test_propagation_is_the_loop_over_messages(vocabulary: tuple[str, ...]) -> None:
    torch.manual_seed(0)
    layer = GatedPropagation(max(len(vocabulary), 1), 4, 6, 3).double()
    found = layer(doubles(vocabulary=vocabulary))
    expected = torch.cat([propagated(layer, graph, features_of(graph, vocabulary)) for graph in GRAPHS])
    assert_close([found, *gradients(layer, found)], [expected, *gradients(layer, expected)])


def test_pair_embedding_is_the_network_on_both_concatenations() -> None:
    torch.manual_seed(0)
    width, size = 3, 5
    layer = PairEmbedding(width, size).double()
    batch = doubles()
    h = torch.randn(len(batch.x), width, dtype=torch.float64)
    found, of_padding = layer(h, batch)
    rows, paddings = [], []
    for graph, mine in zip(GRAPHS, torch.split(h, batch.sizes.tolist()), strict=True):
        n = len(graph)
        of_pair = dict(
            zip(map(tuple, node_pairs(n + 2).tolist()), pair_vectors(layer, graph, padded(mine, n + 2)), strict=True)
        )
        rows += [of_pair[u, v] for v in range(1, n + 1) for u in range(v)]
        paddings.append(of_pair[n, n + 1])
    expected = torch.cat((torch.stack(rows), torch.stack(paddings)))
    together = torch.cat((found, of_padding.expand(len(GRAPHS), -1)))
    assert_close([together, *gradients(layer, together)], [expected, *gradients(layer, expected)])


def test_rows_of_pairs_name_both_ends() -> None:
    u, v, joined = pair_rows(doubles(GRAPHS[1:4]))  # 1, 3 and 4 nodes; padding is node 8
    first = {1: 0, 3: 1, 4: 4}
    expected = [
        (first[n] + low, first[n] + high if high < n else 8)
        for n in (1, 3, 4)
        for high in range(1, n + 1)
        for low in range(high)
    ]
    assert list(zip(u.tolist(), v.tolist(), strict=True)) == expected
    assert int(joined.sum()) == sum(graph.num_edges for graph in GRAPHS[1:4])
