"""What every reader finds in a file, and what every writer may put into one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from graphedx._quoting import quoted
from graphedx.convert.labels import Attributes, LabelRule, label_reader
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph, Label, Name

WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


@dataclass(slots=True)
class Record:
    """A graph as a file tells it: names and attributes, nothing checked yet."""

    nodes: list[tuple[Name, Attributes]] = field(default_factory=list)
    edges: list[tuple[Name, Name, Attributes]] = field(default_factory=list)
    directed: bool = False
    name: str = ""
    text_names: bool = True  # the format knows no other names than text


def build(record: Record, node_label: LabelRule, edge_label: LabelRule) -> Graph:
    """The Graph of a record; where names are text, all of them whole numbers, they become ints."""
    renamed = _renaming([name for name, _ in record.nodes]) if record.text_names else lambda name: name
    node_reader, edge_reader = label_reader(node_label), label_reader(edge_label, "edge_label")
    try:
        return Graph(
            [renamed(name) for name, _ in record.nodes],
            [(renamed(u), renamed(v)) for u, v, _ in record.edges],
            node_labels=[node_reader(attributes) for _, attributes in record.nodes],
            edge_labels=[edge_reader(attributes) for _, _, attributes in record.edges],
            directed=record.directed,
            name=record.name,
        )
    except GraphError as error:
        raise FormatError(f"graph {quoted(record.name)}: {error}" if record.name else str(error)) from None


def name_texts(graph: Graph) -> tuple[str, ...]:
    """The node names as text, for the formats that know no other; two names must not look the same."""
    texts = tuple(str(name) for name in graph.nodes)
    seen: dict[str, Name] = {}
    for text, name in zip(texts, graph.nodes, strict=True):
        if text in seen:
            raise FormatError(
                f"nodes {quoted(seen[text])} and {quoted(name)} are both written {quoted(text)}; rename one of them"
            )
        seen[text] = name
    return texts


def kind_of(label: Label, where: str, format_name: str, *, integer_bits: int = 64) -> str:
    """Which of none, bool, int, float, str a label is; anything else the format cannot hold."""
    if label is None:
        return "none"
    if isinstance(label, bool):
        return "bool"
    if isinstance(label, int) and -(2 ** (integer_bits - 1)) <= label < 2 ** (integer_bits - 1):
        return "int"
    if isinstance(label, float):
        return "float"
    if isinstance(label, str):
        return "str"
    raise cannot_hold(label, where, format_name)


def cannot_hold(label: Label, where: str, format_name: str) -> FormatError:
    """The error for a label that would not come back as it was."""
    return FormatError(
        f"{format_name} cannot hold the label {quoted(label)} ({type(label).__name__}) of {where}; relabel it first"
    )


def _renaming(names: list[Name]) -> Callable[[Name], Name]:
    if not all(isinstance(name, str) and WHOLE_NUMBER.fullmatch(name) for name in names):
        return lambda name: name
    number: dict[Name, Name] = {name: int(str(name)) for name in names}
    return lambda name: number.get(name, name)
