"""Training, evaluation and prediction from the command line."""

import json
import signal
import subprocess
import sys
import time

import pytest

import graphedx as gx
from datasets.labels.samples import small_dataset
from matrix.samples import hard_graphs
from training.samples import digests

COSTS = ("--costs", "1,1,1,1,0,0")
QUICK = ("--epochs", "2", "--threads", "1", "--no-tensorboard", "--set", "steps=2")


@pytest.fixture
def small(run, tmp_path):
    dataset = small_dataset(tmp_path / "small", 30)
    done = run("label", "small", *COSTS)
    assert done.exit_code == 0, done.output
    return dataset


def test_train_evaluate_predict(run, small):
    done = run("train", "small", *COSTS, "--out", "run", *QUICK)
    assert done.exit_code == 0, done.output
    assert "graphedx evaluate run small" in done.stdout
    assert done.stderr.startswith("epoch 1 of 2: training ")
    assert "0:00:0" in done.stderr  # until it ends

    found = json.loads(run("evaluate", "run", "small", "--json").stdout)
    assert (found["pairs"], found["split"], found["costs"]) == (21, "test", "1,1,1,1,0,0")
    assert found["rmse"] ** 2 == pytest.approx(found["mse"])
    shown = run("evaluate", "run", "small", "--split", "val")
    assert shown.exit_code == 0, shown.output
    for word in ("MSE", "±", "MAE", "RMSE", "Kendall's tau", "hits", "pairs/s"):
        assert word in shown.stdout

    shown = run("predict", "run", "path.json", "star.json")
    assert shown.exit_code == 0, shown.output
    assert "estimate" in shown.stdout
    assert "guess" in shown.stdout
    found = json.loads(run("predict", "run", "path.json", "star.json", "--json").stdout)
    assert found["proven"] is False
    assert "distance" not in found
    [wanted] = gx.load_model("run").predict([(gx.read("path.json"), gx.read("star.json"))])
    assert found["estimate"] == wanted


def test_settings_reach_the_model_and_more_epochs_go_on(run, small, tmp_path):
    given = ("--set", "node_term=xor", "--set", "node_weight=1", "--seed", "3", "--batch", "32", "--lr", "0.01")
    first = run("train", "small", *COSTS, "--out", "run", *QUICK, *given, "--json")
    assert first.exit_code == 0, first.output
    found = json.loads(first.stdout)
    assert (found["settings"]["node_term"], found["settings"]["node_weight"]) == ("xor", 1.0)
    assert found["settings"]["max_nodes"] == max(map(len, small.graphs))
    assert (found["epochs"], found["stopped_early"]) == (2, False)
    more = json.loads(run("train", "small", *COSTS, "--out", "run", *QUICK, *given, "--epochs", "4", "--json").stdout)
    assert more["epochs"] == 4
    run("train", "small", *COSTS, "--out", "whole", *QUICK, *given, "--epochs", "4")
    assert digests(tmp_path / "run") == digests(tmp_path / "whole")


def test_bracket_is_trained_over_one_cycle(run, small):
    tiny = ("--model", "bracket", "--set", "width=4", "--set", "hidden=4", "--set", "expansions=2")
    asked = ("train", "small", *COSTS, "--out", "run", "--no-tensorboard", "--one-cycle", *tiny)
    done = run(*asked, "--epochs", "2")
    assert done.exit_code == 0, done.output
    assert "2 (a whole cycle)" in done.stdout
    more = run(*asked, "--epochs", "3")
    assert more.exit_code == 1
    assert "training.max_epochs is 2 there and 3 here" in more.stderr
    assert "a cycle needs an end" in run(*asked).stderr
    assert run("evaluate", "run", "small").exit_code == 0
    for costs in ("1,1,1,1,0,0", "3,1,2,1,0.5,1"):  # any: those of the training are only the default
        found = json.loads(run("predict", "run", "path.json", "star.json", "--costs", costs, "--json").stdout)
        [wanted] = gx.load_model("run").predict(
            [(gx.read("path.json"), gx.read("star.json"))], costs=gx.EditCosts.parse(costs)
        )
        assert found["estimate"] == wanted


def test_node_labels_are_seen_where_relabelling_costs(run, small):
    run("label", "small", "--costs", "labelled")
    done = run("train", "small", "--costs", "labelled", "--out", "run", *QUICK)
    assert done.exit_code == 0, done.output
    model = gx.load_model("run")
    assert sorted(model.vocabulary) == ["a", "b", "c"]
    assert model.model.config.features == 3
    assert run("evaluate", "run", "small").exit_code == 0


