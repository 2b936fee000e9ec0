"""``graphedx data``: the datasets there are, and making them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from graphedx.cli import options, render
from graphedx.cli.guard import complain
from graphedx.datasets import catalog, files
from graphedx.datasets.catalog import Entry, PaperRow
from graphedx.datasets.dataset import SPLITS, Dataset
from graphedx.datasets.prepare import find_entry, misspelt, prepare
from graphedx.drawing.text import counted

app = typer.Typer(no_args_is_help=True, help="Datasets: the paper's seven, embedded ones and your own.")

_LIST_EPILOG = """Examples:

  graphedx data list

  graphedx data list --json"""

_PREPARE_EPILOG = """Examples:

  graphedx data prepare alkanes

  graphedx data prepare aids --source AIDS.zip --out data/aids

  graphedx data prepare mine --source graphs/ --max-nodes 30 --labelled"""


@app.command("list", epilog=_LIST_EPILOG)
def list_datasets(as_json: options.Json = False) -> None:
    """The datasets of the catalog, with the paper's numbers where there are any."""
    entries = catalog.CATALOG.values()
    if as_json:
        render.print_json({entry.name: _entry_data(entry) for entry in entries})
        return
    heads = ["name", "kind", "graphs in the paper", "pairs", "nodes", "edges"]
    render.print_table(heads, map(_entry_row, entries), right=(2, 3, 4, 5))
    render.print_facts((entry.name, _entry_text(entry)) for entry in entries)


