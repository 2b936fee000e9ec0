"""Trainings of the studies are found by what they are called, and only taken if they are what an experiment wants."""

import sys

import pytest

import take_runs
from experiments.samples import place_in
from graphedx.experiments import Prepare, Train, experiments, jobs_of, settings
from graphedx.experiments.place import Place
from graphedx.experiments.work import perform

JOB = Train("alkanes", "non-uniform", "greed")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """A run as a study leaves it."""
    place = place_in(tmp_path / "runs")
    perform(Prepare("alkanes"), place)
    perform(JOB, place._replace(epochs=2))
    (place.folder / "baselines").mkdir()
    place.run(JOB).rename(place.folder / "baselines" / "Alkanes-non-uniform-greed-0")
    monkeypatch.setitem(take_runs.SETS, "alkanes", "Alkanes")
    monkeypatch.setattr(take_runs, "jobs_of", lambda _: {JOB: 1.0})
    return place.folder


def test_names_are_those_of_the_studies():
    names = {job: take_runs.study_folder(job) for job in jobs_of(experiments().values()) if isinstance(job, Train)}
    assert len(set(names.values())) == len(names)
    terms = settings(edge_term="xor", node_term="align_diff", node_weight=0.1)
    assert names[Train("linux", "uniform", "graphedx", terms, 2)] == "reproduction/Linux-uniform-xor-align_diff-0.1-2"
    guided = Train("code2", "non-uniform", "gmn_match", settings(cost_guided=True))
    assert names[guided] == "baselines/Code2-like-non-uniform-gmn_match-guided-0"
    unseen = Train("aids", "non-uniform", "greed", settings(cost_features=False))
    assert names[unseen] == "baselines/AIDS-non-uniform-greed--0"


def test_a_run_goes_on_where_it_is_taken_to(runs, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "experiments"
    for words, said in (["--dry-run"], "to take"), ([], "taken"), ([], "there"):
        monkeypatch.setattr(sys, "argv", ["take_runs.py", str(folder), "--runs", str(runs), *words])
        assert take_runs.main() == 0
        assert capsys.readouterr().out.startswith(f"{said}: baselines/Alkanes-non-uniform-greed-0 -> ")
        assert folder.exists() == (said != "to take")
    (folder / "datasets").symlink_to(runs / "datasets")
    found = perform(JOB, Place(folder, epochs=3))
    assert found["epochs"] == 3
    whole = Place(tmp_path / "whole", epochs=3)
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "datasets").symlink_to(runs / "datasets")
    assert perform(JOB, whole)["mse"] == found["mse"]


def test_another_run_is_not_taken(runs, tmp_path, monkeypatch):
    other = Train("alkanes", "non-uniform", "greed", seed=1)
    monkeypatch.setattr(take_runs, "jobs_of", lambda _: {other: 1.0})
    (runs / "baselines" / "Alkanes-non-uniform-greed-0").rename(runs / "baselines" / "Alkanes-non-uniform-greed-1")
    with pytest.raises(ValueError, match="its training differ"):
        list(take_runs.moves(runs, tmp_path))
