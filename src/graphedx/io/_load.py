"""Getting the bytes of a file, never more of them than the limit."""

from __future__ import annotations

import gzip
import stat
import zlib
from pathlib import Path

from graphedx.errors import FormatError

MAX_BYTES = 256 * 2**20
"""No file larger than this is read, packed or unpacked."""
MAX_NODES = 10_000_000
"""No file may announce more nodes than this."""


def load(path: Path) -> bytes:
    """The content of a file, unpacked if its name ends in ``.gz``; too large a file is refused before it is read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise FormatError("this is neither a file nor a folder")
        _require_size(status.st_size)
        with path.open("rb") as handle:
            content = handle.read(MAX_BYTES + 1)  # it may have grown since
    except OSError as error:
        raise FormatError(reason(error)) from None
    _require_size(len(content))
    return _unpacked(path) if path.suffix.lower() == ".gz" else content


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


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as handle:
            content = handle.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"is not a whole gzip file: {error}") from None
    if len(content) > MAX_BYTES:
        raise FormatError(f"unpacks to more than the limit of {_megabytes(MAX_BYTES)} MB")
    return content


def _require_size(size: int) -> None:
    if size > MAX_BYTES:
        raise FormatError(f"has {_megabytes(size)} MB, more than the limit of {_megabytes(MAX_BYTES)} MB")


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.4g}"
