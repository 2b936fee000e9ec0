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

import numpy as np

from graphedx._files import AnyPath
from graphedx.errors import FormatError, GraphEdXError, OutputError
from graphedx.matrix.pairs import STOPS, Answer, Answers, Ids

try:
    import fcntl
except ImportError:  # Windows: two runs on one checkpoint are then the user's to avoid
    fcntl = None  # type: ignore[assignment]

_MAGIC = b"graphedx checkpoint 1\n"
_PREFIX = struct.Struct("<II")  # length, CRC-32
_SECONDS_BETWEEN_FLUSHES = 5.0  # to the disk; against a crash of the program alone, every record is safe at once


class Checkpoint:
    """An open journal."""

    def __init__(self, file: IO[bytes], answers: Answers) -> None:
        self._file, self._answers = file, answers
        self._flushed = time.monotonic()

    def append(self, ids: Ids) -> None:
        """Write down the answers to these pairs."""
        if len(ids) == 0:
            return
        content = _packed(ids, self._answers)
        self._file.write(_PREFIX.pack(len(content), zlib.crc32(content)) + content)
        self._file.flush()
        if time.monotonic() - self._flushed > _SECONDS_BETWEEN_FLUSHES:
            os.fsync(self._file.fileno())
            self._flushed = time.monotonic()


@contextmanager
def opened(path: AnyPath, fingerprint: str, answers: Answers) -> Iterator[Checkpoint]:
    """The journal at ``path``, new or old; an old one's answers are put into ``answers`` first.

    Raises:
        FormatError: the file is of other inputs, damaged, or no checkpoint at all; it is left as it is.
        OutputError: the file cannot be written, or another run is writing it.
    """
    try:
        with Path(path).open("a+b") as file:
            _lock(file, path)
            _resume(file, path, fingerprint, answers)
            yield Checkpoint(file, answers)
            os.fsync(file.fileno())
    except OSError as error:
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(
            f"{path}: the checkpoint cannot be written: {(error.strerror or str(error)).lower()}"
        ) from error


def _lock(file: IO[bytes], path: AnyPath) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise OutputError(f"{path}: another run is using this checkpoint; wait for it or choose another path") from None


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
    except (ValueError, IndexError) as error:
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
        _unpack(content[start:end], answers)
        place = end
    return place


def _packed(ids: Ids, answers: Answers) -> bytes:
    columns = (
        ids.astype("<i8"),
        answers.lower[ids].astype("<f8"),
        answers.upper[ids].astype("<f8"),
        answers.nodes[ids].astype("<i8"),
        answers.stops[ids].astype("<i1"),
        np.array([image for k in ids for image in answers.images(int(k))], dtype="<i4"),
    )
    return struct.pack("<I", len(ids)) + b"".join(column.tobytes() for column in columns)


def _unpack(content: bytes, answers: Answers) -> None:
    (count,) = struct.unpack_from("<I", content)
    place = 4
    columns = []
    for kind in ("<i8", "<f8", "<f8", "<i8", "<i1"):
        columns.append(np.frombuffer(content, kind, count, place))
        place += columns[-1].nbytes
    ids, lower, upper, nodes, stops = (column.tolist() for column in columns)
    if not all(0 <= k < len(answers) for k in ids) or not all(0 <= stop < len(STOPS) for stop in stops):
        raise ValueError("a record names a pair that is not there")
    ends = np.cumsum([answers.size(k) for k in ids])
    images = np.frombuffer(content[place:], "<i4")
    if len(images) != ends[-1]:
        raise ValueError("a record does not fit the graphs")
    parts = (part.tolist() for part in np.split(images, ends[:-1]))
    reasons = (STOPS[stop] for stop in stops)
    answers.put(columns[0], list(map(Answer, lower, upper, parts, reasons, nodes)))
