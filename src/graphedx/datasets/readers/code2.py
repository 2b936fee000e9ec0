"""Code2: syntax trees of Python functions, from ogbg-code2 itself or made from source in the same manner.

OGB's manner: one node for each node of Python's ``ast``, the module's and those like Load too, and an edge from each to
its parent. Which trees come out of source depends a little on the Python that parses it.
"""

from __future__ import annotations

import csv
import json
import platform
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from graphedx._quoting import quoted, shortened
from graphedx.datasets.readers import _ogb
from graphedx.datasets.readers._files import Lines, files_below, naming, unpacked_name
from graphedx.errors import DatasetError, FormatError
from graphedx.graph import Graph, Label
from graphedx.io import node_link, python_source
from graphedx.io._budget import NodeBudget
from graphedx.io._load import decode, load

_PREFIX = "code2"
_LONGEST_MODULE = 200  # characters of a graph's name


class _Source(NamedTuple):
    """Python source, and how its graphs are named: NAME:FUNCTION."""

    name: str
    code: bytes


def read(path: Path) -> Iterator[Graph]:
    """One tree a function, labelled by node types ("FunctionDef", "Load", ...).

    In a folder the first of these that is there is read:

    - the raw folder of ogbg-code2, graphs named code2-0, code2-1, ...; labels are type names if
      mapping/typeidx2type.csv.gz is there too, else the numbers of the types;
    - ``.jsonl`` files with records of CodeSearchNet (the source of one function is in "code") or with trees (
      ``{"n", "edges", "labels"}``). A tree whose "doc" is false is passed over: every function of ogbg-code2 has a
      docstring;
    - one ``.json`` file, an object of the functions' sources as CoSQA has it: ``{source: index}``;
    - ``.py`` files, with all their functions, docstring or not.

    Source that this Python cannot parse, or that holds no function, is left out; a warning at the end says how much.
    """
    if raw := _ogb.find(path):
        return _ogb.graphs(raw, _PREFIX, _type_label(path))
    if files := files_below(path, ".jsonl", ".ndjson"):
        return _from_lines(path, files)
    if files := files_below(path, ".json"):
        if len(files) > 1:
            raise DatasetError(f"{path}: one .json file with the sources of functions is needed, here are {len(files)}")
        return _one_a_source(path, _from_object(files[0]))
    if files := files_below(path, ".py"):
        return _all_functions(path, files)
    raise DatasetError(f"{path}: holds no raw folder of ogbg-code2 and no .jsonl, .json or .py files with functions")


# -- ogbg-code2 -------------------------------------------------------------------------------------------------------


def _type_label(path: Path) -> _ogb.NodeLabel:
    files = [file for file in files_below(path, "typeidx2type.csv") if unpacked_name(file) == "typeidx2type.csv"]
    names = _type_names(files[0]) if files else None

    def label(feature: str) -> Label:
        if not feature.strip().isdecimal():
            raise ValueError(f"must begin with the number of a node type, got {quoted(feature)}")
        number = int(feature)
        if names is None:
            return number
        if number not in names:
            raise ValueError(f"has the node type {number}, which {files[0].name} does not list")
        return names[number]

    return label


def _type_names(file: Path) -> dict[int, str]:
    lines = Lines(file)
    try:
        rows = list(csv.reader(lines, strict=True))
        return {int(number): name.strip() for number, name, *_ in rows[1:]}
    except (ValueError, csv.Error):
        raise FormatError(f"{file}: must be CSV with a header, a number and a type name a line") from None


# -- trees and source as JSON ------------------------------------------------------------------------------------------


def _from_lines(path: Path, files: list[Path]) -> Iterator[Graph]:
    """Trees and sources may be mixed; they are numbered from 0 over all files."""
    tally = _Tally(path)
    place = -1
    for file in files:
        lines = Lines(file)
        budget = NodeBudget(0)
        with naming(file):
            for line in lines:
                budget.grow(len(line))
                if line.strip():
                    place += 1
                    yield from _of_record(line, lines.number, place, tally, budget)
    if place < 0:
        raise FormatError(f"{files[0]}: the file is empty")
    tally.warn()


def _of_record(line: str, number: int, place: int, tally: _Tally, budget: NodeBudget) -> Iterator[Graph]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise FormatError(f"line {number} is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise FormatError(f"line {number} must be a JSON object")
    if isinstance(code := record.get("code"), str):
        yield from tally.functions(_source(f"{_PREFIX}-{place}", code), most=1)
    elif "n" not in record:
        raise FormatError(f'line {number} has neither "code" (a function) nor "n", "edges" and "labels" (a tree)')
    elif record.get("doc", True):
        try:
            graph = node_link.from_document(record, budget)
        except FormatError as error:
            raise FormatError(f"line {number}: {error}") from None
        module = shortened(str(record.get("module", "")), _LONGEST_MODULE)
        yield graph.renamed(f"{_PREFIX}-{place}:{module}" if module else f"{_PREFIX}-{place}")


def _from_object(file: Path) -> Iterator[_Source]:
    with naming(file):
        try:
            sources: Any = json.loads(decode(load(file)))
        except ValueError as error:
            raise error if isinstance(error, FormatError) else FormatError(f"is not JSON: {error}") from None
        if not isinstance(sources, dict) or not sources or not all(type(index) is int for index in sources.values()):
            raise FormatError("must be a JSON object that gives each function's source a number: {source: index}")
    for code, index in sources.items():
        yield _source(f"{_PREFIX}-{index}", code)


def _source(name: str, code: str) -> _Source:
    return _Source(name, code.encode(errors="surrogatepass"))


# -- Python source -----------------------------------------------------------------------------------------------------


class _Tally:
    """Counts the sources that give no graphs, so that they are not dropped in silence."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read = 0
        self.left_out: list[str] = []

    def functions(self, source: _Source, most: int | None = None) -> list[Graph]:
        """The trees of the source's functions in order, so that the first is an outermost one."""
        self.read += 1
        try:
            trees = python_source.parse(source.code, module_root=True)[:most]
            problem = "" if trees or most is None else "holds no function"
        except FormatError as error:
            trees, problem = [], str(error)
        except RecursionError:
            trees, problem = [], "is nested too deeply"
        if problem:
            self.left_out.append(f"{source.name}: {problem}")
        return [tree.renamed(f"{source.name}:{tree.name}") for tree in trees]

    def warn(self) -> None:
        if self.left_out:
            warnings.warn(
                f"{self.path.name}: {len(self.left_out)} of {self.read} sources give no tree with Python "
                f"{platform.python_version()} and were left out; the first is {self.left_out[0]}",
                stacklevel=2,
            )


def _one_a_source(path: Path, sources: Iterable[_Source]) -> Iterator[Graph]:
    """Each source is one function; functions inside it are part of its tree and no graphs of their own."""
    tally = _Tally(path)
    for source in sources:
        yield from tally.functions(source, most=1)
    tally.warn()


def _all_functions(path: Path, files: list[Path]) -> Iterator[Graph]:
    tally = _Tally(path)
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        with naming(file):
            source = _Source(name, load(file))
        yield from tally.functions(source)
        if tally.left_out and not path.is_dir():
            raise FormatError(f"{path}: {tally.left_out[0].partition(': ')[2]}")
    tally.warn()
