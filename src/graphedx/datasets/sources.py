"""Where raw data comes from: a folder, a file, an archive, or a URL of one; checked, and unpacked while it is used."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from graphedx._files import as_path
from graphedx.datasets import addresses, archives, download
from graphedx.datasets.checksums import check, checked_sha256, file_sha256, folder_sha256
from graphedx.errors import DatasetError, FormatError


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
    expected = checked_sha256(sha256)
    if isinstance(source, str) and not source:  # a variable of the shell that is not set, not this folder
        raise DatasetError("the source is empty; give a file, a folder or a URL")
    if isinstance(source, str) and addresses.is_url(source):
        fetched = download.fetch(source, sha256=expected, cache=cache, progress=progress)
        found = Source(fetched.path, addresses.parse(source).shown, fetched.sha256)
    else:
        found = _local(as_path(source))
        check(found.origin, found.sha256, expected)
    if not archives.is_archive(found.path):
        yield found
        return
    with tempfile.TemporaryDirectory(prefix="graphedx-") as temporary:
        folder = Path(temporary) / _stem(found.path.name)  # a name that is the same in every run
        archives.unpack(found.path, folder)
        with _naming(found.origin, folder):
            yield found._replace(path=folder)


@contextmanager
def _naming(archive: str, folder: Path) -> Iterator[None]:
    """Let complaints about what was unpacked name the archive: the folder is gone when they are read."""
    try:
        yield
    except (DatasetError, FormatError) as error:
        if str(folder) not in str(error):
            raise
        raise type(error)(str(error).replace(str(folder), archive)) from None


def _local(path: Path) -> Source:
    try:
        if path.is_dir():
            return Source(path, path.resolve().name, folder_sha256(path))
        if path.is_file():
            return Source(path, path.name, file_sha256(path))
        exists = path.exists()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    what = "this is neither a file nor a folder" if exists else "there is no such file or folder"
    raise DatasetError(f"{path}: {what}")


def _stem(name: str) -> str:
    suffix = max((one for one in archives.SUFFIXES if name.lower().endswith(one)), key=len, default="")
    return name[: len(name) - len(suffix)] or "archive"
