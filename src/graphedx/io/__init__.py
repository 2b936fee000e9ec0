"""Graphs from and to files. The format is told by the extension; ``.gz`` may follow; folders are read as sets.

Files may come from anyone: nothing in them is run, unpickled or fetched, and their size is limited. Whatever is wrong
with one is a FormatError that names it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphedx._files import AnyPath, as_path, atomic_write
from graphedx.convert import as_graph, is_graph
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph
from graphedx.io import registry, tu
from graphedx.io._load import MAX_BYTES, MAX_NODES, load, reason
from graphedx.io.registry import Format, formats

__all__ = ["MAX_BYTES", "MAX_NODES", "Format", "formats", "read", "read_all", "write"]


def read(path: AnyPath, *, format: str | None = None, **options: Any) -> Graph:
    """The one graph of a file; a file with several, or none, is refused. Options as in ``read_all``."""
    graphs = read_all(path, format=format, **options)
    if len(graphs) != 1:
        raise FormatError(f"{path}: holds {len(graphs) or 'no'} graphs, not one; use read_all to get a list")
    return graphs[0]


def read_all(path: AnyPath, *, format: str | None = None, **options: Any) -> list[Graph]:
    """Every graph of a file, of a TU folder, or of all files of known formats in a folder, sorted by name.

    Most formats take ``node_label`` and ``edge_label``: an attribute's name, several names, a callable or ``None``, see
    ``graphedx.convert.from_networkx``; ``formats()[name].options`` lists all options. Graphs without a name of their
    own are named after the file.
    """
    source = as_path(path)
    try:
        wanted = None if format is None else registry.named(format)
        if not str(path) or not source.exists():  # no path at all is not this folder
            raise FormatError("no such file")
        is_tu = source.is_dir() and (wanted.is_folder if wanted else tu.is_tu_folder(source))
        files = _known_files(source, wanted) if source.is_dir() and not is_tu else [source]
    except (FormatError, OSError, ValueError) as error:
        problem = reason(error) if isinstance(error, OSError) else str(error)
        raise FormatError(f"{path}: {problem}") from None
    if is_tu:
        return _guarded(registry.named("tu"), source, options)
    return [graph for file in files for graph in _read_file(file, wanted, options)]


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
            f"{path}: the extension {path.suffix!r} stands for no format; known are {known}, or pass format="
        )
    if wanted.is_folder:
        raise FormatError(f"{path}: format {wanted.name!r} is a folder, this is a file")
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
        raise FormatError(f"{path}: {error}") from None
    except RecursionError:
        raise FormatError(f"{path}: is nested too deeply to be read") from None
    except MemoryError:
        raise FormatError(f"{path}: needs more memory than there is") from None


def _known_files(folder: Path, wanted: Format | None) -> list[Path]:
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    known = [file for file in files if (found := registry.of_file(file)) and found == (wanted or found)]
    if not known:
        what = (
            f"{wanted.name} file" if wanted else f"TU set and no file of a known format ({registry.known_extensions()})"
        )
        raise FormatError(f"this folder holds no {what}")
    return known


def _writable(path: Path, format: str | None) -> Format:
    wanted = registry.of_file(path) if format is None else registry.named(format)
    if wanted is None:
        raise FormatError(
            f"the extension {path.suffix!r} stands for no format; known are {registry.known_extensions()}, "
            'or pass format= (for a TU folder format="tu")'
        )
    if not wanted.writable:
        raise FormatError(f"format {wanted.name!r} can be read but not written")
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
