"""Writing files so that a reader sees the old one or the whole new one, never half of it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, Any

from graphedx.errors import GraphEdXError, OutputError, PathError

try:
    import fcntl
except ImportError:  # Windows: two writers are then the user's to avoid
    fcntl = None  # type: ignore[assignment]

AnyPath = str | PathLike[str]
_LONGEST_STEM = 100  # of a temporary name, so that it is not longer than file systems take
_BESIDE = re.compile(r"\.(.+)\.[0-9a-f]{12}(\..+|)", re.DOTALL)  # what ``_beside`` makes: stem and suffix


@contextmanager
def atomic_write(
    path: AnyPath, *, overwrite: bool = False, mode: str = "wb", encoding: str | None = None, newline: str | None = None
) -> Iterator[IO[Any]]:
    """A handle whose content becomes ``path`` when the block ends well; if it does not, nothing is changed.

    The content is written beside ``path``, flushed to the disk and moved there in one step. Raises OutputError if
    ``path`` exists (unless ``overwrite``) or cannot be written.
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode must be 'wb' or 'w', got {mode!r}")
    if mode == "w":
        encoding = encoding or "utf-8"
    with (
        atomic_path(path, overwrite=overwrite) as temporary,
        temporary.open(mode, encoding=encoding, newline=newline) as f,
    ):
        yield f


@contextmanager
def atomic_path(path: AnyPath, *, overwrite: bool = False) -> Iterator[Path]:
    """Like ``atomic_write``, for writers that want a path: yields one beside ``path``, with the same suffix."""
    target = _target(path, overwrite)
    if target.exists() and not target.is_file():
        raise OutputError(f"{path}: this is not a file that can be replaced; choose another path")
    temporary = _beside(target)
    with _tidy(path, temporary):
        temporary.touch(mode=0o666, exist_ok=False)  # so that a folder we may not write to is noticed at once
        yield temporary
        _flush(temporary)
        if overwrite:
            with suppress(FileNotFoundError):
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
        else:
            _move_to_free_place(temporary, target)
        _flush(target.parent)


@contextmanager
def atomic_folder(path: AnyPath, *, overwrite: bool = False) -> Iterator[Path]:
    """An empty folder that becomes ``path``, with what was put into it, when the block ends well.

    With ``overwrite`` the old folder goes with all that was in it, so check before that it is yours.
    """
    target = _target(path, overwrite)
    if target.exists() and not target.is_dir():
        raise OutputError(f"{path}: this is a file, not a folder; choose another path")
    temporary, old = _beside(target), _beside(target)
    with _tidy(path, temporary):
        temporary.mkdir()
        yield temporary
        for file in temporary.rglob("*"):
            _flush(file)
        _flush(temporary)
        if not target.exists():
            temporary.rename(target)
        elif not overwrite:
            raise _exists(path)
        else:
            target.rename(old)
            try:
                temporary.rename(target)
            except OSError:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)
        _flush(target.parent)


def as_path(value: object) -> Path:
    """The path that a caller has given; PathError if it is none."""
    if not isinstance(value, str | PathLike):
        raise PathError(f"a path is a str or a pathlib.Path, got {type(value).__name__}")
    try:
        return Path(value)
    except TypeError:  # a path of bytes
        raise PathError(f"a path is a str or a pathlib.Path, got {type(value).__name__} of bytes") from None


def sweep(targets: Iterable[Path]) -> None:
    """Remove what killed writers of these files and folders have left beside them; for who is their only writer."""
    names: dict[Path, set[tuple[str, str]]] = {}
    for target in targets:
        names.setdefault(target.parent, set()).add((target.stem[:_LONGEST_STEM], target.suffix))
    for folder, ours in names.items():
        with suppress(OSError):  # what cannot be removed is in nobody's way
            for left in folder.iterdir():
                found = _BESIDE.fullmatch(left.name)
                if found and found.groups() in ours:
                    _remove(left)


def lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, by whatever end of the process; False if another process has done so."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # no such locks on this file system: two writers are then the user's to avoid, as on Windows
        return True
    return True


@contextmanager
def locked_folder(folder: Path, refusal: str) -> Iterator[None]:
    """The folder, made if it is not there, is ours while this lasts; it gets no file that others would see.

    Raises:
        OutputError: it cannot be made, or is another's; ``refusal`` says what that one does.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)  # Windows opens no folders
    except (OSError, ValueError) as error:  # a null byte in the name
        raise OutputError(f"{folder}: cannot be used as a folder: {_reason(error)}") from None
    try:
        if descriptor is not None and not lock(descriptor):
            raise OutputError(f"{folder}: {refusal}")
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _target(path: AnyPath, overwrite: bool) -> Path:
    """Where to write, links followed; complains before any work is done."""
    try:
        target = as_path(path).resolve()
        if not target.parent.is_dir():
            raise OutputError(f"{path}: the folder {target.parent} does not exist; make it first")
        if target.exists() and not overwrite:
            raise _exists(path)
    except (OSError, ValueError, RuntimeError) as error:  # a null byte in the name, a circle of links
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(f"{path}: cannot be written: {_reason(error)}") from None
    return target


def _exists(path: AnyPath) -> OutputError:
    return OutputError(f"{path}: exists already and was left as it is; pass overwrite=True to replace it")


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.stem[:_LONGEST_STEM]}.{secrets.token_hex(6)}{target.suffix}")


def _remove(temporary: Path) -> None:
    if temporary.is_dir():
        shutil.rmtree(temporary, ignore_errors=True)
    else:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def _tidy(path: AnyPath, temporary: Path) -> Iterator[None]:
    """Remove what is left of the temporary file or folder, and say which path an OSError is about."""
    try:
        yield
    except OSError as error:
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(f"{path}: cannot be written: {_reason(error)}") from error
    finally:
        _remove(temporary)


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        if not path.is_dir():  # some file systems cannot flush a folder; a file's data must get there
            raise
    finally:
        os.close(descriptor)


def _move_to_free_place(temporary: Path, target: Path) -> None:
    """Unlike ``replace``, a link never overwrites what another process wrote there meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # no hard links on this file system: look, then move
        if target.exists():
            raise _exists(target) from None
        temporary.replace(target)
