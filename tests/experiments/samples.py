"""Jobs that take no time, on a dataset of a few alkanes."""

from pathlib import Path

from graphedx import datasets
from graphedx.experiments import CostTransfer, Job, Row, Solve, Statistics, Train, Transfer, settings
from graphedx.experiments.place import Place
from graphedx.experiments.versions import results_version
from graphedx.experiments.work import perform

SMALL = settings(width=3, pair_size=3, message=3, steps=1, iterations=3)
EPOCHS = 6
NOT_THE_SAME = {"seconds_an_epoch", "mean_seconds"}


def small_train(seed: int = 0, costs: str = "uniform", model: str = "graphedx") -> Train:
    return Train("alkanes", costs, model, SMALL if model == "graphedx" else (), seed)


SOME = {
    small_train(0): 1.0,
    small_train(1): 0.5,
    small_train(0, "non-uniform"): 1.0,
    Transfer(small_train(0), "alkanes"): 1.0,
    CostTransfer(small_train(0), draws=3): 1.0,
    Solve("alkanes", "uniform", "branch", 0.1, 5): 1.0,
    Statistics("alkanes"): 1.0,
}


def place_in(folder: Path, max_nodes: int = 7) -> Place:
    """With a dataset of 22 graphs, which is labelled."""
    place = Place(folder, epochs=EPOCHS)
    place.dataset("alkanes").parent.mkdir(parents=True, exist_ok=True)
    datasets.prepare("alkanes", out=place.dataset("alkanes"), max_nodes=max_nodes, progress=False)
    return place


def undisturbed(folder: Path, jobs: dict[Job, float]) -> dict[str, dict[str, object]]:
    """The outcomes of jobs, done one after the other in this process."""
    place, found = place_in(folder), {}
    for job in jobs:
        for need in job.needs:
            perform(need, place)
        found[job.key] = same_part(perform(job, place))
    return found


def same_part(outcome: object) -> dict[str, object]:
    """Without what is a matter of the clock."""
    return {name: value for name, value in dict(outcome).items() if name not in NOT_THE_SAME}


def row_of(job: Job, outcome: dict[str, object] | None = None, error: str | None = None, **changes: object) -> Row:
    about = {"version": results_version(job), "commit": None, "machine": "this", "date": "2025-01-01", "seconds": 2.0}
    return Row(key=job.key, job=job.to_json(), outcome=outcome, error=error, **(about | changes))
