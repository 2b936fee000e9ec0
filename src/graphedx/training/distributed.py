"""Processes that train one model together, as ``torchrun`` starts them; one alone is the usual case."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn


@dataclass(frozen=True, slots=True)
class Group:
    """This process among those that train together."""

    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the one that writes files and talks."""
        return self.rank == 0

    def share(self, pairs: Tensor) -> Tensor:
        """This process's part of a batch."""
        return pairs[self.rank :: self.size]

    def total(self, value: float) -> float:
        """The sum over all processes, the same bits in each."""
        if self.size == 1:
            return value
        summed = torch.tensor(value, dtype=torch.float64)
        distributed.all_reduce(summed)
        return float(summed)

    def from_first(self, content: bytes) -> bytes:
        """What the first process has; the others may live on machines that do not have its files."""
        if self.size == 1:
            return content
        length = torch.tensor(len(content))
        distributed.broadcast(length, 0)
        received = torch.zeros(int(length), dtype=torch.uint8)
        if self.first and content:
            received.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
        distributed.broadcast(received, 0)
        return received.numpy().tobytes()

    def wrapped(self, model: nn.Module) -> nn.Module:
        """The model, whose gradients are averaged over all processes if there are several."""
        return model if self.size == 1 else nn.parallel.DistributedDataParallel(model)

    def share_buffers(self, model: nn.Module) -> None:
        """Give all processes what the first keeps beside its weights: running statistics are of each one's share."""
        if self.size > 1:
            for buffer in model.buffers():
                distributed.broadcast(buffer, 0)


def current_group() -> Group:
    """The group of this process, as torch.distributed knows it."""
    if distributed.is_available() and distributed.is_initialized():
        return Group(distributed.get_rank(), distributed.get_world_size())
    return Group()


@contextmanager
def joined() -> Iterator[Group]:
    """Join the processes that ``torchrun`` has started beside this one, if it has."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1 or "MASTER_ADDR" not in os.environ:
        yield Group()
        return
    # Its functions have the group as a default argument. What wraps models imports it, and if only then, the group
    # never goes away: its threads live until Python ends, and one that still holds a tensor then aborts the process.
    import torch.distributed.nn.functional  # noqa: F401

    distributed.init_process_group("gloo")
    try:
        yield current_group()
        distributed.barrier()  # whoever is done waits, so that no connection is closed under a process that is not
    finally:
        gc.collect()  # wrapped models are parts of cycles, and must not outlive the group that they belong to
        distributed.destroy_process_group()
