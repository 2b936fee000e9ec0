"""Making datasets: from a source of the catalog, from files of one's own, or from graphs at hand."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from graphedx import io
from graphedx._files import as_path
from graphedx._quoting import quoted
from graphedx.convert import as_graph, require_graphs
from graphedx.datasets import catalog, files, sources
from graphedx.datasets.classes import shared_classes
from graphedx.datasets.dataset import SPLITS, Dataset, require_name
from graphedx.datasets.splits import Counts, Report, Rules, cleaned_with_origins, shuffled, split_sizes
from graphedx.errors import DatasetError, FormatError, GraphError
from graphedx.graph import Graph

_REPORT_EVERY = 50


def prepare(
    name: str,
    source: str | Path | None = None,
    out: str | Path | None = None,
    *,
    sha256: str | None = None,
    max_nodes: int | None = None,
    max_graphs: int | None = None,
    seed: int = 0,
    distinct: bool = True,
    labelled: bool = False,
    node_label: str | None = None,
    edge_label: str | None = None,
    count_all: bool = True,
    overwrite: bool = False,
    progress: bool = True,
) -> Dataset:
    """A dataset of the catalog, or under any other name one of your own graphs, cleaned and split as the paper does.

    ``source`` is a file, folder or URL, ``sha256`` what it must hash to. Kept are graphs of up to ``max_nodes`` nodes,
    the first of every isomorphism class (structure only, unless ``labelled``; all, unless ``distinct``), the first
    ``max_graphs`` of those; then they are shuffled with ``seed`` and split 60/20/20. A limit that is not given is that
    of the catalog. To count all classes the whole source is read, unless ``count_all`` is false.

    With ``out`` the dataset is saved there, see ``Dataset.save``. ``node_label`` and ``edge_label`` name the attributes
    that are labels, in files of your own.
    """
    if not isinstance(name, str):
        require_name(name)  # complains
    entry = find_entry(name)
    attributes = {"node_label": node_label, "edge_label": edge_label}
    _require_fitting(name, entry, source, sha256, attributes)
    rules = Rules(
        max_nodes=entry.max_nodes if entry and max_nodes is None else max_nodes,
        max_graphs=entry.max_graphs if entry and max_graphs is None else max_graphs,
        distinct=distinct,
        labelled=labelled,
        seed=seed,
    )
    if out is not None:
        place = as_path(out)
        there = files.stored_fingerprint(place) is not None  # it may yet turn out to be the same dataset
        files.require_replaceable(place, overwrite=overwrite or there)
    try:
        with _raw(entry, source, sha256, attributes, progress) as (graphs, origin), _reporter(progress) as report:
            dataset = _made(graphs, entry or name, rules, origin, count_all=count_all, report=report)
    except (DatasetError, FormatError) as error:
        hint = misspelt(name)
        raise (DatasetError(f"{error}; {hint}") if hint else error) from None
    return dataset if out is None else dataset.save(out, overwrite=overwrite)


def from_graphs(
    graphs: Iterable[Any],
    name: str,
    *,
    max_nodes: int | None = None,
    max_graphs: int | None = None,
    seed: int = 0,
    distinct: bool = True,
    labelled: bool = False,
) -> Dataset:
    """A dataset of graphs at hand (networkx, PyTorch Geometric, RDKit, ``Graph``), by the same rules as ``prepare``.

    A warning says how many graphs were dropped and why. ``dataset.origins`` has the position in ``graphs`` of every
    graph that was kept.

    >>> made = from_graphs([Graph(n, [(i, i + 1) for i in range(n - 1)]) for n in (1, 2, 3, 2, 4, 5)], "paths")
    >>> made.sizes, made.provenance["counts"]["distinct"]
    ((3, 1, 1), 5)
    """
    require_name(name)
    rules = Rules(max_nodes=max_nodes, max_graphs=max_graphs, distinct=distinct, labelled=labelled, seed=seed)
    dataset = _made(_converted(graphs), name, rules, {"origin": "graphs in memory"}, keep_origins=True)
    if dropped := Counts(**dataset.provenance["counts"]).dropped(rules):
        warnings.warn(f"{name}: {dropped}", stacklevel=2)
    return dataset


def find_entry(name: str) -> catalog.Entry | None:
    """What the catalog has under this name or an alias; None if it is the name of a set of one's own."""
    try:
        return catalog.get(name)
    except DatasetError:
        return None


def misspelt(name: str) -> str:
    """A word about the name of a set of one's own that looks like one of the catalog; else nothing."""
    close = None if find_entry(name) else _close(name)
    return (
        f"{quoted(name)} is not in the catalog and was taken for a set of your own; did you mean {close}?"
        if close
        else ""
    )


