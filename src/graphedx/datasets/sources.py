"""Where raw data comes from: a folder, a file, an archive, or a URL of one; checked, and unpacked while it is used."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from graphedx.datasets import archives, download
from graphedx.errors import DatasetError


class Source(NamedTuple):
    """Raw data as it can be read, and what to call it in a provenance."""

    path: Path  # a folder, or one file; a .gz of one file stays packed
    origin: str  # file name, or URL without user, password and query
    sha256: str  # of the file or archive; of a folder, over its sorted relative names and contents


@contextmanager
def opened(
    source: str | Path, *, sha256: str | None = None, cache: Path | None = None, progress: bool = True
) -> Iterator[Source]:
    """Raw data at a path or an http(s) address; archives are unpacked for as long as the block lasts.

    Raises:
        DatasetError: there is nothing there, it is not what ``sha256`` says, or it is an archive that cannot be
            trusted or is damaged.
        OutputError: there is no room in the cache or for what is unpacked.
    """
    expected = download.checked_sha256(sha256)
    if isinstance(source, str) and download.is_url(source):
        fetched = download.fetch(source, sha256=expected, cache=cache, progress=progress)
        found = Source(fetched.path, download.shown(source), fetched.sha256)
    else:
        found = _local(Path(source))
        download.check(found.origin, found.sha256, expected)
    if not archives.is_archive(found.path):
        yield found
        return
    with tempfile.TemporaryDirectory(prefix="graphedx-") as temporary:
        folder = Path(temporary) / _stem(found.path.name)  # a name that is the same in every run
        archives.unpack(found.path, folder)
        yield found._replace(path=folder)


def _local(path: Path) -> Source:
    try:
        if path.is_dir():
            return Source(path, path.resolve().name, _folder_sha256(path))
        if path.is_file():
            return Source(path, path.name, download.file_sha256(path))
        exists = path.exists()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    what = "this is neither a file nor a folder" if exists else "there is no such file or folder"
    raise DatasetError(f"{path}: {what}")


def _folder_sha256(folder: Path) -> str:
    """Of every file its name, a null byte and its digest; names with slashes, in the order of their bytes."""

    def stop(error: OSError) -> None:
        raise error

    files = [Path(where, name) for where, _, names in os.walk(folder, onerror=stop) for name in names]
    named = sorted((os.fsencode(file.relative_to(folder).as_posix()), file) for file in files if file.is_file())
    digest = hashlib.sha256()
    for name, file in named:
        digest.update(name + b"\0" + bytes.fromhex(download.file_sha256(file)))
    return digest.hexdigest()


def _stem(name: str) -> str:
    suffix = max((one for one in archives.SUFFIXES if name.lower().endswith(one)), key=len, default="")
    return name[: len(name) - len(suffix)] or "archive"
