"""What is declared can be run, and stands beside numbers that the paper has."""

import pytest

from graphedx.errors import ExperimentError
from graphedx.experiments import (
    CostTransfer,
    Reported,
    Selection,
    Train,
    Transfer,
    chosen,
    experiments,
    jobs_of,
    paper,
    under,
)
from graphedx.experiments.selection import model_of
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
    assert len(table.jobs) == 9 * 2 * 2 * (2 * 3 + 5)  # two datasets have three seeds
    linux = jobs_of([table], ["linux", "seed=0", "uniform"])
    assert len(linux) == 9 * 2
    assert jobs_of([table], ["seed=7"]) == {}


def test_tables_share_their_jobs():
    known = experiments()
    trainings = {name: {job for job in table.jobs if isinstance(job, Train)} for name, table in known.items()}
    assert trainings["combinations"] < trainings["baselines"] == trainings["baselines-tau"]
    assert len(trainings["baselines"] - trainings["combinations"]) == 9 * 2 * (2 * 3 + 5)
    assert len(trainings["cost-guided"] - trainings["baselines"]) == 3 * 2 * (2 * 3 + 5)
    assert len(trainings["costs-unseen"] - trainings["baselines"]) == 9 * (2 * 3 + 5)
    assert not trainings["time-limit"] - trainings["baselines"]
    assert {job.train for job in known["zero-shot"].jobs if isinstance(job, Transfer)} < trainings["baselines"]
    repriced = {job.train for job in known["cost-transfer"].jobs if isinstance(job, CostTransfer)}
    assert repriced < trainings["baselines"] | trainings["cost-guided"]


def test_every_number_of_the_paper_has_its_place():
    named = {cell.paper for experiment in experiments().values() for cell in experiment.cells if cell.paper is not None}
    assert {Reported(*key) for key in paper.numbers()} == named


def test_datasets_that_can_be_had_completely_come_first():
    known = jobs_of(experiments().values())
    days = ("max", "max_or", "reg")  # what takes days comes later
    jobs = {
        job: value
        for job, value in known.items()
        if isinstance(job, Train) and (job.dataset == "linux" or dict(job.settings).get("variant") not in days)
    }
    complete = [value for job, value in jobs.items() if job.dataset in ("linux", "code2")]
    others = [value for job, value in jobs.items() if job.dataset in ("aids", "mutagenicity", "molhiv")]
    substitutes = [value for job, value in jobs.items() if job.dataset in ("molpcba", "yeast")]
    assert min(complete) > max(others)
    assert min(others) > max(substitutes)


def test_every_model_has_the_same_budget_under_equal_budget():
    tables = under(experiments().values(), ["equal-budget"])
    assert {"datasets", "time-limit", "inference-time"}.isdisjoint(table.name for table in tables)
    jobs = {job for table in tables for job in table.jobs if isinstance(job, Train)}
    assert {job.protocol for job in jobs} == {"equal-budget"}
    assert {dict(job.settings).get("node_weight", 1) for job in jobs} == {1}
    combined = next(table for table in tables if table.name == "combinations")
    assert len(combined.jobs) == 9 * 2 * (2 * 3 + 5)


def test_a_selection_has_protocols_datasets_and_models_in_order():
    tables = [experiments()["baselines"]]
    selection = Selection(["equal-budget", "published"], ["aids", "mutagenicity"], ["eric", "exact"])
    jobs = sorted(selection.jobs(tables), key=selection.turn)
    assert {model_of(job) for job in jobs} == {"eric", "exact"}
    order = [(job.protocol, job.dataset) for job in jobs if isinstance(job, Train)]
    both = ("aids", "mutagenicity")
    assert list(dict.fromkeys(order)) == [(name, where) for name in selection.protocols for where in both]
    with pytest.raises(ExperimentError, match="no job has the dataset 'mars'; there are aids, "):
        Selection(datasets=["mars"]).require_known(tables)
    with pytest.raises(ExperimentError, match="no job has the model 'oracle'"):
        Selection(models=["oracle"]).require_known(tables)
    with pytest.raises(ExperimentError, match="there is no protocol 'longer'; there are published and equal-budget"):
        Selection(["longer"]).jobs(tables)


def test_lower_bounds_stand_beside_upper_ones():
    rows = {cell.row: cell.metric for cell in experiments()["time-limit"].cells}
    for method in ("branch", "branch_tight", "anchor_aware", "f2"):
        assert (rows[method], rows[f"{method}, lower bound"]) == ("mse", "lower_mse")
    assert "ipfp, lower bound" not in rows


def test_our_rows_stand_in_the_same_tables():
    for name in ("baselines", "baselines-tau", "node-substitution", "edge-ged"):
        rows = {cell.row for cell in experiments()[name].cells}
        assert {"bracket", "auto, 0.1 ms", "auto, 1 ms", "auto, 10 ms", "exact"} < rows


def test_names_that_nobody_knows():
    assert chosen(["all"]) == list(experiments().values())
    assert [table.name for table in chosen(["combinations", "datasets", "combinations"])] == [
        "combinations",
        "datasets",
    ]
    with pytest.raises(ExperimentError, match="there are datasets, combinations, baselines, "):
        chosen(["combination"])


def test_the_numbers_of_the_paper():
    assert paper.reported("baselines", "GMN-Match", "uniform", "linux", "mse").value == 0.687
    assert paper.reported("datasets", "", "", "aids", "graphs").value == 911
    assert paper.reported("baselines", "nobody", "uniform", "linux", "mse") is None
    assert len(paper.methods("combinations")) == 9
    assert len(paper.tables()) == 14
