"""Find the files of a folder that hold graphs, in all folders below it, and remember which were left out and why."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from graphedx._quoting import shortened
from graphedx.errors import FormatError
from graphedx.graph import Graph
from graphedx.io import registry, tu
from graphedx.io.registry import Format

_NOT_DATA = ("__MACOSX", "__pycache__")  # folders that other programs leave beside the data
_MOST_NAMED = 4  # extensions in a summary


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was not read."""

    path: Path
    reason: str
    is_error: bool = False  # it claims a known format and cannot be read


@dataclass(slots=True)
class FolderContents:
    """The graphs of a folder, the file of each, and what was read and left out."""

    graphs: list[Graph] = field(default_factory=list)
    origins: list[Path] = field(default_factory=list)  # the file (or TU folder) of each graph
    files: list[Path] = field(default_factory=list)  # read, in order
    skipped: list[Skipped] = field(default_factory=list)

    def summary(self) -> str:
        """Say in one line how many files were read, and how many were skipped and why."""
        read = f"read {_counted(len(self.files), 'file')}"
        if not self.skipped:
            return read
        reasons = Counter(each.reason for each in self.skipped if not each.is_error)
        parts = [f"{count} {reason}" for reason, count in reasons.most_common(_MOST_NAMED)]
        if (others := sum(reasons.values()) - sum(count for _, count in reasons.most_common(_MOST_NAMED))) > 0:
            parts.append(f"{others} others")
        if broken := [each for each in self.skipped if each.is_error]:
            parts.append(f"{len(broken)} unreadable, the first {shortened(broken[0].reason, 200)}")
        return f"{read}, skipped {len(self.skipped)}: {'; '.join(parts)}"


def find(folder: Path, wanted: Format | None) -> FolderContents:
    """List the files of known formats, or of the one that is ``wanted``, sorted by path; TU folders count as one file.

    Hidden files and folders, and links to folders, are skipped.
    """
    contents = FolderContents()
    for place, folders, names in os.walk(folder):
        here = Path(place)
        if (wanted is None or wanted.is_folder) and tu.is_tu_folder(here):
            contents.files.append(here)
            folders.clear()
            continue
        for name in sorted(folders):
            if name.startswith(".") or name in _NOT_DATA:
                contents.skipped.append(Skipped(here / name, "hidden"))
            elif (here / name).is_symlink():
                contents.skipped.append(Skipped(here / name, "links to folders"))
        kept = (name for name in folders if not name.startswith(".") and name not in _NOT_DATA)
        folders[:] = sorted(name for name in kept if not (here / name).is_symlink())
        for name in sorted(names):
            _sort_out(here / name, wanted, contents)
    contents.files.sort()
    if not contents.files:
        what = (
            f"{wanted.name} file" if wanted else f"TU set and no file of a known format ({registry.known_extensions()})"
        )
        raise FormatError(f"this folder holds no {what}")
    return contents


def _sort_out(file: Path, wanted: Format | None, contents: FolderContents) -> None:
    found = registry.of_file(file)
    if file.name.startswith("."):
        reason = "hidden"
    elif not file.is_file():
        reason = "that are no files"
    elif found is None:
        reason = f"of no known format ({shortened(file.suffix, 20) or 'no extension'})"
    elif wanted is not None and found != wanted:
        reason = f"of another format ({found.name})"
    else:
        contents.files.append(file)
        return
    contents.skipped.append(Skipped(file, reason))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
