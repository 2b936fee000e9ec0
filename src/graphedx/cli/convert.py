"""``graphedx convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphedx import io
from graphedx.cli import options
from graphedx.cli.inputs import Labels, all_graphs
from graphedx.drawing.text import clean, counted
from graphedx.io import formats

EPILOG = """Examples:

  graphedx convert graph.gml graph.graphml

  graphedx convert molecules.smi molecules.jsonl --overwrite

  graphedx convert code.py::main tree.gexf"""

_FORMAT = f"One of {', '.join(formats())}; by default told by the extension."


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file or folder of graphs, or one graph of it.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; for tu a folder.")],
    format_in: Annotated[str | None, typer.Option(metavar="FORMAT", help=_FORMAT)] = None,
    format_out: Annotated[str | None, typer.Option(metavar="FORMAT", help=_FORMAT)] = None,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Graphs from one file format to another."""
    graphs = all_graphs(source, Labels(node_label, edge_label, unlabelled), format_in)
    io.write(graphs, target, format=format_out, overwrite=overwrite)
    print(f"{counted(len(graphs), 'graph')} written to {clean(target)}")
