"""Graphs as they are named on the command line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from graphedx import io
from graphedx._quoting import quoted, shortened
from graphedx.cli.guard import complain
from graphedx.convert import from_smiles
from graphedx.datasets import files
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph
from graphedx.io.tu import is_tu_folder

_MARK = re.compile("::|#")


class Labels(NamedTuple):
    """Which labels to read; ``None`` is whatever the format calls the label."""

    node: str | None = None
    edge: str | None = None
    unlabelled: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """As keywords for ``read_all``."""
        named = {"node_label": self.node, "edge_label": self.edge}
        return {keyword: attribute for keyword, attribute in named.items() if attribute is not None}


def one_graph(text: str, labels: Labels = Labels()) -> Graph:  # noqa: B008
    """The graph that an argument names; several are an error that says how to choose."""
    graphs = all_graphs(text, labels)
    if len(graphs) != 1:
        hint = f"; choose one, such as {text}#{graphs[0].name} or {text}#1" if graphs else ""
        raise FormatError(f"{text}: holds {len(graphs) or 'no'} graphs, not one{hint}")
    return graphs[0]


def all_graphs(text: str, labels: Labels = Labels(), format: str | None = None) -> list[Graph]:  # noqa: B008
    """All graphs of a file, folder or dataset; or one: ``FILE#NAME``, ``FILE.py::FUNCTION`` or ``smiles:TEXT``."""
    return [graph for _, graph in _with_origins(text, labels, format)]


def _with_origins(
    text: str, labels: Labels, format: str | None = None, *, skip_unreadable: bool = False
) -> list[tuple[str, Graph]]:
    """The graphs of ``all_graphs``, each with the name of its file; in a folder this is its path below the folder."""
    stem = Path(text).stem
    if text.startswith("smiles:"):
        found = [(stem, _molecule(text.removeprefix("smiles:"), labels))]
    else:
        path, wanted = _split(text)
        if _is_dataset(path):
            found = [(stem, graph) for graph in _dataset(path, labels)]
        elif _is_plain_folder(path):
            found = _of_folder(path, labels, format, skip_unreadable)
        else:
            found = [(stem, graph) for graph in io.read_all(path, format=format, **labels.options)]
        graphs = [graph for _, graph in found]
        _require_labels(path, graphs, labels)
        if wanted is not None:
            found = [(stem, _chosen(path, graphs, wanted))]
    return [(origin, graph.unlabelled()) for origin, graph in found] if labels.unlabelled else found


def _of_folder(path: str, labels: Labels, format: str | None, skip_unreadable: bool) -> list[tuple[str, Graph]]:
    """Read a folder, and say on stderr how many files were read, and how many were skipped and why."""
    contents = io.read_folder(path, format=format, skip_unreadable=skip_unreadable, **labels.options)
    complain(f"{path}: {contents.summary()}")
    names = [file.relative_to(path).as_posix() for file in contents.origins]
    return list(zip(names, contents.graphs, strict=True))


def _is_plain_folder(path: str) -> bool:
    return _exists(path) and bool(path) and Path(path).is_dir() and not is_tu_folder(Path(path))


def _is_dataset(path: str) -> bool:
    return _exists(path) and all((Path(path) / part).is_file() for part in (files.DESCRIPTION, files.GRAPHS))


def _dataset(path: str, labels: Labels) -> list[Graph]:
    if labels.options:
        raise FormatError(f"{path}: the labels of a dataset were chosen when it was prepared; --unlabelled drops them")
    return list(files.load(path).graphs)


def _require_labels(path: str, graphs: Sequence[Graph], labels: Labels) -> None:
    """An attribute that nothing has is a slip of the pen, and would make all labels equal without a word."""
    for attribute, what, found in (
        (labels.node, "node", [label for graph in graphs for label in graph.node_labels]),
        (labels.edge, "edge", [label for graph in graphs for label in graph.edge_labels]),
    ):
        if attribute is not None and found and all(label is None for label in found):
            raise FormatError(
                f"{path}: no {what} has an attribute {quoted(attribute)}; --unlabelled compares structure only"
            )


def graphs_of(texts: Sequence[str], labels: Labels, *, skip_unreadable: bool = False) -> list[Graph]:
    """The graphs of several arguments together; where two have the same name, the file's name is put before it."""
    found = [each for text in texts for each in _with_origins(text, labels, skip_unreadable=skip_unreadable)]
    if not found:
        raise FormatError(f"{', '.join(texts)}: holds no graphs to compare")
    times = Counter(graph.name for _, graph in found)
    return [graph if times[graph.name] == 1 else graph.renamed(f"{origin}:{graph.name}") for origin, graph in found]


def _split(text: str) -> tuple[str, str | None]:
    """The file, and which of its graphs; marks may be part of either's name, so the longest file that exists wins."""
    if _exists(text):
        return text, None
    ways = [(text[: found.start()], text[found.end() :]) for found in _MARK.finditer(text) if found.start()]
    for path, wanted in reversed(ways):
        if _exists(path):
            return path, wanted
    return ways[0] if ways else (text, None)


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # too long, or a null byte: reading will say so
        return False


def _chosen(path: str, graphs: list[Graph], wanted: str) -> Graph:
    """By name, else by number, counted from 1."""
    named = [graph for graph in graphs if graph.name == wanted]
    if len(named) == 1:
        return named[0]
    if len(named) > 1:
        places = ", ".join(str(k) for k, graph in enumerate(graphs, 1) if graph.name == wanted)
        raise FormatError(f"{path}: {len(named)} graphs are named {quoted(wanted)}; choose by number: {places}")
    if wanted.isdecimal() and len(wanted) < 10 and 1 <= int(wanted) <= len(graphs):
        return graphs[int(wanted) - 1]
    close = get_close_matches(wanted, [graph.name for graph in graphs], n=3)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise FormatError(f"{path}: none of its {len(graphs)} graphs is {quoted(wanted)}{hint}")


def _molecule(smiles: str, labels: Labels) -> Graph:
    try:
        return from_smiles(smiles, name=smiles, **labels.options)
    except GraphError as error:
        raise GraphError(f"smiles:{shortened(smiles)}: {error}") from None
