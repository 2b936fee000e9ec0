"""The way to the native module for checksums: CRC-32C of arrays, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import _native

BLOCK_BYTES = 65536
"""Bytes per block. Reading one graph of a mapped file verifies one block, about 10 µs."""


class BlockChecksums(NamedTuple):
    """The CRC-32C of each block of an array; the last block may be shorter."""

    values: NDArray[np.uint32]
    block_bytes: int


def block_checksums(array: NDArray[Any], block_bytes: int = BLOCK_BYTES) -> BlockChecksums:
    """Compute the checksums of an array's bytes, without holding the GIL."""
    return BlockChecksums(_native.block_checksums(_bytes_of(array), block_bytes), block_bytes)


def damaged_bytes(array: NDArray[Any], expected: BlockChecksums) -> str:
    """Describe the first block that does not match its checksum; "" if all blocks match."""
    found = block_checksums(array, expected.block_bytes).values
    if len(found) != len(expected.values):
        return f"{len(found):,} blocks have {len(expected.values):,} checksums"
    wrong = np.flatnonzero(found != expected.values)
    if not len(wrong):
        return ""
    start = int(wrong[0]) * expected.block_bytes
    return f"bytes {start} to {min(start + expected.block_bytes, array.nbytes)} do not match their checksum"


def block_count(size: int, block_bytes: int) -> int:
    """Return the number of blocks of an array of ``size`` bytes."""
    return -(-size // block_bytes)


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
