"""Getting the bytes of a file, never more of them than the limit."""

from __future__ import annotations

import gzip
import re
import stat
import zlib
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO

from graphedx.errors import FormatError

MAX_BYTES = 256 * 2**20
"""No file larger than this is read, packed or unpacked."""
MAX_RATIO = 200
"""No ``.gz`` file may unpack to more than this many times its size; text of many small graphs reaches about 100."""
MAX_LONG_NUMBERS = 1_000
"""No file may hold more whole numbers of more than 20 digits, see ``require_short_numbers``."""
_LONG_NUMBER = re.compile(r'(?<![\w".])[+-]?[0-9]{21,}(?![\w".])')
_CHUNK = 2**18
_SMALL = 2**16  # bytes; a packed file below this size may grow as if it had it: tiny files pack well


def load(path: Path) -> bytes:
    """The content of a file, unpacked if its name ends in ``.gz``; too large a file is refused before it is read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise FormatError("this is neither a file nor a folder")
        _require_size(status.st_size)
        with path.open("rb") as handle:
            content = _read(handle, MAX_BYTES + 1)  # it may have grown since
    except OSError as error:
        raise FormatError(reason(error)) from None
    _require_size(len(content))
    return _unpacked(content) if path.suffix.lower() == ".gz" else content


def reason(error: OSError) -> str:
    """Why the system would not let us read, in its own words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return f"cannot be read: {(error.strerror or str(error)).lower()}"


def decode(content: bytes) -> str:
    """UTF-8 text, with or without a byte order mark."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"is not UTF-8 text: byte {error.start} is {content[error.start]:#04x}") from None


def require_short_numbers(text: str) -> None:
    """Refuse text with many whole numbers of more than 20 digits.

    Python hashes whole numbers modulo 2**61 - 1, so that larger ones can be chosen to collide in every dictionary, and
    a file of a megabyte would take minutes.
    """
    if sum(1 for _ in islice(_LONG_NUMBER.finditer(text), MAX_LONG_NUMBERS + 1)) > MAX_LONG_NUMBERS:
        raise FormatError(
            f"has more than the limit of {MAX_LONG_NUMBERS} whole numbers of more than 20 digits; write them as text"
        )


def _unpacked(packed: bytes) -> bytes:
    limit = min(MAX_BYTES, MAX_RATIO * max(len(packed), _SMALL))
    try:
        with gzip.GzipFile(fileobj=BytesIO(packed)) as handle:
            content = _read(handle, limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"is not a whole gzip file: {error}") from None
    if len(content) > limit:
        raise FormatError(
            f"unpacks to more than the limit of {_megabytes(limit)} MB for a packed file of {len(packed):,} bytes"
        )
    return content


def _read(handle: IO[bytes] | gzip.GzipFile, most: int) -> bytes:
    """Read in parts: one large ``read`` takes memory for all that it may return."""
    parts = []
    while most > 0 and (part := handle.read(min(most, _CHUNK))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _require_size(size: int) -> None:
    if size > MAX_BYTES:
        raise FormatError(f"has {_megabytes(size)} MB, more than the limit of {_megabytes(MAX_BYTES)} MB")


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.4g}"