def _close(name: str) -> str | None:
    return next(iter(get_close_matches(name.lower(), list(catalog.CATALOG), n=1, cutoff=0.7)), None)


def _require_fitting(
    name: str,
    entry: catalog.Entry | None,
    source: str | Path | None,
    sha256: str | None,
    attributes: Mapping[str, str | None],
) -> None:
    """Refuse what the dataset has no use for, and ask for what it needs."""
    if entry is None:
        require_name(name)
        if source is None:
            close = _close(name)
            hint = f"did you mean {close}?" if close else f"it has {', '.join(catalog.CATALOG)};"
            raise DatasetError(
                f"{quoted(name)} is not in the catalog: {hint} for a set of your own give its files as source"
            )
        return
    if any(attributes.values()):
        raise DatasetError(f"{entry.name} has labels of its own; node_label and edge_label are for files of yours")
    if entry.generate is not None and (source is not None or sha256 is not None):
        raise DatasetError(f"{entry.name} is made by graphedx itself; it takes no source")
    if entry.generate is None and source is None:
        raise DatasetError(f"{entry.name} is not part of graphedx and needs a source: {entry.source_hint}")


@contextmanager
def _raw(
    entry: catalog.Entry | None,
    source: str | Path | None,
    sha256: str | None,
    attributes: Mapping[str, str | None],
    progress: bool,
) -> Iterator[tuple[Iterable[Graph], dict[str, Any]]]:
    """The graphs as they come, for as long as the source is open, and where they come from."""
    if entry is not None and entry.generate is not None:
        yield entry.generate(), {"origin": entry.made_from()}
        return
    assert source is not None
    with sources.opened(source, sha256=sha256, progress=progress) as found:
        origin = {"origin": found.origin, "sha256": found.sha256}
        if entry is None or entry.read is None:
            yield _own_graphs(found.path, attributes), origin
            return
        graphs = entry.read(found.path)
        try:
            yield graphs, origin
        finally:
            if isinstance(graphs, Iterator) and hasattr(graphs, "close"):
                graphs.close()  # its file, before the folder that it lies in goes


def _own_graphs(path: Path, attributes: Mapping[str, str | None]) -> list[Graph]:
    """The graphs of a file, or of a folder, which may be the only thing in an archive."""
    while path.is_dir() and len(inside := list(path.iterdir())) == 1 and inside[0].is_dir():
        path = inside[0]
    given = {keyword: attribute for keyword, attribute in attributes.items() if attribute is not None}
    graphs = io.read_all(path, **given)
    for keyword, attribute in given.items():
        # An attribute that nothing has is a slip of the pen, and would make all labels equal without a word.
        labels = [label for graph in graphs for label in getattr(graph, f"{keyword}s")]
        if labels and all(label is None for label in labels):
            raise DatasetError(f"{path.name}: no {keyword.partition('_')[0]} has an attribute {quoted(attribute)}")
    return graphs


def _converted(things: Iterable[Any]) -> Iterator[Graph]:
    require_graphs(things)
    for number, thing in enumerate(things):
        try:
            graph = as_graph(thing)
        except GraphError as error:
            raise DatasetError(f"graph {number}: {error}") from None
        yield graph if graph.name else graph.renamed(f"graph {number}")


def _made(
    graphs: Iterable[Graph],
    what: catalog.Entry | str,
    rules: Rules,
    origin: Mapping[str, Any],
    *,
    count_all: bool = True,
    report: Report | None = None,
    keep_origins: bool = False,
) -> Dataset:
    kept, counts = cleaned_with_origins(graphs, rules, count_all=count_all, report=report)
    order = shuffled(kept, rules.seed)
    name, title = (what, what) if isinstance(what, str) else (what.name, what.title)
    dataset = Dataset(name, tuple(graph for graph, _ in order), split_sizes(len(kept)))
    shared = shared_classes({split: dataset.split(split) for split in SPLITS}, labelled=rules.labelled)
    provenance = {
        "title": title,
        "source": dict(origin),
        "rules": asdict(rules),
        "counts": counts._asdict(),
        **({"origins": [origin for _, origin in order]} if keep_origins else {}),
        "isomorphic_between_splits": len(shared),
        "software": {"graphedx": _version()},
    }
    return replace(dataset, provenance=provenance)


def _version() -> str:
    try:
        return version("graphedx")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"


@contextmanager
def _reporter(progress: bool) -> Iterator[Report]:
    """What to tell how many graphs are read: a line on stderr if that is a terminal, or nobody."""
    if not progress or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} graphs read"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda read: bar.update(task, completed=read) if read % _REPORT_EVERY == 0 else None
