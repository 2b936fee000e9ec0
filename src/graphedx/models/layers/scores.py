"""From the vectors of two graphs, or from how similar a network finds them, to their distance."""

from __future__ import annotations

import torch
from torch import Tensor

EPSILON = 1e-7


def euclidean(source: Tensor, target: Tensor) -> Tensor:
    """(K,) || x - y ||_2 of rows (K, d); its gradient is 0, not undefined, where they are the same.

    >>> euclidean(torch.tensor([[0.0, 3.0]]), torch.tensor([[4.0, 0.0]]))
    tensor([5.])
    """
    length: Tensor = torch.linalg.vector_norm(source - target, dim=1)
    return length


def cost_guided(source: Tensor, target: Tensor, costs: Tensor) -> Tensor:
    """(K,) the paper's score for vectors: what only the source has is deleted, what only the target has inserted.

    ``1/2 (node_del + edge_del) || relu(x - y) ||_1 + 1/2 (node_ins + edge_ins) || relu(y - x) ||_1``

    >>> costs = torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0, 0.0])
    >>> cost_guided(torch.tensor([[5.0, 0.0]]), torch.tensor([[1.0, 3.0]]), costs)
    tensor([13.])
    """
    difference = source - target
    deletion, insertion = (costs[0:4:2].sum() / 2).to(source), (costs[1:4:2].sum() / 2).to(source)
    return deletion * difference.relu().sum(1) + insertion * (-difference).relu().sum(1)


def distance_of(similarity: Tensor, sizes: Tensor, pairs: Tensor) -> Tensor:
    """(K,) the distance whose normalised form ``exp(-2 GED / (n + n'))`` the similarity is, of graphs of these sizes.

    It is not negative, and at most ``-log(EPSILON) = 16.1`` for each of the (n + n') / 2 nodes.

    >>> distance_of(torch.tensor([0.5]), torch.tensor([3, 5]), torch.tensor([[0, 1]]))
    tensor([2.7726])
    """
    return sizes[pairs].sum(1).to(similarity) / 2 * torch.log(similarity + EPSILON).clamp(max=0).abs()
