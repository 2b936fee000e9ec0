"""The demo's model: trained once and kept, measured beside the others, shown as it is."""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from typer.testing import CliRunner

import graphedx as gx
from demo.small import files_in, run
from graphedx import datasets
from graphedx.cli.app import app
from graphedx.datasets.labels import PAPER
from graphedx.demo import measured, trained
from graphedx.demo.model_pages import typical_pair
from graphedx.errors import ModelError, OutputError

needs_torch = pytest.mark.skipif(not trained.can_train(), reason="needs PyTorch")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return run(tmp_path_factory.mktemp("demo"))


@contextmanager
def stop_after_one_epoch(_):
    def report(_):
        raise KeyboardInterrupt

    yield report


def weights(folder):
    return (folder / "best.safetensors").read_bytes()


@needs_torch
def test_the_table_is_what_evaluate_says(report):
    found = {row.name: row for row in report.methods if row.says != "lower bound"}
    model, dataset = gx.load_model(report.model), datasets.load(report.dataset)
    errors = gx.evaluation.evaluate(model, dataset, "test")
    assert found["graphedx"].errors == pytest.approx(errors)
    truth = dataset.labels("test", PAPER["uniform"]).distances
    mean = dataset.labels("train", PAPER["uniform"]).distances.mean()
    assert report.constant == pytest.approx(float(((truth - mean) ** 2).mean()))
    assert all(row.microseconds > 0 for row in report.methods)


def test_bounds_are_on_their_side_and_the_exact_row_is_exact(report):
    truth = datasets.load(report.dataset).labels("test", PAPER["uniform"]).distances
    for row in report.methods:
        if row.says == "lower bound":
            assert (row.numbers <= truth).all()
        if row.says == "upper bound":
            assert (row.numbers >= truth).all()
    exact = report.methods[0]
    assert exact.name == "exact" and exact.errors.mse == 0 and exact.errors.hits == 1


@needs_torch
def test_the_page_shows_the_numbers_of_this_run(report):
    page = report.page.read_text(encoding="utf-8")
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", page)]
    for row in report.methods:
        expected = [row.name, row.says, f"{row.errors.mse:.2f}", f"{row.errors.mae:.2f}"]
        assert expected in [cells[:4] for cells in rows]
    assert f"mean distance {report.constant:.2f}" in page and "for 2 epochs" in page
    assert all(f'class="{mark}"' in page for mark in ("curve", "point", "cell"))


@needs_torch
def test_the_pair_shown_is_of_two_graphs_and_its_edits_are_those_of_the_model(report):
    model, dataset = gx.load_model(report.model), datasets.load(report.dataset)
    found = measured.contest(dataset, trained.COSTS, model)
    k = typical_pair(found)
    assert found.table.source[k] != found.table.target[k]
    edits = found.row(measured.MODEL_EDITS).numbers
    assert edits[k] == model.align(*found.pairs[k]).edit_path().cost
    page = report.page.read_text(encoding="utf-8")
    assert f"at a cost of {edits[k]:g}" in page and f"at a cost of {found.table.distances[k]:g}; none are" in page
    apart = found.table.source != found.table.target
    gaps = np.abs(edits - found.table.distances - np.median(edits - found.table.distances))
    assert gaps[k] == gaps[apart].min()


@needs_torch
def test_a_stopped_demo_goes_on_to_the_same_weights_and_a_second_one_keeps_them(tmp_path, report):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, watch=stop_after_one_epoch)
    run_files = [f"run/{name}" for name in ("best.safetensors", "history.csv", "last.safetensors", "run.json")]
    assert files_in(tmp_path) == ["notes.txt", *run_files]  # the model's only: the rest is written when all is done
    resumed = run(tmp_path)
    assert (resumed.epochs, resumed.new_epochs) == (2, 1)
    assert weights(resumed.model) == weights(report.model)
    assert "The last 1 of them are of this run" in resumed.page.read_text(encoding="utf-8")
    again = run(tmp_path, overwrite=True)
    assert (again.epochs, again.new_epochs) == (2, 0) and weights(again.model) == weights(report.model)
    assert "trained by an earlier run" in again.page.read_text(encoding="utf-8")


@needs_torch
def test_a_model_of_another_dataset_is_replaced_only_if_asked(tmp_path):
    run(tmp_path, graphs=15)
    (tmp_path / "index.html").unlink()
    kept = weights(tmp_path / "run")
    dataset = datasets.prepare("pyast", out=tmp_path / "other", max_graphs=10, progress=False)
    datasets.label(dataset, PAPER["uniform"], progress=False)
    with pytest.raises(ModelError, match="holds another run"):
        trained.trained(dataset, tmp_path / "run", 1, overwrite=False)
    assert weights(tmp_path / "run") == kept
    assert trained.trained(dataset, tmp_path / "run", 1, overwrite=True).new_epochs == 1
    assert weights(tmp_path / "run") != kept


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"holds 'thesis\.tex', which is no part of the demo's model"):
        run(tmp_path, overwrite=True)
    assert files_in(tmp_path) == ["run/thesis.tex"]


def test_without_pytorch_all_else_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(trained, "can_train", lambda: False)
    arguments = ["demo", "--out", str(tmp_path), "--functions", "5", "--graphs", "10"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 and "PyTorch is not installed" in result.stdout and "ipfp" in result.stdout
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "PyTorch is not installed" in page and page.count("<svg") == 8 and not (tmp_path / "run").exists()


@needs_torch
def test_the_command_shows_epochs_and_how_to_go_on_when_interrupted(tmp_path, monkeypatch):
    arguments = ["demo", "--out", str(tmp_path), "--functions", "5", "--graphs", "10", "--epochs", "3"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 and "epoch 1 of 3" in result.stderr and "3 of 3 epochs" in result.stdout
    again = CliRunner().invoke(app, [*arguments, "--overwrite"])
    assert again.exit_code == 0 and f"to train anew, delete {tmp_path / 'run'}" in again.stdout

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(measured, "contest", interrupted)
    stopped = CliRunner().invoke(app, [*arguments, "--overwrite"])
    assert stopped.exit_code == 130 and "the same command goes on" in stopped.stderr
