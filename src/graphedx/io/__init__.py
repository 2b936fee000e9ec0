"""Graphs from and to files. The format is told by the extension; ``.gz`` may follow; folders are read as sets.

Files may come from anyone: nothing in them is run, unpickled or fetched, and their size is limited. Whatever is wrong
with one is a FormatError that names it.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphedx._files import AnyPath, as_path, atomic_write
from graphedx._quoting import quoted, shortened
from graphedx.convert import as_graph, is_graph
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph
from graphedx.io import _folders, registry, tu
from graphedx.io._budget import MAX_NODES
from graphedx.io._folders import FolderContents, Skipped
from graphedx.io._load import MAX_BYTES, load, reason
from graphedx.io.registry import Format, formats

__all__ = [
    "MAX_BYTES",
    "MAX_NODES",
    "FolderContents",
    "Format",
    "Skipped",
    "formats",
    "read",
    "read_all",
    "read_folder",
    "write",
]

_log = logging.getLogger(__name__)
_LONGEST_MESSAGE = 500  # characters of an error about a file's content


def read(path: AnyPath, *, format: str | None = None, **options: Any) -> Graph:
    """The one graph of a file; a file with several, or none, is refused. Options as in ``read_all``."""
    graphs = read_all(path, format=format, **options)
    if len(graphs) != 1:
        raise FormatError(f"{path}: holds {len(graphs) or 'no'} graphs, not one; use read_all to get a list")
    return graphs[0]


def read_all(path: AnyPath, *, format: str | None = None, **options: Any) -> list[Graph]:
    """Every graph of a file, of a TU folder, or of all files of known formats in and below a folder, sorted by path.

    What a folder holds besides is skipped; ``read_folder`` tells which files these are. Most formats take
    ``node_label`` and ``edge_label``: an attribute's name, several names, a callable or ``None``, see
    ``graphedx.convert.from_networkx``; ``formats()[name].options`` lists all options. Graphs without a name of their
    own are named after the file.
    """
    source = as_path(path)
    try:
        wanted = None if format is None else registry.named(format)
        if not str(path) or not source.exists():  # no path at all is not this folder
            raise FormatError("no such file")
        is_tu = source.is_dir() and (wanted.is_folder if wanted else tu.is_tu_folder(source))
        is_folder = source.is_dir()
    except (FormatError, OSError, ValueError) as error:
        problem = reason(error) if isinstance(error, OSError) else str(error)
        raise FormatError(f"{path}: {problem}") from None
    if is_tu:
        return _guarded(registry.named("tu"), source, options)
    if is_folder:
        return read_folder(source, format=format, **options).graphs
    return _read_file(source, wanted, options)


def read_folder(
    path: AnyPath, *, format: str | None = None, skip_unreadable: bool = False, **options: Any
) -> FolderContents:
    """Read every graph of a folder and of all folders below it, and list what was read and what was skipped.

    Args:
        path: The folder. A TU folder below it counts as one file.
        format: Read the files of this format only.
        skip_unreadable: Skip a file of a known format that cannot be read, instead of raising its error.
        options: As in ``read_all``.

    Raises:
        FormatError: There is no file to read, or one cannot be read.
    """
    source = as_path(path)
    try:
        wanted = None if format is None else registry.named(format)
        if not source.is_dir():
            raise FormatError("this is no folder" if source.exists() else "no such folder")
        contents = _folders.find(source, wanted)
    except (FormatError, OSError, ValueError) as error:
        problem = reason(error) if isinstance(error, OSError) else str(error)
        raise FormatError(f"{path}: {problem}") from None
    found, contents.files = contents.files, []
    for file in found:
        try:
            graphs = (
                _guarded(registry.named("tu"), file, options) if file.is_dir() else _read_file(file, wanted, options)
            )
        except FormatError as error:
            if not skip_unreadable:
                raise
            contents.skipped.append(Skipped(file, str(error), is_error=True))
            continue
        contents.files.append(file)
        contents.graphs += graphs
        contents.origins += [file] * len(graphs)
    if not contents.files:
        raise FormatError(f"{path}: none of its files can be read; {contents.summary()}")
    _log.info("%s: %s", path, contents.summary())
    return contents


def write(graphs: Any, path: AnyPath, *, format: str | None = None, overwrite: bool = False) -> None:
    """Write a graph, or several where the format can hold them; anything ``as_graph`` takes will do.

    The file appears whole or not at all, and an existing one is kept unless ``overwrite``. A label that would not come
    back as it was is refused with a FormatError, and so are hydrogens as nodes in SMILES and directions in a TU folder.
    ``format="tu"`` writes a folder.
    """
    items = [as_graph(graphs)] if is_graph(graphs) or not isinstance(graphs, Iterable) else list(map(as_graph, graphs))
    target = as_path(path)
    try:
        wanted = _writable(target, format)
        if not items:
            raise FormatError("there are no graphs to write")
        if wanted.is_folder:
            tu.write_folder(items, target, overwrite)
            return
        content = _serialized(items, wanted)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    with atomic_write(target, overwrite=overwrite) as handle:
        handle.write(gzip.compress(content, mtime=0) if target.suffix.lower() == ".gz" else content)


def _read_file(path: Path, wanted: Format | None, options: dict[str, Any]) -> list[Graph]:
    wanted = wanted or registry.of_file(path)
    if wanted is None:
        known = registry.known_extensions()
        raise FormatError(
            f"{path}: the extension {quoted(path.suffix)} stands for no format; known are {known}, or pass format="
        )
    if wanted.is_folder:
        raise FormatError(f"{path}: format {quoted(wanted.name)} is a folder, this is a file")
    graphs = _guarded(wanted, path, options)
    stem = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).stem
    fallback = [stem] if len(graphs) == 1 else [f"{stem}-{i}" for i in range(1, len(graphs) + 1)]
    return [graph if graph.name else graph.renamed(name) for graph, name in zip(graphs, fallback, strict=True)]


def _guarded(wanted: Format, path: Path, options: dict[str, Any]) -> list[Graph]:
    """Parse, and let every complaint about the content out as one FormatError that names the path."""
    try:
        wanted.require_options(options)
        return wanted.parse(path if wanted.is_folder else load(path), **options)
    except (FormatError, GraphError) as error:
        raise FormatError(f"{path}: {shortened(str(error), _LONGEST_MESSAGE)}") from None
    except RecursionError:
        raise FormatError(f"{path}: is nested too deeply to be read") from None
    except MemoryError:
        raise FormatError(f"{path}: needs more memory than there is") from None


def _writable(path: Path, format: str | None) -> Format:
    wanted = registry.of_file(path) if format is None else registry.named(format)
    if wanted is None:
        raise FormatError(
            f"the extension {quoted(path.suffix)} stands for no format; known are {registry.known_extensions()}, "
            'or pass format= (for a TU folder format="tu")'
        )
    if not wanted.writable:
        raise FormatError(f"format {quoted(wanted.name)} can be read but not written")
    return wanted


def _serialized(graphs: list[Graph], wanted: Format) -> bytes:
    if not wanted.holds_many and len(graphs) != 1:
        raise FormatError(
            f"a {wanted.name} file holds one graph, got {len(graphs)}; use json or jsonl, or a file for each"
        )
    assert wanted.serialize is not None
    try:
        return wanted.serialize(graphs).encode("utf-8")
    except FormatError:
        raise
    except ValueError as error:  # text with half a character in it, a number of too many digits
        raise FormatError(f"{wanted.name} cannot hold these graphs: {error}") from None
    except RecursionError:
        raise FormatError(f"{wanted.name} cannot hold labels nested this deeply") from None
