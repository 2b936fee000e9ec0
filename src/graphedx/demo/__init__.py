"""A tour in one command: Python's own functions, labelled exactly, learned by a model, compared and shown on a page."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from graphedx._files import AnyPath, atomic_folder, atomic_write, locked_folder, sweep
from graphedx.datasets import files
from graphedx.demo import functions as library
from graphedx.demo import labelled, measured, pages, trained
from graphedx.demo import searched as one_search
from graphedx.demo.measured import Measured
from graphedx.demo.searched import Searched
from graphedx.drawing.text import counted
from graphedx.engine import Report
from graphedx.errors import OutputError

DATASET, RUN = "dataset", "run"
EPOCHS = 40


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
    model: Path | None  # the folder of its run; None where PyTorch is not installed
    epochs: int
    new_epochs: int  # of this run; the others were kept from an earlier one
    train_seconds: float
    validation: float  # mean squared error, nan without a model
    constant: float  # mean squared error on the test split of always guessing the mean
    methods: list[Measured]  # measured on the test split
    functions: int
    pairs: int
    proven: int
    seconds: float
    searched: Searched

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        methods = [
            {"method": row.name, "says": row.says, **row.errors._asdict(), "microseconds": row.microseconds}
            for row in self.methods
        ]
        paths = {"page": str(self.page), "dataset": str(self.dataset), "model": self.model and str(self.model)}
        search = {"query": self.searched.query.name, **self.searched.hits.to_dict()}
        return self._asdict() | paths | {"methods": methods, "searched": search}


def run(
    out: AnyPath = "demo-report",
    *,
    graphs: int = 300,
    functions: int = 60,
    epochs: int = EPOCHS,
    overwrite: bool = False,
    progress: bool | Report = True,
    say: Callable[[str], object] = lambda _: None,
    watch: trained.Watch = trained.unwatched,
) -> DemoReport:
    """Label a dataset of syntax trees, train a model on it, compare all methods, search, and write it all to a folder.

    The folder gets ``index.html``, ``path.html``, ``matrix.csv``, the dataset with its labels, ``dataset/``, and the
    trained model, ``run/``. Only the model is written before all is done: a run that is stopped, or a second one, goes
    on with the epochs that are there. All else is made anew, so that the times on the page are of this run.
    ``overwrite`` replaces what an earlier demo made, and nothing else: labels of other costs that were made for the
    same dataset since are kept. ``say`` is told what happens, ``watch`` every epoch.
    """
    folder = Path(out)
    with locked_folder(folder, "another demo is writing here; wait for it or choose another folder"):
        _make_room(folder, overwrite)
        chosen = library.library_functions(functions)
        with atomic_folder(folder / DATASET, overwrite=overwrite) as place:
            say(f"making a dataset of {counted(graphs, 'function')} of Python's standard library ...")
            dataset = labelled.prepared(place, graphs, progress=progress is not False)
            say(f"labelling its {labelled.pairs_of(dataset):,} pairs under four costs ...")
            searches = labelled.label_all(dataset, progress)
            say("checking every label ...")
            checked = labelled.checked(dataset, progress)
            training = None
            if trained.can_train():
                say(f"training GraphEdX on its {dataset.pair_count('train'):,} pairs for training, {epochs} epochs ...")
                training = trained.trained(dataset, folder / RUN, epochs, overwrite=overwrite, watch=watch)
            say(f"measuring all methods on its {dataset.pair_count('test'):,} pairs for testing ...")
            contest = measured.contest(dataset, trained.COSTS, training.model if training else None)
            say(f"comparing {counted(len(chosen), 'function')} with each other ...")
            comparison = library.compared(chosen, progress)
            say("searching for functions like another one ...")
            searched = one_search.searched()
            say("drawing ...")
            contents = pages.pages(pages.Findings(dataset, searches, checked, contest, training, comparison, searched))
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
        model=folder / RUN if training else None,
        epochs=len(training.history) if training else 0,
        new_epochs=training.new_epochs if training else 0,
        train_seconds=training.seconds if training else 0.0,
        validation=training.validation if training else nan,
        constant=contest.constant,
        methods=contest.rows,
        functions=len(chosen),
        pairs=comparison.pairs,
        proven=comparison.proven,
        seconds=comparison.seconds,
        searched=searched,
    )


def _make_room(folder: Path, overwrite: bool) -> None:
    """Refuse what may not be replaced before any work is done, and remove what a demo that was killed has left."""
    files_of_ours = (pages.PAGE, pages.PATH_PAGE, pages.MATRIX)
    for name in files_of_ours:
        if (folder / name).exists() and not overwrite:
            raise OutputError(
                f"{folder / name}: exists already and was left as it is; pass overwrite=True to replace it"
            )
    files.require_replaceable(folder / DATASET, overwrite=overwrite)
    trained.require_run_or_nothing(folder / RUN)
    sweep(folder / name for name in (DATASET, *files_of_ours))
