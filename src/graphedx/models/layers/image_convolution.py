"""Convolution of small images by large kernels, for several stacks of images at once, each with kernels of its own."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import pad


class ImageConvolution(nn.Module):
    """What ``Conv2d(channels, outputs, kernel, padding="same")`` is, one for each of S stacks.

    A row of the result is a matrix product: of the ``kernel`` rows around it, with a matrix that has the kernel's own
    rows, shifted, as its columns. On a CPU that takes less time than Conv2d where kernels are of the size of the
    images.
    """

    def __init__(self, stacks: int, channels: int, outputs: int, kernel: int) -> None:
        super().__init__()
        bound = 1 / math.sqrt(channels * kernel**2)  # as Conv2d
        shape = (stacks, outputs, channels, kernel, kernel)
        self.weight = nn.Parameter(nn.init.uniform_(torch.empty(shape), -bound, bound))
        self.bias = nn.Parameter(nn.init.uniform_(torch.empty(stacks, outputs), -bound, bound))

    def forward(self, images: Tensor) -> Tensor:
        """(S, K, channels, height, width) -> (S, K, outputs, height, width)"""
        stacks, number, channels, height, width = images.shape
        outputs, kernel = self.weight.shape[1], self.weight.shape[-1]
        before = (kernel - 1) // 2
        rows = pad(images, (0, 0, before, kernel - 1 - before)).unfold(3, kernel, 1)  # (S, K, c, height, width, kernel)
        rows = rows.permute(0, 1, 3, 2, 5, 4).reshape(stacks, number * height, channels * kernel * width)
        found = torch.bmm(rows, self._shifted(width, before))  # (S, K height, outputs width)
        found = found.view(stacks, number, height, outputs, width).transpose(2, 3)
        return found + self.bias[:, None, :, None, None]

    def _shifted(self, width: int, before: int) -> Tensor:
        """(S, channels kernel width, outputs width)"""
        at = torch.arange(width, device=self.weight.device)
        place = at[:, None] - at + before
        inside = (place >= 0) & (place < self.weight.shape[-1])
        shifted = (
            self.weight[..., place.clamp(0, self.weight.shape[-1] - 1)] * inside
        )  # (S, o, c, kernel, width, width)
        return shifted.permute(0, 2, 3, 4, 1, 5).reshape(len(shifted), -1, shifted.shape[1] * width)
