"""SHA-256 of files and folders: how raw data is recognised on another machine."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from graphedx._quoting import quoted
from graphedx.errors import DatasetError


def checked_sha256(text: str | None) -> str | None:
    """A checksum as 64 small hex digits; ``sha256:`` may stand before them."""
    if text is None:
        return None
    digits = text.strip().lower().removeprefix("sha256:") if isinstance(text, str) else ""
    if re.fullmatch(r"[0-9a-f]{64}", digits) is None:
        raise DatasetError(f"a sha256 has 64 hex digits, with or without 'sha256:' before them, got {quoted(text)}")
    return digits


def check(name: str, found: str, expected: str | None) -> None:
    """Refuse content that is not what was expected."""
    if expected is not None and found != expected:
        raise DatasetError(f"{name}: sha256 is {found}, expected {expected}; download it again or correct the checksum")


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_sha256(folder: Path) -> str:
    """The SHA-256 over all files: of each its relative name, a null byte and its digest, sorted by the names."""

    def stop(error: OSError) -> None:
        raise error

    files = [Path(where, name) for where, _, names in os.walk(folder, onerror=stop) for name in names]
    named = sorted((os.fsencode(file.relative_to(folder).as_posix()), file) for file in files if file.is_file())
    digest = hashlib.sha256()
    for name, file in named:
        digest.update(name + b"\0" + bytes.fromhex(file_sha256(file)))
    return digest.hexdigest()
