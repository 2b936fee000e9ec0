"""``graphedx index``: collections of graphs that can be searched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from graphedx.api import GraphIndex
from graphedx.cli import options, render
from graphedx.cli.guard import REFUTED, complain
from graphedx.cli.inputs import Labels, graphs_of
from graphedx.cli.outputs import require_free
from graphedx.drawing.text import counted
from graphedx.errors import IntegrityError
from graphedx.graph import Graph
from graphedx.search.files import only_writer, verify

app = typer.Typer(no_args_is_help=True, help="Indexes: large collections of graphs that `graphedx search` looks into.")

_BUILD_EPILOG = """Examples:

  graphedx index build molecules.gxi molecules.smi more.sdf

  graphedx index build functions.gxi src/package/ --unlabelled

  graphedx index build aids.gxi data/aids --vectors"""

_INFO_EPILOG = """Example:

  graphedx index info molecules.gxi"""

_ADD_EPILOG = """Example:

  graphedx index add molecules.gxi new.smi"""

_REMOVE_EPILOG = """Example:

  graphedx index remove molecules.gxi aspirin caffeine"""

_VERIFY_EPILOG = """Example:

  graphedx index verify molecules.gxi"""

IndexFile = Annotated[Path, typer.Argument(metavar="INDEX", help="An index that `index build` made.")]
SkipUnreadable = Annotated[
    bool, typer.Option("--skip-unreadable", help="Skip files of folders that cannot be read; stderr says how many.")
]


@app.command("build", epilog=_BUILD_EPILOG)
def build_index(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write, such as molecules.gxi.")],
    inputs: options.Inputs,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    skip_unreadable: SkipUnreadable = False,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Keep what `search --approximate` needs; else each such search makes it.")
    ] = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Make an index of graphs.

    Folders are read with all folders below them; a line on stderr says how many files were read and skipped. Graphs go
    by their names if all have different ones, else by numbers from 0 on.
    """
    require_free([out], overwrite=overwrite)
    start = perf_counter()
    with only_writer(out) if out.exists() else nullcontext():
        index = GraphIndex.build(
            _read(inputs, Labels(node_label, edge_label, unlabelled), skip_unreadable), vectors=vectors
        )
        index.save(out, overwrite=overwrite)
    _show(index, out, as_json, seconds=perf_counter() - start)


@app.command("info", epilog=_INFO_EPILOG)
def index_info(index: IndexFile, as_json: options.Json = False) -> None:
    """What an index holds."""
    _show(GraphIndex.load(index), index, as_json)


@app.command("add", epilog=_ADD_EPILOG)
def add_to_index(
    index: IndexFile,
    inputs: options.Inputs,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    unlabelled: options.Unlabelled = False,
    skip_unreadable: SkipUnreadable = False,
    as_json: options.Json = False,
) -> None:
    """Put more graphs into an index.

    Who searches it meanwhile sees it as it was before.
    """
    start = perf_counter()
    with only_writer(index):
        grown = GraphIndex.load(index)
        added = grown.add(_read(inputs, Labels(node_label, edge_label, unlabelled), skip_unreadable))
        grown.save(index, overwrite=True)
    _show(grown, index, as_json, seconds=perf_counter() - start, added=len(added))


@app.command("remove", epilog=_REMOVE_EPILOG)
def remove_from_index(
    index: IndexFile,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The graphs to take out.", show_default=False)],
    as_json: options.Json = False,
) -> None:
    """Take graphs out of an index."""
    start = perf_counter()
    with only_writer(index):
        shrunk = GraphIndex.load(index)
        shrunk.remove(ids)
        shrunk.save(index, overwrite=True)
    _show(shrunk, index, as_json, seconds=perf_counter() - start, removed=len(ids))


@app.command("verify", epilog=_VERIFY_EPILOG)
def verify_index(index: IndexFile, as_json: options.Json = False) -> None:
    """Read a whole index and compare it with its checksums.

    Exit code 4 if the file is damaged or no index.
    """
    start, problem = perf_counter(), None
    try:
        found: dict[str, Any] = verify(index)._asdict()
    except IntegrityError as error:
        found, problem = {}, str(error)
        complain(problem)
    seconds = perf_counter() - start
    if as_json:
        render.print_json({"index": str(index), "intact": problem is None, **found, "problem": problem})
    elif problem is None:
        how = "every checksum matches" if found["checksums"] else "an older format without checksums; save it again"
        rows = [("graphs", f"{found['graphs']:,}"), ("size", f"{found['bytes']:,} bytes"), ("checked", how)]
        render.print_facts([*rows, ("time", render.duration(seconds))])
    raise typer.Exit(REFUTED if problem else 0)


def _read(inputs: list[str], labels: Labels, skip_unreadable: bool) -> Iterator[Graph]:
    """The graphs one by one; a terminal is told what takes so long."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from graphs_of(inputs, labels, skip_unreadable=skip_unreadable)
        return
    from rich.console import Console
    from rich.progress import track

    terminal = Console(stderr=True)
    with terminal.status("reading ..."):
        graphs = graphs_of(inputs, labels, skip_unreadable=skip_unreadable)
    yield from track(graphs, "graphs", console=terminal, transient=True)


def _show(index: GraphIndex, path: Path, as_json: bool, *, seconds: float | None = None, **changed: int) -> None:
    info = index.info()
    if as_json:
        data: dict[str, Any] = {"index": str(path), **asdict(info), "bytes_a_graph": info.bytes_a_graph, **changed}
        render.print_json(data | ({} if seconds is None else {"seconds": seconds}))
        return
    each = max(info.graphs, 1)
    render.print_facts(
        [
            *((what, f"{number:,}") for what, number in changed.items()),
            ("graphs", f"{info.graphs:,}{', directed' if info.directed else ''}"),
            ("nodes", f"{info.nodes:,}, {info.nodes / each:.1f} a graph, {counted(info.node_labels, 'label')}"),
            ("edges", f"{info.edges:,}, {info.edges / each:.1f} a graph, {counted(info.edge_labels, 'label')}"),
            ("size", f"{info.bytes:,} bytes, {info.bytes_a_graph:.0f} a graph"),
            (
                "vectors",
                f"{info.vector_bytes:,} bytes, {info.vector_bytes / each:.0f} a graph" if info.vector_bytes else "none",
            ),
            *([] if seconds is None else [("time", render.duration(seconds)), ("written", str(path))]),
        ]
    )