def test_logs_for_tensorboard(run, small, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for epochs in ("2", "3"):
        done = run("train", "small", *COSTS, "--out", "run", *QUICK, "--epochs", epochs, "--tensorboard")
        assert done.exit_code == 0, done.output
    logs = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    assert [event.step for event in logs.Scalars("error/validation")] == [1, 2, 3]


def test_ctrl_c_says_that_the_same_command_goes_on(run, small, tmp_path):
    command = ["train", "small", *COSTS, "--out", "run", "--threads", "1", "--no-tensorboard", "--set", "steps=2"]
    child = subprocess.Popen([sys.executable, "-m", "graphedx", *command], stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "run" / "history.csv").exists() and child.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130
    assert "the same command goes on where it was stopped" in said
    assert "Traceback" not in said
    done = run(*command, "--patience", "101", "--epochs", "1", "--json")
    assert json.loads(done.stdout)["epochs"] >= 1


def test_two_trainings_do_not_share_a_folder(run, small, tmp_path):
    """The first is killed while the second asks: its lock goes with it."""
    script = "import sys, pathlib; from graphedx.training.checkpoint import only_run\n"
    script += "with only_run(pathlib.Path('run')): print('mine', flush=True); sys.stdin.read()"
    command = ("train", "small", *COSTS, "--out", "run", *QUICK)
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        try:
            assert first.stdout.readline() == b"mine\n"
            refused = run(*command)
        finally:
            first.kill()
    assert refused.exit_code == 1
    assert "another run is training into this folder" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    assert not any((tmp_path / "run").iterdir())
    done = run(*command)
    assert done.exit_code == 0, done.output


def test_an_unlabelled_dataset_says_what_to_run(run, tmp_path):
    small_dataset(tmp_path / "small", 30)
    done = run("train", "small", *COSTS, "--out", "run")
    assert done.exit_code == 1
    assert "run: graphedx label" in done.stderr
    assert not (tmp_path / "run").exists()


def test_bounds_are_nothing_to_learn_from(run, tmp_path):
    gx.datasets.from_graphs(hard_graphs(4, 34), "hard").save(tmp_path / "hard")
    run("label", "hard", *COSTS, "--time-limit", "0.05")
    done = run("train", "hard", *COSTS, "--out", "run")
    assert done.exit_code == 1
    assert "train: 1 of 3 distances are not proven" in done.stderr


def test_a_dataset_too_small_to_validate(run, tmp_path):
    gx.datasets.from_graphs([gx.Graph(n) for n in range(1, 4)], "few").save(tmp_path / "few")
    run("label", "few", *COSTS)
    done = run("train", "few", *COSTS, "--out", "run")
    assert done.exit_code == 1
    assert "no pairs for validation" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train", "nowhere", "--out", "run"], "nowhere"),
        (["train", "small", "--out", "run", "--costs", "1,2"], "costs '1,2'"),
        (["train", "small", "--out", "run", "--model", "oracle"], "no model 'oracle'"),
        (["train", "small", "--out", "run", "--set", "steps"], "--set wants NAME=VALUE"),
        (["train", "small", "--out", "run", "--set", "steps=2", "--set", "steps=3"], "given twice"),
        (["train", "small", "--out", "run", "--set", "steps=many"], "steps must be of type int"),
        (["train", "small", "--out", "run", "--set", "node_term=magic"], "node_term must be one of"),
        (["train", "small", "--out", "run", "--lr", "0"], "learning_rate"),
        (["train", "small", "--out", "small"], "holds no run"),
        (["evaluate", "small", "small"], "run.json: no such file"),
        (["predict", "small", "path.json", "star.json"], "run.json: no such file"),
        (["predict", "bracket", "path.json", "star.json", "--path"], "bracket does not align nodes"),
        (["train", "small", "--out", "run", "--set", "width=-1"], "width must be between 1 and"),
        (["train", "small", "--out", "run", "--set", "max_nodes=100000"], "weights; at most"),
        (["train", "small", "--out", "run", "--model", "bracket", "--set", "blocks=2"], "no setting 'blocks'"),
        (["train", "small", "--out", "run", "--model", "bracket", "--one-cycle"], "--epochs"),
        (["evaluate", "bracket", "small"], "graphedx label small --costs 1,1,1,1,1,1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_nonsense_is_one_clear_line(run, small, arguments, says):
    done = run(*arguments)
    assert done.exit_code == 1
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_shipped_model_is_known_by_name_and_takes_any_costs(run, small):
    found = json.loads(run("evaluate", "bracket", "small", *COSTS, "--json").stdout)
    assert (found["model"], found["pairs"], found["costs"]) == ("bracket", 21, "1,1,1,1,0,0")
    done = run("predict", "bracket", "path.json", "star.json", "--costs", "3,1,2,1", "--json")
    assert json.loads(done.stdout)["estimate"] == 3


def test_other_costs_than_those_of_the_training(run, small):
    run("train", "small", *COSTS, "--out", "run", *QUICK)
    done = run("predict", "run", "path.json", "star.json", "--costs", "3,1,2,1")
    assert done.exit_code == 1
    assert "trained for" in done.stderr


def test_the_path_of_a_learned_alignment_is_proven(run, small):
    run("train", "small", *COSTS, "--out", "run", *QUICK)
    shown = run("predict", "run", "path.json", "star.json", "--path")
    assert shown.exit_code == 0, shown.output
    found = json.loads(run("predict", "run", "path.json", "star.json", "--path", "--json").stdout)
    source, target = gx.read("path.json"), gx.read("star.json")
    wanted = gx.load_model("run").align(source, target)
    assert found["upper"] == found["cost"] == wanted.upper >= gx.ged(source, target, costs=wanted.costs).distance
    assert len(found["operations"]) == len(wanted.edit_path())
    assert f"at most {wanted.upper:g} (proven" in shown.stdout
    for text in wanted.edit_path().texts:
        assert text in shown.stdout
