"""AIDS, Mutagenicity and Yeast as TU Dortmund hands them out: a folder of NAME_A.txt and its companions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphedx.datasets.readers._files import files_below, naming
from graphedx.errors import DatasetError
from graphedx.graph import Graph
from graphedx.io import tu


def is_tu(path: Path) -> bool:
    """Whether there is a NAME_A.txt anywhere below."""
    return path.is_dir() and bool(_matrices(path))


def read(path: Path) -> Iterator[Graph]:
    """The graphs of the one TU set below the folder, named NAME-1, NAME-2, ...; labels are the numbers of the files."""
    found = _matrices(path) if path.is_dir() else files_below(path, "_a.txt")
    if len(found) != 1:
        names = ": " + ", ".join(sorted(file.name for file in found)[:5]) if found else ""
        raise DatasetError(f"{path}: a TU set is a folder with one NAME_A.txt, here are {len(found) or 'none'}{names}")
    folder = found[0].parent
    with naming(folder):
        yield from tu.stream_folder(folder)


def _matrices(folder: Path) -> list[Path]:
    return [file for file in files_below(folder, "_a.txt") if file.name.endswith("_A.txt")]
