"""Lines that are only ever appended: what a kill leaves is all of them, and at most a torn last one, which is cut."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphedx.errors import ExperimentError, OutputError


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, as far as they are whole; none if there is no file.

    Raises:
        ExperimentError: a line that is not the last is no object; the message names it.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ExperimentError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    for number, line in enumerate(content[: _whole(content)].splitlines(), 1):
        try:
            found = _parsed(line)
        except (ValueError, RecursionError) as error:
            raise ExperimentError(f"{path}: line {number} is damaged: {error}") from None
        yield found


def append_line(path: Path, values: dict[str, Any]) -> None:
    """Write an object in one piece, and have it on the disk before this returns; a torn last line goes first."""
    line = (json.dumps(values, sort_keys=True, allow_nan=False) + "\n").encode()
    try:
        with path.open("a+b") as file:
            file.write(_end_of_last(file.fileno(), path) + line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None


def _parsed(line: bytes) -> dict[str, Any]:
    """NaN and the like, which are no JSON, are None."""
    found = json.loads(line, parse_constant=lambda _: None)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _end_of_last(descriptor: int, path: Path) -> bytes:
    """What the last line needs before another can follow; a torn one is cut."""
    size = os.fstat(descriptor).st_size
    if not size or os.pread(descriptor, 1, size - 1) == b"\n":
        return b""
    whole = _whole(path.read_bytes())
    os.ftruncate(descriptor, whole)
    return b"\n" if whole == size else b""


def _whole(content: bytes) -> int:
    """How long it is without a torn last line; one that only lacks its end, as editors may leave it, is whole."""
    end = content.rfind(b"\n") + 1
    try:
        _parsed(content[end:])
    except (ValueError, RecursionError):
        return end
    return len(content)
