"""A tour in one command: a dataset of Python's own functions, labelled exactly, checked and shown on a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from graphedx._files import AnyPath, atomic_folder, atomic_write
from graphedx.datasets import files
from graphedx.demo import functions as library
from graphedx.demo import labelled, pages
from graphedx.drawing.text import counted
from graphedx.engine import Report
from graphedx.errors import OutputError

DATASET = "dataset"


class DemoReport(NamedTuple):
    """What the demo did, and where its page and its dataset are."""

    page: Path
    dataset: Path
    graphs: int
    labels: int  # of all four costs
    labels_proven: int
    solved: int  # searches that found them
    label_seconds: float
    solved_again: int
    functions: int
    pairs: int
    proven: int
    seconds: float


def run(
    out: AnyPath = "demo-report",
    *,
    graphs: int = 300,
    functions: int = 60,
    overwrite: bool = False,
    progress: bool | Report = True,
    say: Callable[[str], object] = lambda _: None,
) -> DemoReport:
    """Label a dataset of syntax trees, compare functions of the standard library, and write what came out to a folder.

    The folder gets ``index.html``, ``path.html``, ``matrix.csv`` and the dataset with its labels, ``dataset/``; nothing
    is written before all is done. ``overwrite`` replaces those of an earlier demo, and nothing else: labels of other
    costs that were made for the same dataset since are kept. ``say`` is told what happens.
    """
    folder = Path(out)
    _make_room(folder, overwrite)
    chosen = library.library_functions(functions)
    with atomic_folder(folder / DATASET, overwrite=overwrite) as place:
        say(f"making a dataset of {counted(graphs, 'function')} of Python's standard library ...")
        dataset = labelled.prepared(place, graphs, progress=progress is not False)
        say(f"labelling its {labelled.pairs_of(dataset):,} pairs under four costs ...")
        searches = labelled.label_all(dataset, progress)
        say("checking every label ...")
        checked = labelled.checked(dataset, progress)
        say(f"comparing {counted(len(chosen), 'function')} with each other ...")
        comparison = library.compared(chosen, progress)
        say("drawing ...")
        contents = pages.pages(pages.Findings(dataset, searches, checked, comparison))
        labelled.keep_other_labels(folder / DATASET, place)
    comparison.matrix.save(folder / pages.MATRIX, overwrite=overwrite)
    for name, content in contents.items():
        with atomic_write(folder / name, overwrite=overwrite, mode="w") as file:
            file.write(content)
    return DemoReport(
        page=folder / pages.PAGE,
        dataset=folder / DATASET,
        graphs=len(dataset),
        labels=sum(search.pairs * len(search.costs) for search in searches),
        labels_proven=sum(search.proven * len(search.costs) for search in searches),
        solved=sum(search.pairs for search in searches),
        label_seconds=sum(search.seconds for search in searches),
        solved_again=checked.solved_again,
        functions=len(chosen),
        pairs=comparison.pairs,
        proven=comparison.proven,
        seconds=comparison.seconds,
    )


def _make_room(folder: Path, overwrite: bool) -> None:
    """Refuse what may not be replaced before any work is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None
    for name in (pages.PAGE, pages.PATH_PAGE, pages.MATRIX):
        if (folder / name).exists() and not overwrite:
            raise OutputError(
                f"{folder / name}: exists already and was left as it is; pass overwrite=True to replace it"
            )
    files.require_replaceable(folder / DATASET, overwrite=overwrite)
