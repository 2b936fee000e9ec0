"""Jobs are values: they have a key of their own, and come back from JSON."""

import json

import pytest

from experiments.samples import SOME, small_train
from graphedx.errors import GraphEdXError
from graphedx.experiments import (
    AnyCosts,
    CostTransfer,
    Example,
    Prepare,
    Properties,
    Solve,
    Statistics,
    Timing,
    Train,
    Transfer,
    settings,
)
from graphedx.experiments.job import job_from_json

ALL = (
    *SOME,
    Prepare("aids", "labelled"),
    Train("linux", "1,1,1,1,0.5", "gmn_match", settings(cost_guided=True), 2),
    Solve("linux", "uniform", "exact", None, None),
    Transfer(Train("aids", "uniform", "greed"), "linux"),
    AnyCosts("linux", "bracket", 7, 1),
    Example(Train("aids", "uniform", "graphedx"), 50),
    Properties(Train("aids", "uniform", "graphedx"), 50),
    Train("aids", "uniform", "greed", (), 1, "equal-budget"),
    Timing("aids"),
)


@pytest.mark.parametrize("job", ALL, ids=lambda job: job.key)
def test_a_job_comes_back_from_json(job):
    assert job_from_json(json.loads(json.dumps(job.to_json()))) == job


def test_keys_are_readable_and_differ():
    assert len({job.key for job in ALL}) == len(ALL)
    terms = settings(node_weight=1.0, edge_term="xor", node_term="align_diff")
    wanted = "train/linux/uniform/graphedx/edge_term=xor,node_term=align_diff,node_weight=1/seed=0"
    assert Train("linux", "uniform", "graphedx", terms).key == wanted
    assert Train("linux", "uniform", "greed", settings(cost_guided=True), 1).key.endswith("/cost_guided=true/seed=1")


def test_a_training_has_a_key_for_each_protocol():
    job = Train("linux", "uniform", "graphedx", settings(node_weight=0.1))
    assert job.under("published") == job
    equal = job.under("equal-budget")
    assert equal.key == "train/linux/uniform/graphedx/node_weight=1/equal-budget/seed=0"
    assert Transfer(job, "aids").under("equal-budget") == Transfer(equal, "aids")
    assert Statistics("aids").under("equal-budget") == Statistics("aids")


def test_a_whole_number_is_one_setting_however_it_is_written():
    one, other = (Train("linux", "uniform", "graphedx", settings(node_weight=weight)) for weight in (1, 1.0))
    assert one == other
    assert len({one, other}) == 1


def test_costs_without_substitutions_need_the_same_labels():
    assert {Prepare.of("aids", costs) for costs in ("uniform", "non-uniform", "edge-only", "3,1,2,1")} == {
        Prepare("aids")
    }
    assert Prepare.of("aids", "labelled").needs == (Prepare("aids"),)
    assert Transfer(small_train(), "aids").needs == (small_train(), Prepare("aids"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Train("../elsewhere", "uniform", "graphedx"),
        lambda: Train("linux", "cheap", "graphedx"),
        lambda: Train("linux", (1, 1, 1, 1), "graphedx"),
        lambda: Train("linux", "uniform", "a/b"),
        lambda: Train("linux", "uniform", "graphedx", settings(edge_term="x/../y")),
        lambda: Train("linux", "uniform", "graphedx", (("b", 1), ("a", 1))),
        lambda: Train("linux", "uniform", "graphedx", seed=-1),
        lambda: Train("linux", "uniform", "graphedx", protocol="longer"),
        lambda: Solve("linux", "uniform", "exact", -1.0),
        lambda: Solve("linux", "uniform", "exact", pairs=0),
        lambda: CostTransfer(small_train(), draws=0),
        lambda: AnyCosts("linux", "a/b"),
        lambda: AnyCosts("linux", "bracket", draws=0),
        lambda: Example(small_train(), pairs=0),
        lambda: Statistics(""),
        lambda: Timing("../aids"),
        lambda: job_from_json({"kind": "dance"}),
        lambda: job_from_json({"kind": "statistics", "color": "red"}),
    ],
)
def test_nonsense_is_refused(make):
    with pytest.raises(GraphEdXError):
        make()
