"""What is declared can be run, and stands beside numbers that the paper has."""

import pytest

from graphedx.errors import ExperimentError
from graphedx.experiments import Train, chosen, experiments, jobs_of, paper
from graphedx.models.base import make


@pytest.mark.parametrize("experiment", experiments().values(), ids=lambda experiment: experiment.name)
def test_an_experiment_is_what_it_says(experiment):
    assert experiment.title
    assert experiment.about.endswith(".")
    for cell in experiment.cells:
        assert cell.paper is None or cell.reported() is not None, f"the paper has no {cell.paper}"


def test_models_of_all_trainings_can_be_made():
    jobs = {job for job in jobs_of(experiments().values()) if isinstance(job, Train)}
    for model, given in {(job.model, job.settings) for job in jobs}:
        make(model, dict(given))


def test_the_nine_combinations():
    table = experiments()["combinations"]
    assert len(table.cells) == 9 * 7 * 2
    assert len(table.jobs) == 9 * 7 * 2 * 2 * 3
    linux = jobs_of([table], ["linux", "seed=0", "uniform"])
    assert len(linux) == 9 * 2
    assert jobs_of([table], ["seed=7"]) == {}


def test_names_that_nobody_knows():
    assert chosen(["all"]) == list(experiments().values())
    assert [table.name for table in chosen(["combinations", "datasets", "combinations"])] == [
        "combinations",
        "datasets",
    ]
    with pytest.raises(ExperimentError, match="there are datasets, combinations"):
        chosen(["combination"])


def test_the_numbers_of_the_paper():
    assert paper.reported("baselines", "GMN-Match", "uniform", "linux", "mse").value == 0.687
    assert paper.reported("datasets", "", "", "aids", "graphs").value == 911
    assert paper.reported("baselines", "nobody", "uniform", "linux", "mse") is None
    assert len(paper.methods("combinations")) == 9
    assert len(paper.tables()) == 14
