"""Whether a layer goes to the native core or stays with torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from threading import Lock
from typing import Any, Literal

import torch
from torch import Tensor

from graphedx.errors import ModelError

Backend = Literal["auto", "native", "torch"]
_NATIVE_TYPES = (torch.float32, torch.float64)
_threads: ContextVar[int | None] = ContextVar("threads of the native core", default=None)


def goes_native(tensor: Tensor, backend: Backend) -> bool:
    """If it can and may: float32 or float64 on the CPU."""
    if backend not in ("auto", "native", "torch"):
        raise ModelError(f"backend must be auto, native or torch, got {backend!r}")
    possible = tensor.device.type == "cpu" and tensor.dtype in _NATIVE_TYPES
    if backend == "native" and not possible:
        raise ModelError("the native core takes float32 or float64 on the CPU; use backend='torch'")
    return possible and backend != "torch"


def threads_of(threads: int | None) -> int:
    """As many as torch uses, by default; inside ``torch_in_one_thread`` as many as it used before."""
    if threads is None:
        threads = _threads.get()
    return torch.get_num_threads() if threads is None else threads


@contextmanager
def torch_in_one_thread() -> Iterator[None]:
    """Meanwhile torch has one thread, and the native core those that torch had.

    Where there is nothing to train, what torch does is too small to share, and its threads wait for each other
    spinning: on two busy cores two of them take ten times as long as one.
    """
    if _threads.get() is not None:  # it is inside already
        yield
        return
    before = _one_thread.enter()
    token = _threads.set(before)
    try:
        yield
    finally:
        _threads.reset(token)
        _one_thread.leave(before)


class _OneThread:
    """How many threads torch had before the first who is inside came: whoever comes later finds one."""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = Lock(), 0, 1

    def enter(self) -> int:
        """Give torch one thread; returns how many are to be given back."""
        with self._lock:
            found = torch.get_num_threads()
            if not self._inside or found != 1:  # torch has numbers of its own for threads that were there before
                self._before = found
            self._inside += 1
            torch.set_num_threads(1)
            return self._before

    def leave(self, before: int) -> None:
        with self._lock:
            self._inside -= 1
            torch.set_num_threads(before)


_one_thread = _OneThread()


def on_the_cpu() -> AbstractContextManager[object]:
    """Meanwhile new tensors of this thread are on the CPU, whatever device the caller has made the default."""
    # Only where it is another one: to enter it makes every call of torch slower.
    return nullcontext() if torch.empty(0).device.type == "cpu" else torch.device("cpu")


def needs_gradient(tensor: Tensor) -> bool:
    """Whether a backward pass may follow: then the forward pass keeps what that needs."""
    return torch.is_grad_enabled() and tensor.requires_grad


def array(tensor: Tensor) -> Any:
    """The numbers of a tensor as the native core takes them, in the same memory where possible."""
    plain = tensor.detach().cpu().contiguous()
    return (plain.view(torch.uint8) if plain.dtype == torch.bool else plain).numpy()
