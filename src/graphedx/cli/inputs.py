"""Graphs as they are named on the command line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from graphedx import io
from graphedx.convert import from_smiles
from graphedx.datasets import files
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph

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
    if text.startswith("smiles:"):
        graphs = [_molecule(text.removeprefix("smiles:"), labels)]
    else:
        path, wanted = _split(text)
        graphs = _dataset(path, labels) if _is_dataset(path) else io.read_all(path, format=format, **labels.options)
        _require_labels(path, graphs, labels)
        if wanted is not None:
            graphs = [_chosen(path, graphs, wanted)]
    return [graph.unlabelled() for graph in graphs] if labels.unlabelled else graphs


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
            raise FormatError(f"{path}: no {what} has an attribute {attribute!r}; --unlabelled compares structure only")


def graphs_of(texts: Sequence[str], labels: Labels) -> list[Graph]:
    """The graphs of several arguments together; where two have the same name, the file's name is put before it."""
    found = [(text, graph) for text in texts for graph in all_graphs(text, labels)]
    if not found:
        raise FormatError(f"{', '.join(texts)}: holds no graphs to compare")
    times = Counter(graph.name for _, graph in found)
    return [
        graph if times[graph.name] == 1 else graph.renamed(f"{Path(text).stem}:{graph.name}") for text, graph in found
    ]


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
        raise FormatError(f"{path}: {len(named)} graphs are named {wanted!r}; choose by number: {places}")
    if wanted.isdecimal() and len(wanted) < 10 and 1 <= int(wanted) <= len(graphs):
        return graphs[int(wanted) - 1]
    close = get_close_matches(wanted, [graph.name for graph in graphs], n=3)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise FormatError(f"{path}: none of its {len(graphs)} graphs is {wanted!r}{hint}")


def _molecule(smiles: str, labels: Labels) -> Graph:
    try:
        return from_smiles(smiles, name=smiles, **labels.options)
    except GraphError as error:
        raise GraphError(f"smiles:{smiles}: {error}") from None
