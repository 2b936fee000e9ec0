"""Labelling, statistics and verification from the command line."""

import json
import shutil

import pytest

import graphedx as gx
from datasets.labels.samples import contents, small_dataset
from graphedx.engine import journal
from matrix.samples import hard_graphs


@pytest.fixture
def small(tmp_path):
    return small_dataset(tmp_path / "small", 30)


def test_the_papers_four_regimes_by_default(run, small):
    done = run("label", "small")
    assert done.exit_code == 0, done.output
    assert "1,1,1,1,0,0 3,1,2,1,0,0 0,0,2,1,0,0" in done.stdout
    assert {name.split("/")[0] for name in contents(small)} == {"structure", "1,1,1,1,1,0"}


def test_one_split_and_one_cost_setting(run, small):
    done = run("label", "small", "--costs", "1,1,1,1,0,0", "--split", "test", "--json")
    assert done.exit_code == 0, done.output
    [row] = json.loads(done.stdout)["labels"]
    assert (row["split"], row["pairs"], row["proven"], row["costs"]) == ("test", 21, 21, ["1,1,1,1,0,0"])
    assert small.labels("test", gx.EditCosts.parse("3,1,2,1")).proven.all()


def test_pairs_that_resist_exit_with_3(run, tmp_path):
    gx.datasets.from_graphs(hard_graphs(4, 34), "hard").save(tmp_path / "hard")
    done = run("label", "hard", "--costs", "uniform", "--split", "train", "--time-limit", "0.05")
    assert done.exit_code == 3
    assert json.loads(run("data", "stats", "hard", "--json").stdout)["ged"]["uniform"]["all"]["proven"] == 2


def test_statistics_for_people_and_machines(run, small):
    assert "none yet; graphedx label small makes them" in run("data", "stats", "small").stdout
    run("label", "small", "--costs", "uniform")
    shown = run("data", "stats", "small").stdout
    assert "non-uniform" in shown
    assert "213 of 213" in shown
    found = json.loads(run("data", "stats", "small", "--json").stdout)
    wanted = {"graphs", "train", "val", "test", "avg_nodes", "avg_edges", "avg_ged"}
    assert wanted <= found.keys()
    assert found["avg_ged"] == gx.datasets.stats(gx.datasets.load("small"))["avg_ged"]


def test_verify_is_content_with_what_label_made(run, small):
    run("label", "small")
    done = run("data", "verify", "small", "--sample", "20")
    assert done.exit_code == 0, done.output
    assert "isomorphic between splits" in done.stdout


def test_what_is_labelled_needs_no_write(run, small, monkeypatch):
    assert "already" not in run("label", "small", "--costs", "uniform").stdout
    before, folder = contents(small), small.folder / "labels" / "structure"
    folder.chmod(0o555)
    monkeypatch.setattr(journal, "opened", None)  # root may write anywhere
    done = run("label", "small", "--costs", "uniform")
    folder.chmod(0o755)
    assert done.exit_code == 0, done.output
    assert "everything was labelled already" in done.stdout
    assert contents(small) == before


def test_a_shard_too_many_is_a_problem(run, small):
    run("label", "small", "--costs", "uniform")
    folder = small.folder / "labels" / "structure"
    shutil.copy(folder / "test-00000.parquet", folder / "test-00001.parquet")
    done = run("data", "verify", "small", "--json")
    assert done.exit_code == 1
    [problem] = json.loads(done.stdout)["problems"]
    assert "test-00001.parquet: is no shard of these labels; remove it" in problem


def test_verify_exits_with_1_where_something_is_wrong(run, small):
    run("label", "small", "--costs", "uniform")
    path = small.folder / "labels" / "structure" / "test-00000.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    done = run("data", "verify", "small", "--json")
    assert done.exit_code == 1
    assert "is damaged" in json.loads(done.stdout)["problems"][0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["label", "nowhere"], "nowhere"),
        (["label", "small", "--costs", "1,2"], "costs '1,2'"),
        (["label", "small", "--split", "dev"], "there is no split 'dev'"),
        (["label", "small", "--engine", "spark"], "no engine 'spark'"),
        (["label", "small", "--address", "localhost:1"], "address is for"),
        (["data", "stats", "nowhere"], "nowhere"),
        (["data", "verify", "path.json"], "path.json"),
        (["data", "verify", "small", "--method", "magic"], "magic"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_nonsense_is_one_clear_line(run, small, arguments, says):
    done = run(*arguments)
    assert done.exit_code == 1
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
