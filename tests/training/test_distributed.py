"""Two processes that train together come to what one alone comes to, up to rounding."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx.costs import UNIFORM
from graphedx.models.predicting import cost_tensor
from graphedx.models.saving import load_tensors
from graphedx.training import TrainConfig, train
from graphedx.training.data import predict
from graphedx.training.session import split_data

SOURCES = Path(gx.__file__).resolve().parents[1]
# 171 pairs leave a batch of one at the end, of which the second process has no share.
CONFIG = TrainConfig(batch=17, max_epochs=2)


def torchrun(*command: str) -> subprocess.CompletedProcess[str]:
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *command]
    environment = os.environ | {"PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"}
    return subprocess.run(launch, env=environment, capture_output=True, text=True, check=False, timeout=120)


def trained_by_two(
    folder: Path, out: Path, epochs: int, settings: tuple[str, ...] = ("--set", "steps=2")
) -> subprocess.CompletedProcess[str]:
    command = ["train", str(folder), "--costs", "uniform", "--out", str(out), "--batch", "17", *settings]
    limits = ["--epochs", str(epochs), "--threads", "1", "--no-tensorboard", "--json"]
    return torchrun("-m", "graphedx", *command, *limits)


@pytest.fixture
def small(tmp_path):
    dataset = small_dataset(tmp_path / "small", 30)
    gx.datasets.label(dataset, UNIFORM, splits=["train", "val"])
    assert dataset.pair_count("train") % CONFIG.batch == 1
    return dataset


def errors(out: Path) -> list[float]:
    lines = (out / "history.csv").read_text().splitlines()[1:]
    return [float(value) for line in lines for value in line.split(",")]


def test_a_model_that_does_not_need_all_its_weights_is_trained_by_two(small, tmp_path):
    """Bracket, without labels: the weights for labels of edges have no say, and still no process waits for another."""
    done = trained_by_two(small.folder, tmp_path / "run", 2, ("--model", "bracket", "--one-cycle", "--set", "width=4"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"epochs": 2') == 1
    assert gx.load_model(tmp_path / "run").name == "bracket"


def test_two_processes_validate_what_they_keep(small, tmp_path):
    """Each normalises by its share of a batch; the running statistics that are kept are those of the first."""
    run = tmp_path / "run"
    done = trained_by_two(small.folder, run, 1, ("--model", "egsc", "--batch", "20"))  # of the last, both have a share
    assert done.returncode == 0, done.stderr
    model = gx.load_model(run).model
    validation = split_data(small, "val", UNIFORM, (), type(model))
    off = predict(model, validation, cost_tensor(UNIFORM)) - validation.distances
    assert float((off.double() ** 2).mean()) == pytest.approx(errors(run)[2], rel=1e-5)


def test_two_processes_equal_one(small, tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    train(small, UNIFORM, settings={"steps": 2}, config=CONFIG, folder=alone, threads=1)
    done = trained_by_two(small.folder, together, epochs=2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"epochs": 2') == 1  # only the first process talks
    assert {path.name for path in together.iterdir()} == {path.name for path in alone.iterdir()}
    assert (together / "run.json").read_text() == (alone / "run.json").read_text()
    assert errors(together) == pytest.approx(errors(alone), rel=2e-3)
    wanted, _ = load_tensors(alone / "best.safetensors")
    found, _ = load_tensors(together / "best.safetensors")
    # Biases that cancel in differences have gradients of pure rounding, which Adam makes steps of; weights have not.
    for name in (name for name in wanted if "weight" in name):
        torch.testing.assert_close(found[name], wanted[name], rtol=1e-4, atol=1e-5)


def test_two_processes_take_up_a_run_of_one(small, tmp_path):
    run = tmp_path / "run"
    first = TrainConfig(batch=17, max_epochs=1)
    train(small, UNIFORM, settings={"steps": 2}, config=first, folder=run, threads=1)
    before = errors(run)
    done = trained_by_two(small.folder, run, epochs=2)
    assert done.returncode == 0, done.stderr
    assert errors(run)[:3] == before
    assert len(errors(run)) == 6
    assert gx.load_model(run).predict([(gx.Graph(1), gx.Graph(2))]).shape == (1,)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are listed on Linux only")
def test_who_leaves_leaves_no_thread_behind():
    """A thread of the group that outlives it may abort Python at its end."""
    done = torchrun(str(Path(__file__).with_name("leaving.py")))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("left: []") == 2
