"""Faults of the disk, at the n-th operation that changes something: for tests of what is saved."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHANGING = ("fsync", "replace", "rename", "link", "mkdir", "chmod")  # functions of ``os``; removing always works


class Disk:
    """Counts operations; the one of number ``failing`` raises ENOSPC."""

    def __init__(self, failing: int | None = None) -> None:
        self.failing, self.operations, self.log = failing, 0, list[str]()

    def fails(self, name: str) -> bool:
        self.operations += 1
        self.log.append(name)
        return self.operations == self.failing


def full() -> OSError:
    return OSError(errno.ENOSPC, "No space left on device")


class _Raw(io.FileIO):
    """A file whose writes may fail: half of the data is written, and no more from then on."""

    disk: Disk
    is_full = False

    def write(self, data: Any) -> int:
        if self.is_full:
            raise full()
        if self.disk.fails("write"):
            self.is_full = True
            if len(data) < 2:
                raise full()
            return super().write(memoryview(data)[: len(data) // 2])
        return super().write(data)


@contextmanager
def faulty_disk(disk: Disk) -> Iterator[None]:
    """Put the disk below ``os`` and ``io.open``, which ``pathlib`` uses."""
    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGING:
            patch.setattr(os, name, _failing(disk, name, getattr(os, name)))
        patch.setattr(os, "open", _opening(disk, os.open))
        patch.setattr(io, "open", _file_opening(disk, io.open))
        yield


def _failing(disk: Disk, name: str, function: Any) -> Any:
    def call(*arguments: Any, **keywords: Any) -> Any:
        if disk.fails(name):
            raise full()
        return function(*arguments, **keywords)

    return call


def _opening(disk: Disk, function: Any) -> Any:
    def call(path: Any, flags: int, *arguments: Any, **keywords: Any) -> Any:
        if flags & os.O_CREAT and disk.fails("create"):
            raise full()
        return function(path, flags, *arguments, **keywords)

    return call


def _file_opening(disk: Disk, function: Any) -> Any:
    def call(file: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **keywords: Any) -> Any:
        if "r" in mode and "+" not in mode:
            return function(file, mode, buffering, *arguments, **keywords)
        if disk.fails("open"):
            raise full()
        raw = _Raw(file, mode.replace("b", "").replace("t", ""))
        raw.disk = disk
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        encoding, errors, newline = (*arguments, None, None, None)[:3]
        return io.TextIOWrapper(
            buffered,
            keywords.get("encoding", encoding),
            keywords.get("errors", errors),
            keywords.get("newline", newline),
        )

    return call