@app.command("prepare", epilog=_PREPARE_EPILOG)
def prepare_dataset(
    name: Annotated[str, typer.Argument(help="One of `data list`, or any other name for graphs of your own.")],
    source: Annotated[
        str | None, typer.Option(metavar="FILE_OR_URL", help="The raw graphs: a file, an archive, a folder or a URL.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="The folder to write; by default ./NAME.")] = None,
    sha256: Annotated[str | None, typer.Option(metavar="HEX", help="Refuse a source that has another SHA-256.")] = None,
    max_nodes: Annotated[int | None, typer.Option(metavar="N", min=0, help="Leave out larger graphs.")] = None,
    max_graphs: Annotated[int | None, typer.Option(metavar="N", min=1, help="Keep the first N.")] = None,
    keep_duplicates: Annotated[bool, typer.Option("--keep-duplicates", help="Keep isomorphic graphs.")] = False,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="Graphs that differ in labels only are no duplicates.")
    ] = False,
    node_label: options.NodeLabel = None,
    edge_label: options.EdgeLabel = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the shuffle before the split.")] = 0,
    count_all: Annotated[
        bool, typer.Option(help="Read on after the last graph that is kept, to count them all.")
    ] = True,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Clean graphs and split them 60/20/20 as the paper does, into a folder.

    Small enough, the first of every isomorphism class, shuffled: the same source gives the same bytes.
    """
    entry = find_entry(name)
    folder = out or Path(entry.name if entry else name)
    before, labels = files.stored_fingerprint(folder), files.has_labels(folder)
    keywords: dict[str, Any] = {"sha256": sha256, "max_nodes": max_nodes, "max_graphs": max_graphs, "seed": seed}
    keywords |= {"distinct": not keep_duplicates, "labelled": labelled, "count_all": count_all}
    keywords |= {"node_label": node_label, "edge_label": edge_label, "overwrite": overwrite}
    dataset = prepare(name, source, folder, **keywords)
    if hint := misspelt(name):
        complain(f"note: {hint}")
    lost = labels and not files.has_labels(folder)
    _show(dataset, entry, unchanged=before == dataset.fingerprint, lost=lost, as_json=as_json)


def _show(dataset: Dataset, entry: Entry | None, *, unchanged: bool, lost: bool, as_json: bool) -> None:
    paper = entry.paper if entry else None
    pairs = [size * (size + 1) // 2 for size in dataset.sizes]
    if as_json:
        data: dict[str, Any] = {"name": dataset.name, "folder": str(dataset.folder)}
        data |= {"unchanged": unchanged, "labels_lost": lost}
        data |= {"sizes": dict(zip(SPLITS, dataset.sizes, strict=True)), "pairs": dict(zip(SPLITS, pairs, strict=True))}
        data |= {"fingerprint": dataset.fingerprint, "provenance": dict(dataset.provenance)}
        render.print_json(data | {"paper": paper._asdict() if paper else None})
        return
    rows = [*_known_steps(dataset, paper), *_splits(dataset, pairs, paper)]
    heads = ["step", "graphs", "pairs", *(["in the paper"] if paper else [])]
    render.print_table(heads, [row[: len(heads)] for row in rows], right=(1, 2, 3))
    shared, source = dataset.provenance.get("isomorphic_between_splits"), dataset.provenance.get("source")
    known = isinstance(shared, int)
    leaks = f"{shared:,} isomorphic pairs between splits" if known and shared else "none, no splits share a graph"
    origin = source.items() if isinstance(source, dict) else ()
    render.print_facts(
        [
            ("nodes", _average([len(graph) for graph in dataset.graphs], paper.avg_nodes if paper else None)),
            ("edges", _average([graph.num_edges for graph in dataset.graphs], paper.avg_edges if paper else None)),
            *([("leaks", leaks)] if known else []),
            *((what.replace("origin", "source"), said) for what, said in origin),
            ("fingerprint", dataset.fingerprint),
            ("unchanged" if unchanged else "written", str(dataset.folder)),
            *([("labels", "those of the old graphs are gone")] if lost else []),
        ]
    )


def _known_steps(dataset: Dataset, paper: PaperRow | None) -> list[tuple[str, str, str, str]]:
    try:
        return _steps(dataset.provenance["rules"], dataset.provenance["counts"], paper)
    except (KeyError, TypeError, ValueError):
        return []  # the very same graphs lay there already, and whoever made them does not tell how


def _steps(
    rules: Mapping[str, Any], counts: Mapping[str, Any], paper: PaperRow | None
) -> list[tuple[str, str, str, str]]:
    so_far = " so far" if counts["stopped_early"] else ""
    rows = [(f"read{so_far}", f"{counts['read']:,}", "", "")]
    if rules["max_nodes"] is not None:
        rows.append((f"at most {counted(rules['max_nodes'], 'node')}", f"{counts['within_size']:,}", "", ""))
    if counts["distinct"] is not None:
        what = "labelled graphs" if rules["labelled"] else "structures"
        rows.append((f"distinct {what}{so_far}", f"{counts['distinct']:,}", "", ""))
    first = f", the first {rules['max_graphs']:,}" if rules["max_graphs"] is not None else ""
    return [*rows, (f"kept{first}", f"{counts['kept']:,}", "", f"{paper.graphs:,} graphs" if paper else "")]


def _splits(dataset: Dataset, pairs: list[int], paper: PaperRow | None) -> list[tuple[str, str, str, str]]:
    theirs = (paper.train_pairs, paper.val_pairs, paper.test_pairs) if paper else (0, 0, 0)
    rows = zip(SPLITS, dataset.sizes, pairs, theirs, strict=True)
    return [(split, f"{size:,}", f"{ours:,}", f"{their:,} pairs") for split, size, ours, their in rows]


def _average(numbers: list[int], paper: float | None) -> str:
    beside = "" if paper is None else f" ({paper:.2f} in the paper)"
    return f"{sum(numbers) / len(numbers):.2f} on average, at most {max(numbers)}{beside}"


def _entry_row(entry: Entry) -> list[str]:
    paper = entry.paper
    numbers = ["", "", "", ""]
    if paper:
        pairs = paper.train_pairs + paper.val_pairs + paper.test_pairs
        numbers = [f"{paper.graphs:,}", f"{pairs:,}", f"{paper.avg_nodes:.2f}", f"{paper.avg_edges:.2f}"]
    return [entry.name, "embedded" if entry.generate else "needs a source", *numbers]


def _entry_text(entry: Entry) -> str:
    source = "" if entry.generate else f"; source: {entry.source_hint}"
    return f"{entry.title}, {entry.summary}{source}"


def _entry_data(entry: Entry) -> dict[str, Any]:
    return {
        "title": entry.title,
        "summary": entry.summary,
        "embedded": entry.generate is not None,
        "source": None if entry.generate else entry.source_hint,
        "max_nodes": entry.max_nodes,
        "max_graphs": entry.max_graphs,
        "labelled": entry.labelled,
        "paper": entry.paper._asdict() if entry.paper else None,
    }
