"""Whether a layer goes to the native core or stays with torch."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from graphedx.errors import ModelError

Backend = Literal["auto", "native", "torch"]
_NATIVE_TYPES = (torch.float32, torch.float64)


def goes_native(tensor: Tensor, backend: Backend) -> bool:
    """If it can and may: float32 or float64 on the CPU."""
    if backend not in ("auto", "native", "torch"):
        raise ModelError(f"backend must be auto, native or torch, got {backend!r}")
    possible = tensor.device.type == "cpu" and tensor.dtype in _NATIVE_TYPES
    if backend == "native" and not possible:
        raise ModelError("the native core takes float32 or float64 on the CPU; use backend='torch'")
    return possible and backend != "torch"


def threads_of(threads: int | None) -> int:
    """As many as torch uses, by default."""
    return torch.get_num_threads() if threads is None else threads


def array(tensor: Tensor) -> Any:
    """The numbers of a tensor as the native core takes them, in the same memory where possible."""
    plain = tensor.detach().cpu().contiguous()
    return (plain.view(torch.uint8) if plain.dtype == torch.bool else plain).numpy()
