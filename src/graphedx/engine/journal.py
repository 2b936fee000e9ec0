"""A journal of solved pairs: a run that was killed goes on where it was.

The file is a head with the fingerprint of the inputs, then records that are only ever appended. A record is its length,
its CRC-32 and its content. A last record that is cut short is what a crash leaves, and is dropped. Anything else that
does not fit is damage: the whole records before and after it are kept, and a warning says where it is.
"""

from __future__ import annotations

import os
import struct
import time
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import numpy as np

from graphedx._files import AnyPath, as_path, lock
from graphedx.engine.answers import Answers, Block
from graphedx.errors import FormatError, GraphEdXError, OutputError

_MAGIC = b"graphedx checkpoint 2\n"
_PREFIX = struct.Struct("<II")  # length, CRC-32
_SECONDS_BETWEEN_FLUSHES = 5.0  # to the disk; against a crash of the program alone, every record is safe at once
_SMALLEST = _PREFIX.size + 4 + Block.BYTES_A_PAIR  # bytes of a record
_SCANNED_AT_ONCE = 2**20  # bytes, behind damage


class Journal:
    """An open journal."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._flushed = time.monotonic()

    def append(self, block: Block) -> None:
        """Write down these answers."""
        content = block.to_bytes()
        self._file.write(_PREFIX.pack(len(content), zlib.crc32(content)) + content)
        self._file.flush()
        if time.monotonic() - self._flushed > _SECONDS_BETWEEN_FLUSHES:
            os.fsync(self._file.fileno())
            self._flushed = time.monotonic()


@contextmanager
def opened(path: AnyPath, fingerprint: str, answers: Answers) -> Iterator[Journal]:
    """The journal at ``path``, new or old; an old one's answers are put into ``answers`` first.

    Raises:
        FormatError: the file is of other inputs, or no checkpoint at all; it is left as it is.
        OutputError: the file cannot be written, or another run is writing it.
    """
    place = as_path(path)
    if "\0" in str(place):
        raise OutputError("the name of a checkpoint cannot hold a null byte; choose another path")
    try:
        with place.open("a+b") as file:
            if not lock(file.fileno()):
                raise OutputError(f"{path}: another run is using this checkpoint; wait for it or choose another path")
            _resume(file, path, fingerprint, answers)
            yield Journal(file)
            os.fsync(file.fileno())
    except OSError as error:
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(
            f"{path}: the checkpoint cannot be written: {(error.strerror or str(error)).lower()}"
        ) from error


def _resume(file: IO[bytes], path: AnyPath, fingerprint: str, answers: Answers) -> None:
    head = _MAGIC + fingerprint.encode() + b"\n"
    file.seek(0)
    content = file.read()
    if head.startswith(content):  # new, or killed while the head was written
        file.truncate(0)
        file.write(head)
        file.flush()
        return
    if not content.startswith(_MAGIC):
        raise FormatError(f"{path}: this is not a checkpoint of graphedx; choose another path")
    if not content.startswith(head):
        raise FormatError(
            f"{path}: this checkpoint is of other graphs, costs, method or limits; choose another path or delete it"
        )
    try:
        end, damage = _read_records(content, len(head), answers)
    except ValueError as error:
        raise FormatError(f"{path}: the checkpoint is damaged ({error}); delete it to start over") from None
    if damage:
        places = ", ".join(map(str, damage[:3])) + (" ..." if len(damage) > 3 else "")
        warnings.warn(
            f"{path}: the checkpoint is damaged at byte {places}; all else that it holds is kept, and the pairs that "
            "are lost are solved again",
            stacklevel=2,
        )
    file.truncate(end)


def _read_records(content: bytes, place: int, answers: Answers) -> tuple[int, list[int]]:
    """Take over every whole record; returns where the last one ends, and where there is something else.

    Raises:
        ValueError: a whole record is of other pairs.
    """
    end, damage = place, []
    while place < len(content):
        record = _record_at(content, place)
        if record is not None:
            answers.put(Block.from_bytes(record))
            end = place = place + _PREFIX.size + len(record)
            continue
        after = _next_record(content, place + 1)
        if after is not None or not _is_cut_short(content, place):
            damage.append(place)
        place = len(content) if after is None else after
    return end, damage


def _record_at(content: bytes, place: int) -> bytes | None:
    """What the record at this place holds; None if there is no whole one."""
    if place + _PREFIX.size > len(content):
        return None
    length, crc = _PREFIX.unpack_from(content, place)
    start = place + _PREFIX.size
    record = content[start : start + length]
    return record if len(record) == length > 0 and zlib.crc32(record) == crc else None


def _is_cut_short(content: bytes, place: int) -> bool:
    """Whether the record at this place goes on beyond the end."""
    left = len(content) - place - _PREFIX.size
    return left < 0 or _PREFIX.unpack_from(content, place)[0] > left


def _next_record(content: bytes, place: int) -> int | None:
    """Where the first whole record from this place on begins; None if there is none."""
    for start in range(place, len(content), _SCANNED_AT_ONCE):
        for candidate in _plausible_starts(content, start, min(start + _SCANNED_AT_ONCE, len(content))):
            if _record_at(content, candidate) is not None:
                return candidate
    return None


def _plausible_starts(content: bytes, start: int, stop: int) -> list[int]:
    """Of these places, those where what is read as a length is that of a block; so few are left to check."""
    count = min(stop, len(content) - _SMALLEST) - start
    if count <= 0:
        return []
    octets = np.frombuffer(content, np.uint8, count + _SMALLEST, start).astype(np.int64)
    lengths, pairs = (sum(octets[at + k : at + k + count] << 8 * k for k in range(4)) for at in (0, _PREFIX.size))
    images = lengths - 4 - pairs * Block.BYTES_A_PAIR  # what a block begins with is how many pairs it is of
    left = len(content) - _PREFIX.size - start - np.arange(count)
    plausible = (pairs > 0) & (images >= 0) & (images % 4 == 0) & (lengths <= left)
    places: list[int] = (start + np.flatnonzero(plausible)).tolist()
    return places
