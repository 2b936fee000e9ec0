"""The model of the tour: the paper's GraphEdX, trained on the dataset's exact labels for a minute or so, and kept."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphedx.api import load_model
from graphedx.datasets import Dataset
from graphedx.datasets.labels import PAPER
from graphedx.errors import ModelError, OutputError

if TYPE_CHECKING:
    from graphedx.models.predicting import Estimator
    from graphedx.training import Epoch, TrainConfig

COSTS = "uniform"
"""The name in ``PAPER`` of the costs that it learns."""
SETTINGS = {"node_term": "align_diff", "edge_term": "xor", "node_weight": 0.1}
_OURS = {"run.json", "best.safetensors", "last.safetensors", "history.csv"}

Watch = Callable[["TrainConfig"], AbstractContextManager[Callable[["Epoch"], object]]]
"""Given how a model is trained, what to tell of every epoch while it is."""


class Training(NamedTuple):
    """A trained model, and how it came to be one."""

    model: Estimator
    history: list[tuple[float, float]]  # training and validation error of every epoch
    new_epochs: int  # those of this run; the others were there already
    seconds: float

    @property
    def best_epoch(self) -> int:
        errors = [validation for _, validation in self.history]
        return errors.index(min(errors)) + 1

    @property
    def validation(self) -> float:
        return self.history[self.best_epoch - 1][1]


@contextmanager
def unwatched(_: TrainConfig) -> Iterator[Callable[[Epoch], object]]:
    """For nobody."""
    yield lambda _: None


def can_train() -> bool:
    """Whether what training needs is installed."""
    return all(find_spec(library) is not None for library in ("torch", "safetensors"))


def trained(dataset: Dataset, folder: Path, epochs: int, *, overwrite: bool, watch: Watch = unwatched) -> Training:
    """Train so many epochs, or what is left of them: a run that is in the folder already goes on where it was.

    The number of epochs is fixed, not the time, and there is one thread: the same dataset gives the same weights. With
    ``overwrite`` a run of another dataset, or one that is damaged, is begun anew.
    """
    from graphedx.training import TrainConfig

    # No patience: it ends when the epochs do. A larger rate than the paper's, as there is a minute only.
    config = TrainConfig(learning_rate=3e-3, weight_decay=0.0, patience=100_000, max_epochs=epochs)
    start = perf_counter()
    try:
        new = _fitted(dataset, folder, config, watch)
    except ModelError:
        if not overwrite:
            raise
        forget(folder)
        new = _fitted(dataset, folder, config, watch)
    return Training(load_model(folder), _history(folder), new, perf_counter() - start)


def require_run_or_nothing(folder: Path) -> None:
    """
    Raises:
        OutputError: the folder holds something that is no part of a run.
    """
    try:
        others = sorted({there.name for there in folder.iterdir() if not there.name.startswith(".")} - _OURS)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{folder}: {(error.strerror or str(error)).lower()}") from None
    if others:
        raise OutputError(f"{folder}: holds {others[0]!r}, which is no part of the demo's model; choose another folder")


def forget(folder: Path) -> None:
    """Remove the run of a folder, and nothing else."""
    require_run_or_nothing(folder)
    for name in _OURS:
        (folder / name).unlink(missing_ok=True)


def _fitted(dataset: Dataset, folder: Path, config: TrainConfig, watch: Watch) -> int:
    """Train; returns how many epochs there were."""
    from graphedx.training import train

    new = 0
    with watch(config) as tell:

        def report(epoch: Any) -> None:
            nonlocal new
            new += 1
            tell(epoch)

        costs = PAPER[COSTS]
        train(dataset, costs, settings=SETTINGS, config=config, folder=folder, threads=1, report=report)
    return new


def _history(folder: Path) -> list[tuple[float, float]]:
    with (folder / "history.csv").open(newline="", encoding="utf-8") as file:
        return [(float(row["training"]), float(row["validation"])) for row in csv.DictReader(file)]
