"""Writing files so that a reader sees the old one or the whole new one, never half of it.

A temporary file or folder lies beside its target and is locked while its writer lives; the kernel frees the lock of a
killed process. The next writer of the same target removes those whose lock is free. Where there are no such locks
(Windows, some network file systems), names are random and nothing is removed but by ``sweep``.
"""

from __future__ import annotations

import ctypes
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
_SLOTS = 64  # names of temporary files that are tried in order, for writers of the same target at the same time


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
    with _temporary(path, target, folder=False) as temporary:
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
    with _temporary(
        path, target, folder=True
    ) as container:  # stays in place with its lock; its content may be replaced
        content = container / target.name
        content.mkdir()
        yield content
        for file in content.rglob("*"):
            _flush(file)
        _flush(content)
        if not target.exists():
            content.rename(target)
        elif not overwrite:
            raise _exists(path)
        else:
            _swap_folders(content, target)
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
    return _lock(descriptor) is not False  # without locks, two writers are the user's to avoid


def _lock(descriptor: int) -> bool | None:
    """True if the lock is ours now, False if it is another's, None if there are no locks on this file system."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
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


def _beside(target: Path, slot: int | None = None) -> Path:
    """A temporary name; without a slot it is random."""
    token = secrets.token_hex(6) if slot is None else f"{slot:012x}"
    return target.with_name(f".{target.stem[:_LONGEST_STEM]}.{token}{target.suffix}")


def _remove(temporary: Path) -> None:
    if temporary.is_dir() and not temporary.is_symlink():
        shutil.rmtree(temporary, ignore_errors=True)
    else:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def _temporary(path: AnyPath, target: Path, *, folder: bool) -> Iterator[Path]:
    """An empty temporary file or folder beside the target, locked; it is removed at the end.

    An OSError becomes an OutputError that says which path it is about.
    """
    temporary, held = None, None
    try:
        temporary, held = _claimed(target, folder=folder)
        yield temporary
    except OSError as error:
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(f"{path}: cannot be written: {_reason(error)}") from error
    finally:
        # Once the file has moved to its target, another writer may have taken the name.
        if temporary is not None and (held is None or _is_at(held, temporary)):
            _remove(temporary)
        if held is not None:
            _release(held)


def _claimed(target: Path, *, folder: bool) -> tuple[Path, int | None]:
    """Make a temporary file or folder and lock it; remove those of the same target whose writers are gone."""
    with suppress(_NoLocks):
        for slot in range(_SLOTS if fcntl is not None else 0):
            place = _beside(target, slot)
            for _ in range(2):  # once more if a dead writer's was removed
                if (held := _made_and_locked(place, folder=folder)) is not None:
                    _remove_abandoned(target, slot + 1)
                    return place, held
                if not _remove_if_abandoned(place):
                    break
    place = _beside(target)  # a name that no other writer has
    _make(place, folder=folder)
    return place, None


class _NoLocks(Exception):
    """The file system has no locks."""


def _make(place: Path, *, folder: bool) -> None:
    if folder:
        place.mkdir()
    else:
        place.touch(mode=0o666, exist_ok=False)


def _made_and_locked(place: Path, *, folder: bool) -> int | None:
    """The descriptor that holds the lock; None if the name is taken."""
    try:
        _make(place, folder=folder)
    except FileExistsError:
        return None
    try:
        held = os.open(place, os.O_RDONLY)
    except FileNotFoundError:  # another writer took it for abandoned before it was locked
        return None
    except OSError:
        _remove(place)
        raise
    locked = _lock(held)
    if locked and _is_at(held, place):
        return held
    os.close(held)  # another writer took it for abandoned, and removes it
    if locked is None:
        _remove(place)
        raise _NoLocks
    return None


def _remove_if_abandoned(place: Path) -> bool:
    """Remove a temporary file or folder whose writer is gone: one that is ours by its lock."""
    try:
        if not stat.S_ISREG(mode := place.lstat().st_mode) and not stat.S_ISDIR(mode):
            return False
        held = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:  # not there, or not ours
        return False
    try:
        if not _lock(held) or not _is_at(held, place):
            return False
        _remove(place)
        return not place.exists()
    finally:
        _release(held)


def _remove_abandoned(target: Path, first: int) -> None:
    """Go on with the slots behind ours, up to the first that is free."""
    for slot in range(first, _SLOTS):
        place = _beside(target, slot)
        if not place.exists():
            return
        _remove_if_abandoned(place)


def _is_at(descriptor: int, place: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), place.lstat())
    except OSError:
        return False


def _release(held: int) -> None:
    """Unlock explicitly: a child process that was forked meanwhile has a copy of the descriptor."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_UN)
    os.close(held)


def _swap_folders(new: Path, target: Path) -> None:
    """Put the new folder in the target's place, in one step where the system can; the old one is the caller's then."""
    if _exchanged(new, target):
        return
    old = _beside(target)
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    _remove(old)


def _exchanged(first: Path, second: Path) -> bool:
    """Swap two paths by renameat2 of Linux; False if the system or the file system has no such thing."""
    swap = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    if swap is None:
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(swap(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0)


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
