"""Files that commands write: checked before the work begins, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from graphedx._files import atomic_write
from graphedx.errors import OutputError


def require_free(paths: Iterable[Path | None], *, overwrite: bool) -> None:
    """Refuse outputs that exist, cannot be there, or are the same file; hours of work must not end in that."""
    wanted = [path for path in paths if path is not None]
    require_apart(wanted)
    for path in wanted:
        if path.is_dir():
            raise OutputError(f"{path}: this is a folder, not a file; choose another path")
        if path.exists() and not overwrite:
            raise OutputError(f"{path}: exists already and was left as it is; pass --overwrite to replace it")
        folder = _resolved(path).parent
        if not folder.is_dir():
            raise OutputError(f"{path}: the folder {path.parent} does not exist; make it first")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OutputError(f"{path}: cannot be written: no permission to write to the folder {path.parent}")


def require_apart(paths: Iterable[Path | None]) -> None:
    """Refuse two outputs that are the same file; of output and checkpoint, the second is deleted in the end."""
    seen: set[Path] = set()
    for path in paths:
        if path is None:
            continue
        target = _resolved(path)
        if target in seen:
            raise OutputError(f"{path}: two outputs cannot be the same file")
        seen.add(target)


def write_all(contents: Mapping[Path, bytes | str], *, overwrite: bool) -> None:
    """Write each file; all contents are there before the first is written."""
    for path, content in contents.items():
        with atomic_write(path, overwrite=overwrite) as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)


def _resolved(path: Path) -> Path:
    """The path with links followed."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OutputError(f"{path}: cannot be written: a circle of links") from None
