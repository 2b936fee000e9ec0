"""Which formats there are, and which file is which."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphedx._quoting import quoted
from graphedx.errors import FormatError
from graphedx.graph import Graph
from graphedx.io import gexf, gml, graphml, gxl, node_link, python_source, sdf, smiles, tu


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: its name, how its files are named, and what can be done with it.

    ``parse`` takes the content (for a folder: its path) and options by keyword; ``serialize`` gives the text of a file.
    """

    name: str
    summary: str
    extensions: tuple[str, ...]
    parse: Callable[..., list[Graph]]
    serialize: Callable[[Sequence[Graph]], str] | None = None
    holds_many: bool = True
    is_folder: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The keywords that ``read`` takes for this format."""
        parameters = inspect.signature(self.parse).parameters.values()
        return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)

    @property
    def writable(self) -> bool:
        """Whether ``write`` knows the format too."""
        return self.serialize is not None or self.is_folder

    def require_options(self, options: dict[str, Any]) -> None:
        """Refuse options the format does not have."""
        for option in options:
            if option not in self.options:
                raise FormatError(
                    f"format {quoted(self.name)} has no option {quoted(option)}; it has {', '.join(self.options)}"
                )


_ALL = (
    Format(
        name="graphml",
        summary="GraphML (XML)",
        extensions=(".graphml",),
        parse=graphml.parse,
        serialize=graphml.serialize,
    ),
    Format(
        name="gml",
        summary="Graph Modelling Language",
        extensions=(".gml",),
        parse=gml.parse,
        serialize=gml.serialize,
        holds_many=False,
    ),
    Format(
        name="gexf",
        summary="Gephi's GEXF (XML)",
        extensions=(".gexf",),
        parse=gexf.parse,
        serialize=gexf.serialize,
        holds_many=False,
    ),
    Format(
        name="gxl",
        summary="GXL of the IAM collections (XML)",
        extensions=(".gxl",),
        parse=gxl.parse,
        serialize=gxl.serialize,
    ),
    Format(
        name="json",
        summary="networkx node-link JSON, an object or a list",
        extensions=(".json",),
        parse=node_link.parse,
        serialize=node_link.serialize,
    ),
    Format(
        name="jsonl",
        summary="node-link JSON, one graph a line",
        extensions=(".jsonl", ".ndjson"),
        parse=node_link.parse_lines,
        serialize=node_link.serialize_lines,
    ),
    Format(
        name="smiles",
        summary="SMILES, one molecule a line",
        extensions=(".smi", ".smiles"),
        parse=smiles.parse,
        serialize=smiles.serialize,
    ),
    Format(name="csv", summary="CSV with a smiles column", extensions=(".csv",), parse=smiles.parse_csv),
    Format(
        name="sdf", summary="SDF (V2000), the molecules of PubChem and NCI", extensions=(".sdf", ".sd"), parse=sdf.parse
    ),
    Format(
        name="python",
        summary="Python source, the syntax tree of each function",
        extensions=(".py",),
        parse=python_source.parse,
    ),
    Format(name="tu", summary="TU Dortmund folder", extensions=(), parse=tu.parse_folder, is_folder=True),
)
_BY_NAME = {each.name: each for each in _ALL}
_BY_EXTENSION = {extension: each for each in _ALL for extension in each.extensions}


def formats() -> dict[str, Format]:
    """Every format by name."""
    return dict(_BY_NAME)


def named(name: str) -> Format:
    """The format of this name."""
    if not isinstance(name, str) or name not in _BY_NAME:
        raise FormatError(f"no format {quoted(name)}; there are {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def of_file(path: Path) -> Format | None:
    """The format that the file's extension stands for, ``.gz`` aside."""
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return _BY_EXTENSION.get(plain.suffix.lower())


def known_extensions() -> str:
    """For messages."""
    return ", ".join(_BY_EXTENSION)
