"""The neural tensor network: how two vectors are related, in several numbers."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class NeuralTensorNetwork(nn.Module):
    """``relu(x W_k y + V_k [x, y] + b_k)`` for slices k = 1 .. K: (rows, K).

    Reference: Socher, Chen, Manning, Ng: Reasoning With Neural Tensor Networks for Knowledge Base Completion, 2013.
    """

    def __init__(self, width: int, slices: int) -> None:
        super().__init__()
        self.bilinear = nn.Parameter(torch.empty(slices, width, width))
        self.linear = nn.Linear(2 * width, slices)
        bound = math.sqrt(6 / (2 * width))
        nn.init.uniform_(self.bilinear, -bound, bound)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        related = torch.einsum("rd,kde,re->rk", source, self.bilinear, target)
        return torch.relu(related + self.linear(torch.cat([source, target], 1)))
