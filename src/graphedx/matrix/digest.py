"""Digests of distance matrices: inside Parquet and NPZ files, and in a file beside CSV, which has no room for one.

The digest file of ``m.csv`` is ``m.csv.digest``, as ``sha256sum`` writes it. While the CSV file is replaced it has a
line for the old content and one for the new: whenever the process is killed, the file that is there matches a line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from graphedx._files import AnyPath, as_path, atomic_write
from graphedx.errors import IntegrityError

_LINE = re.compile(r"([0-9a-f]{64})  .*")


def content_digest(lower: Any, upper: Any, stops: Any, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Return the SHA-256 of the names, bounds and stop reasons of a matrix, whatever file they are in."""
    digest = hashlib.sha256(json.dumps([list(rows), list(columns)]).encode())
    for array, kind in ((lower, "<f8"), (upper, "<f8"), (stops, "|i1")):
        digest.update(np.ascontiguousarray(array, dtype=kind).data)
    return digest.hexdigest()


def require_digest(expected: object, found: str) -> None:
    """Refuse content with another digest; files without one are older."""
    if expected is not None and expected != found:
        raise IntegrityError("is damaged or was changed: its content does not match its digest")


def digest_path(path: AnyPath) -> Path:
    """Return the path of the digest file; a link and its target share one."""
    target = as_path(path).resolve()
    return target.with_name(f"{target.name}.digest")


def write_with_digest(path: AnyPath, content: bytes, *, overwrite: bool) -> None:
    """Write a file and its digest file; after a failure or a kill, the file that is there matches its digest file."""
    ours = _line(path, content)
    beside, kept, written = None, None, False
    try:
        with atomic_write(path, overwrite=overwrite) as file:
            file.write(content)
            file.flush()  # a full disk is noticed here, before the digest file changes
            beside = digest_path(path)
            kept = _read(beside)
            _write(beside, _lines_of_old(path, kept) + ours)
        written = True
    finally:
        if beside is not None and not written:
            _restore(beside, kept)
    with suppress(OSError):  # it has a line for the new content already
        _write(beside, ours)


def require_digest_file(path: AnyPath, content: bytes) -> None:
    """Refuse content that its digest file has no line for; without a digest file it is an older or foreign file.

    Raises:
        IntegrityError: the content was changed, or the digest file was.
    """
    beside = digest_path(path)
    text = _read(beside)
    if text is None:
        return
    lines = [_LINE.fullmatch(line) for line in text.decode("utf-8", "replace").splitlines()]
    if not lines or not all(lines):
        raise IntegrityError(f"{beside}: is damaged: it has no SHA-256; delete it to accept {path} without a check")
    if hashlib.sha256(content).hexdigest() not in [line[1] for line in lines if line]:
        raise IntegrityError(
            f"{path}: is damaged or was changed: it has not the SHA-256 in {beside.name}; restore it, or delete "
            f"{beside.name} to accept it as it is"
        )


def _line(path: AnyPath, content: bytes) -> bytes:
    name = as_path(path).name.encode("utf-8", "backslashreplace").replace(b"\n", b"\\n")
    return hashlib.sha256(content).hexdigest().encode() + b"  " + name + b"\n"


def _lines_of_old(path: AnyPath, kept: bytes | None) -> bytes:
    """The lines that match the file that is about to be replaced, if there is one."""
    place = as_path(path)
    if not place.exists():
        return b""
    return _line(path, place.read_bytes()) if kept is None else kept


def _restore(beside: Path, kept: bytes | None) -> None:
    with suppress(OSError):  # the line for content that was not written does no harm
        if kept is None:
            beside.unlink(missing_ok=True)
        else:
            _write(beside, kept)


def _read(beside: Path) -> bytes | None:
    try:
        return beside.read_bytes()
    except FileNotFoundError:
        return None


def _write(beside: Path, lines: bytes) -> None:
    with atomic_write(beside, overwrite=True) as file:
        file.write(lines)
