"""SDF, as PubChem and the National Cancer Institute hand out molecules: V2000 records that end in ``$$$$``.

Only what makes the graph is read: the atoms' symbols and the bonds' types. RDKit is not needed, and hydrogens are nodes
where the file lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from graphedx._quoting import quoted
from graphedx.convert.labels import Attributes, LabelRule, label_reader
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph, Label
from graphedx.io._load import decode

_BONDS = {1: "SINGLE", 2: "DOUBLE", 3: "TRIPLE", 4: "AROMATIC"}  # the names that RDKit has for them
_Reader = Callable[[Attributes], Label]
_END_OF_RECORD = "$$$$"
_END_OF_MOLECULE = "M  END"


def parse(content: bytes, *, node_label: LabelRule = "symbol", edge_label: LabelRule = "type") -> list[Graph]:
    """Every record, named by its first line; ``node_label`` knows the attribute symbol, ``edge_label`` type."""
    lines = (line.removesuffix("\r") for line in decode(content).split("\n"))
    return list(records(lines, node_label=node_label, edge_label=edge_label))


def records(
    lines: Iterable[str], *, node_label: LabelRule = "symbol", edge_label: LabelRule = "type"
) -> Iterator[Graph]:
    """The graphs of ``parse`` one at a time, from lines without their ends."""
    node_reader, edge_reader = label_reader(node_label), label_reader(edge_label, "edge_label")
    for number, block in enumerate(_blocks(iter(lines)), 1):
        try:
            yield _graph(block, node_reader, edge_reader)
        except (FormatError, GraphError) as error:
            raise FormatError(f"record {number} ({quoted(block.name)}): {error}") from None


class _Block(NamedTuple):
    """The part of a record that makes the graph."""

    name: str
    atoms: list[str]
    bonds: list[str]


def _blocks(lines: Iterator[str]) -> Iterator[_Block]:
    """Record after record; the properties that follow the bonds are passed over, not kept."""
    number = 0
    while head := list(islice(lines, 4)):
        if not any(line.strip() for line in head) and not any(line.strip() for line in lines):
            break  # nothing but empty lines after the last record
        number += 1
        try:
            atoms, bonds = _counts(head)
        except FormatError as error:
            raise FormatError(f"record {number}: {error}") from None
        block = _Block(head[0].strip(), list(islice(lines, atoms)), list(islice(lines, bonds)))
        ended = False
        for after, line in enumerate(lines):
            if after == 0 and line[:3].strip().isdigit():
                raise FormatError(f"record {number} announces {atoms} atoms and {bonds} bonds, but has more lines")
            if line.startswith(_END_OF_RECORD):
                ended = True
                break
            ended = ended or line.startswith(_END_OF_MOLECULE)
        if not ended:
            raise FormatError(f"record {number} is cut short: neither {_END_OF_MOLECULE!r} nor {_END_OF_RECORD!r}")
        yield block
    if not number:
        raise FormatError("the file is empty")


def _counts(head: list[str]) -> tuple[int, int]:
    """Numbers of atoms and bonds, in columns of three that may touch."""
    line = head[3] if len(head) == 4 else ""
    if "V3000" in line:
        raise FormatError("is V3000, and only V2000 is read; convert it first")
    try:
        return _number(line[0:3]), _number(line[3:6])
    except ValueError:
        raise FormatError(f"line 4 must begin with the numbers of atoms and bonds, got {quoted(line)}") from None


def _graph(block: _Block, node_label: _Reader, edge_label: _Reader) -> Graph:
    symbols = [_symbol(line) for line in block.atoms]
    bonds = [_bond(line, len(symbols)) for line in block.bonds]
    return Graph(
        len(symbols),
        [(u - 1, v - 1) for u, v, _ in bonds],
        node_labels=[node_label({"symbol": symbol}) for symbol in symbols],
        edge_labels=[edge_label({"type": kind}) for _, _, kind in bonds],
        name=block.name,
    )


def _symbol(line: str) -> str:
    symbol = line[31:34].strip()
    if not symbol or symbol[0].isdigit() or " " in symbol:
        raise FormatError(f"an atom line has three coordinates and a symbol in columns 32 to 34, got {quoted(line)}")
    return symbol


def _bond(line: str, atoms: int) -> tuple[int, int, str]:
    try:
        u, v, kind = _number(line[0:3]), _number(line[3:6]), _number(line[6:9])
    except ValueError:
        raise FormatError(f"a bond line begins with two atoms and a bond type, got {quoted(line)}") from None
    if not (1 <= u <= atoms and 1 <= v <= atoms):
        raise FormatError(f"a bond names an atom beyond 1 to {atoms}: {u}, {v}")
    if kind not in _BONDS:
        raise FormatError(f"bond types are 1 to 4 (single, double, triple, aromatic), got {kind}")
    return u, v, _BONDS[kind]


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError("counts and places are not negative")
    return number
