"""How much is there: only final cells count, and each number of the paper once."""

from experiments.report.made_up import baselines, cell, kept, scored, trained
from experiments.samples import row_of
from graphedx.experiments import Rows, experiments, status


def test_cells_are_counted_by_table_dataset_and_protocol(tmp_path):
    scored(tmp_path, {"GREED": 1.0}, ["linux"])
    scored(tmp_path, {"ERIC": 1.0}, ["linux"], stopped_early=False)
    stale = [trained(group[0], 1.0, version=0) for group in cell("GMN-Match", "linux").seeds]
    failed = [row_of(group[0], error="diverged") for group in cell("GraphEdX", "linux").seeds]
    found = status([baselines()], kept(tmp_path, *stale, *failed), "published")
    assert found.tables["baselines"]._asdict() == {"final": 1, "cut_short": 1, "not_run": 6, "stale": 1, "failed": 1}
    assert {name: (tally.final, tally.total) for name, tally in found.datasets.items()} == {
        "linux": (1, 4),
        "code2": (0, 4),
    }
    assert found.paper.final == 1
    assert status([baselines()], Rows(tmp_path), "equal-budget").paper._asdict() == {
        "final": 0,
        "cut_short": 0,
        "not_run": 8,
        "stale": 0,
        "failed": 0,
    }


def test_every_number_of_a_trained_model_in_the_paper_is_counted_once(tmp_path):
    found = status(experiments().values(), Rows(tmp_path), "published").to_json()
    assert found["paper"]["total"] == found["paper"]["reported"] == 866
    assert status(experiments().values(), Rows(tmp_path), "equal-budget").paper.total == 866
