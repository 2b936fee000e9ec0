"""``graphedx models``: every model with what it takes and gives, also those of other packages."""

from __future__ import annotations

import builtins
import json
import sys

import pytest

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx.models import base
from graphedx.models.listing import IN_THE_PAPER
from models.installed import MODEL, find_in, install

WITH_COSTS = {"egsc", "eric", "gmn_embed", "gmn_match", "graphsim", "greed", "h2mn", "isonet", "simgnn"}
QUICK = ("--epochs", "1", "--no-tensorboard")


def test_every_model_is_listed(run):
    listed = json.loads(run("models", "--json").stdout)
    assert tuple(listed) == base.models()
    for name, facts in listed.items():
        kind = base.kind_of(name)
        assert facts["parameters"] == sum(weight.numel() for weight in base.make(name, {}).parameters())
        assert facts["in_the_paper"] == IN_THE_PAPER.get(name)
        with_costs = base.weights_of(name, {"cost_features": True}) if name in WITH_COSTS else None
        assert facts["parameters_with_costs"] == with_costs
        assert (facts["interaction"], facts["output"]) == (kind.interaction, kind.output)
        assert (facts["aligns"], facts["any_costs"]) == (name in base.aligning_models(), kind.any_costs)
        assert facts["summary"] and "\n" not in facts["summary"] and len(facts["summary"]) <= 120, name
    shown = run("models").stdout
    assert all(f" {name} " in shown for name in listed)


def test_what_is_said_of_two_models(run):
    listed = json.loads(run("models", "--json").stdout)
    ours, published = listed["bracket"], listed["graphedx"]
    assert (published["parameters"], published["in_the_paper"]) == (3030, 3030)
    assert (published["aligns"], published["any_costs"], published["shipped"]) == (True, False, False)
    assert (ours["in_the_paper"], ours["any_labels"], ours["shipped"]) == (None, True, True)
    [row] = [line for line in run("models").stdout.splitlines() if line.startswith(" graphedx ")]
    assert row.split()[:9] == ["graphedx", "3,030", "3,030", "late", "distance", "yes", "no", "no", "no"]


def test_models_of_other_packages_are_listed_and_a_broken_one_spoils_nothing(run, tmp_path, monkeypatch):
    install(tmp_path / "site", "sizes", "sizes_model", MODEL.format(name="sizes"))
    install(tmp_path / "site", "broken", "broken_model", "raise RuntimeError('no such planet')")
    find_in(tmp_path / "site", monkeypatch)
    listed = json.loads(run("models", "--json").stdout)
    assert {"sizes", "broken", *base.IN_THE_BOX} <= listed.keys()
    assert (listed["sizes"]["parameters"], listed["sizes"]["in_the_paper"]) == (1, None)
    assert listed["sizes"]["summary"] == "Sizes: how many nodes one graph has more than the other"
    assert listed["broken"] == {"error": "the model 'broken' cannot be imported from broken_model: no such planet"}
    assert "no such planet" in run("models").stdout


def test_without_torch_it_says_what_to_install(run, monkeypatch):
    original = builtins.__import__

    def without_torch(name, *arguments, **keywords):
        if name.startswith("graphedx.models"):
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    done = run("models")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "graphedx: torch is needed for this: pip install 'graphedx[neural]'\n"


def test_a_model_of_another_package_is_trained_and_loaded_by_name(run, tmp_path, monkeypatch):
    install(tmp_path / "site", "sizes", "sizes_model", MODEL.format(name="sizes"))
    find_in(tmp_path / "site", monkeypatch)
    small_dataset(tmp_path / "small", 30)
    run("label", "small", "--costs", "uniform")
    done = run("train", "small", "--model", "sizes", "--costs", "uniform", *QUICK, "--out", "run")
    assert done.exit_code == 0, done.output
    assert "sizes_model" in sys.modules
    base._MODELS.pop("sizes")  # as in a new process
    sys.modules.pop("sizes_model")
    [found] = gx.load_model("run").predict([(gx.Graph(1), gx.Graph(3))])
    assert found == pytest.approx(2, abs=0.5)
