"""``graphedx matrix``: files, pictures, and runs that are stopped and continued."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import graphedx as gx
from graphedx.cli import matrix as command
from matrix.samples import hard_graphs, some_graphs


@pytest.mark.parametrize("output", ["m.csv", "m.parquet", "m.npz"])
def test_writes_what_the_library_computes(run, tmp_path, output):
    result = run("matrix", "many.jsonl", "path.json", "-o", output, "--costs", "3,1,2,1,1,1", "--workers", "2")
    assert result.exit_code == 0 and "36 of 36" in result.stdout and result.stderr == ""
    graphs = [*gx.read_all("many.jsonl"), gx.read("path.json")]
    expected = gx.distance_matrix(graphs, costs=gx.EditCosts(3, 1, 2, 1, 1, 1))
    loaded = gx.DistanceMatrix.load(output)
    np.testing.assert_array_equal(loaded.distances, expected.distances)
    assert loaded.rows == (*(f"g{k}" for k in range(5)), "path")
    assert not list(tmp_path.glob("*checkpoint*"))


def test_json_summary(run):
    data = json.loads(run("matrix", "many.jsonl", "-o", "m.csv", "--against", "path.json", "--json").stdout)
    assert (data["rows"], data["columns"], data["proven"], data["output"]) == (5, 1, 5, "m.csv")


def test_graphs_of_the_same_name_are_told_apart(run, tmp_path):
    (tmp_path / "other.py").write_text("def one():\n    pass\n")
    run("matrix", "code.py", "other.py", "-o", "m.npz")
    assert gx.DistanceMatrix.load("m.npz").rows == ("code:one", "two", "other:one")


def test_heatmap(run, tmp_path):
    assert run("matrix", "many.jsonl", "-o", "m.csv", "--heatmap", "m.svg").exit_code == 0
    assert (tmp_path / "m.svg").read_text().startswith("<svg")


def test_unproven_is_exit_code_3_and_the_bounds_are_written(run):
    result = run("matrix", "hard.jsonl", "-o", "m.npz", "--time-limit", "0.05", "--json")
    assert result.exit_code == 3 and json.loads(result.stdout)["stopped_by"]["time"] == 2
    matrix = gx.DistanceMatrix.load("m.npz")
    assert matrix.lower[0, 1] < matrix.upper[0, 1]


def test_above_the_cutoff_is_an_answer(run):
    assert run("matrix", "path.json", "star.json", "-o", "m.npz", "--cutoff", "1").exit_code == 0
    assert gx.DistanceMatrix.load("m.npz").count(gx.StopReason.CUTOFF) == 2


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["-o", "taken.csv"], "taken.csv: exists already"),
        (["-o", "m.csv", "--heatmap", "taken.csv"], "taken.csv: exists already"),
        (["-o", "m.xlsx"], ".csv, .parquet, .npz"),
        (["-o", "none/m.csv"], "does not exist"),
        (["-o", "m.csv", "--checkpoint", "taken.csv"], "not a checkpoint"),
        (["-o", "m.csv", "--checkpoint", "m.csv", "--overwrite"], "m.csv: two outputs cannot be the same file"),
        (["-o", "m.csv", "--heatmap", "m.svg", "--checkpoint", "m.svg"], "m.svg: two outputs"),
        (["-o", "loop.csv"], "loop.csv: cannot be written: a circle of links"),
        (["-o", "m.csv", "--checkpoint", "loop.csv"], "loop.csv: cannot be written: a circle of links"),
        (["-o", "m.csv", "--against", "none.json"], "none.json: holds no graphs"),
    ],
)
def test_bad_outputs_are_refused_and_nothing_is_written(run, tmp_path, options, word):
    (tmp_path / "taken.csv").write_text("mine")
    (tmp_path / "none.json").write_text("[]")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    before = sorted(tmp_path.iterdir())
    result = run("matrix", "many.jsonl", *options)
    assert result.exit_code == 1 and word in result.stderr and result.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before and (tmp_path / "taken.csv").read_text() == "mine"


def test_a_folder_that_may_not_be_written_to_is_noticed_before_the_work(run, monkeypatch):
    monkeypatch.setattr(os, "access", lambda folder, mode: False)  # root may write everywhere
    monkeypatch.setattr(command, "distance_matrix", lambda *_, **__: pytest.fail("this may take hours"))
    result = run("matrix", "many.jsonl", "-o", "m.csv")
    assert result.exit_code == 1 and result.stderr.startswith("graphedx: m.csv: cannot be written: no permission")


def test_ctrl_c_is_exit_code_130_and_the_same_command_goes_on(tmp_path):
    gx.write([*some_graphs(10, most_nodes=4), *hard_graphs(2)], tmp_path / "g.jsonl")
    arguments = ["matrix", "g.jsonl", "-o", "m.csv"]
    process = subprocess.Popen(
        [sys.executable, "-m", "graphedx", *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    checkpoint = tmp_path / "m.csv.checkpoint"
    while not checkpoint.exists() or checkpoint.stat().st_size < 500:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert errors == b"graphedx: interrupted: the same command goes on where it was stopped\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["g.jsonl", "m.csv.checkpoint"]


def test_an_interrupted_matrix_is_continued(run, tmp_path, monkeypatch):
    graphs = gx.read_all("many.jsonl")
    told = []

    def stop(news):
        told.append(news)
        if news.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gx.distance_matrix(graphs, resume="m.csv.checkpoint", progress=stop, workers=1)
    assert (tmp_path / "m.csv.checkpoint").exists()
    refused = run("matrix", "many.jsonl", "-o", "m.csv", "--cutoff", "1")
    assert refused.exit_code == 1 and "other graphs, costs, method or limits" in refused.stderr
    assert run("matrix", "many.jsonl", "-o", "m.csv").exit_code == 0
    np.testing.assert_array_equal(gx.DistanceMatrix.load("m.csv").distances, gx.distance_matrix(graphs).distances)


def test_no_resume_keeps_no_checkpoint(run, tmp_path):
    (tmp_path / "m.csv.checkpoint").write_text("not ours")
    assert run("matrix", "many.jsonl", "-o", "m.csv", "--no-resume").exit_code == 0
    assert (tmp_path / "m.csv.checkpoint").read_text() == "not ours"
