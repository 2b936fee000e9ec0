"""LINUX, the program dependence graphs of Wang et al. (2012) as GED benchmarks have them: GEXF or JSON files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphedx import io
from graphedx.datasets.readers._files import files_below, unpacked_name
from graphedx.errors import DatasetError
from graphedx.graph import Graph

_FOLDERS = ("train", "test")
_ENDINGS = (".gexf", ".json")


def read(path: Path) -> Iterator[Graph]:
    """The graphs of train/ID.gexf by increasing id, then those of test/ID.gexf; or of the same files as ``.json``.

    Named train-ID and test-ID. LINUX has no labels, so whatever the files say about them is not read.
    """
    for ending in _ENDINGS:
        files = [file for file in files_below(path, ending) if file.parent.name in _FOLDERS]
        if path.is_dir() and files:
            return _graphs(path, files)
    raise DatasetError(f"{path}: LINUX is a folder with train/ID.gexf and test/ID.gexf (or .json), which are not there")


def _graphs(path: Path, files: list[Path]) -> Iterator[Graph]:
    for folder in _FOLDERS:
        numbered = {_number(file): file for file in files if file.parent.name == folder}
        count = sum(file.parent.name == folder for file in files)
        if not numbered:
            raise DatasetError(f"{path}: LINUX has folders train and test, but {folder} is not there")
        if len(numbered) != count:
            raise DatasetError(f"{path}: holds two sets: {count} files in folders {folder}, of {len(numbered)} ids")
        for number, file in sorted(numbered.items()):
            yield io.read(file, node_label=None, edge_label=None).renamed(f"{folder}-{number}")


def _number(file: Path) -> int:
    stem = unpacked_name(file).rpartition(".")[0]
    if not stem.isdecimal():
        raise DatasetError(f"{file}: the files of LINUX are named by numbers, such as 10327{file.suffix}")
    return int(stem)
