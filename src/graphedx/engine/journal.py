"""A journal of solved pairs: a run that was killed goes on where it was.

The file is a head with the fingerprint of the inputs, then records that are only ever appended. A record is its length,
its CRC-32 and its content. A last record that is cut short is what a crash leaves, and is dropped; anything else that
does not fit is damage, and is refused.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from graphedx._files import AnyPath, lock
from graphedx.engine.answers import Answers, Block
from graphedx.errors import FormatError, GraphEdXError, OutputError

_MAGIC = b"graphedx checkpoint 2\n"
_PREFIX = struct.Struct("<II")  # length, CRC-32
_SECONDS_BETWEEN_FLUSHES = 5.0  # to the disk; against a crash of the program alone, every record is safe at once


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
        FormatError: the file is of other inputs, damaged, or no checkpoint at all; it is left as it is.
        OutputError: the file cannot be written, or another run is writing it.
    """
    try:
        with Path(path).open("a+b") as file:
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
        file.truncate(_read_records(content, len(head), answers))
    except ValueError as error:
        raise FormatError(f"{path}: the checkpoint is damaged ({error}); delete it to start over") from None


def _read_records(content: bytes, place: int, answers: Answers) -> int:
    """Take over every whole record; returns where they end."""
    while place + _PREFIX.size <= len(content):
        length, crc = _PREFIX.unpack_from(content, place)
        start, end = place + _PREFIX.size, place + _PREFIX.size + length
        if end > len(content):
            break
        if length == 0 or zlib.crc32(content[start:end]) != crc:
            raise ValueError(f"bad record at byte {place}")
        answers.put(Block.from_bytes(content[start:end]))
        place = end
    return place
