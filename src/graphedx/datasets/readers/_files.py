"""Finding the files of a source, and reading them line by line with bounded memory."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from graphedx._quoting import shortened
from graphedx.errors import DatasetError, FormatError, GraphError
from graphedx.io._load import decode, reason

MAX_LINE = 64 * 2**20
"""No line longer than this is read; a small packed file could otherwise hold one that fills the memory."""
MAX_RATIO = 500
"""No packed file may hold more than this many times its own bytes, as in archives."""
_SMALL = 2**16  # bytes; a packed file below this size may grow as if it had it: tiny files pack well
_CHUNK = 2**20
_LONGEST_MESSAGE = 500  # characters of an error about a file's content
_FOREIGN = ("__MACOSX", "__pycache__")  # what other programs leave beside the data


def files_below(path: Path, *endings: str, without: Collection[str] = ()) -> list[Path]:
    """The files whose names have one of the endings, ``.gz`` aside, sorted by path; a file stands for itself.

    Hidden files are passed over, and so are links to folders, and folders of the names ``without``.
    """
    if not path.exists():
        raise DatasetError(f"{path}: no such file or folder")
    if not path.is_dir():
        return [path] if unpacked_name(path).endswith(endings) else []
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if name not in (*_FOREIGN, *without) and name[0] != "."]
        found += [Path(folder, name) for name in files if name[0] != "."]
    return sorted(file for file in found if unpacked_name(file).endswith(endings))


def unpacked_name(path: Path) -> str:
    """The file's name in small letters, without ``.gz``."""
    return path.name.lower().removesuffix(".gz")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let every complaint about a file's content out as one FormatError that names the file."""
    try:
        yield
    except (FormatError, GraphError) as error:
        message = shortened(str(error).removeprefix(f"{path}: "), _LONGEST_MESSAGE)
        raise FormatError(f"{path}: {message}") from None
    except RecursionError:
        raise FormatError(f"{path}: is nested too deeply to be read") from None
    except MemoryError:
        raise FormatError(f"{path}: needs more memory than there is") from None


class Lines:
    """The lines of a text file, packed or not, without their ends; errors name the file and the line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0  # of the line that was read last, from 1
        self._lines = _lines(path)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        return line

    def take(self, count: int, why: str) -> list[str]:
        """The next lines, which must be there."""
        taken = list(islice(self._lines, count))
        self.number += len(taken)
        if len(taken) < count:
            raise FormatError(f"{self.path}: ends after line {self.number}, but {why}")
        return taken

    def require_end(self, why: str) -> None:
        """Refuse a file with more lines, empty ones aside."""
        for line in self:
            if line.strip():
                raise self.error(f"should not be there: {why}")

    def error(self, problem: str, *, back: int = 0) -> FormatError:
        """About the line that was read last, or so many lines before it."""
        return FormatError(f"{self.path}: line {self.number - back} {problem}")


def _lines(path: Path) -> Iterator[str]:
    rest = b""
    first = True
    for chunk in _chunks(path):
        whole, end, rest = (rest + chunk).rpartition(b"\n")
        if len(rest) > MAX_LINE:
            raise FormatError(f"{path}: has a line of more than {MAX_LINE // 2**20} MB")
        if end:
            text = _text(path, whole, first)
            first = False
            yield from text.removesuffix("\r").replace("\r\n", "\n").split("\n")
    if rest:
        yield _text(path, rest, first).removesuffix("\r")


def _text(path: Path, content: bytes, first: bool) -> str:
    try:
        text = decode(content)
    except FormatError:
        raise FormatError(f"{path}: is not UTF-8 text") from None
    return text if first else content.decode()  # a byte order mark is one only at the beginning


def _chunks(path: Path) -> Iterator[bytes]:
    if path.exists() and not path.is_file():  # a pipe would keep us waiting for ever
        raise FormatError(f"{path}: this is not a file")
    packed = path.suffix.lower() == ".gz"
    try:
        with gzip.open(path) if packed else path.open("rb") as handle:
            most = MAX_RATIO * max(path.stat().st_size, _SMALL) if packed else None
            unpacked = 0
            while chunk := handle.read(_CHUNK):
                unpacked += len(chunk)
                if most is not None and unpacked > most:
                    raise FormatError(f"{path}: unpacks to more than {MAX_RATIO} times its size")
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        if packed and not (isinstance(error, OSError) and error.errno is not None):
            raise FormatError(f"{path}: is not a whole gzip file: {error}") from None
        raise FormatError(f"{path}: {reason(error) if isinstance(error, OSError) else error}") from None
