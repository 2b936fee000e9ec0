"""``graphedx data``: what there is, and making it."""

import json

import pytest

import graphedx as gx
from graphedx.datasets import catalog
from graphedx.datasets.dataset import Dataset

EMBEDDED = next(name for name, entry in catalog.CATALOG.items() if entry.generate)


def test_list_names_every_dataset_and_what_it_needs(run):
    result = run("data", "list")
    assert result.exit_code == 0 and result.stderr == ""
    for entry in catalog.CATALOG.values():
        assert entry.name in result.stdout and entry.title in result.stdout
    assert "embedded" in result.stdout and "911" in result.stdout


def test_list_for_machines(run):
    data = json.loads(run("data", "list", "--json").stdout)
    assert list(data) == list(catalog.CATALOG)
    assert data["aids"]["paper"]["graphs"] == 911 and not data["aids"]["embedded"] and data["aids"]["source"]
    assert data[EMBEDDED]["embedded"] and data[EMBEDDED]["source"] is None


def test_prepare_shows_every_step_beside_the_paper(run, tmp_path):
    paths = [gx.Graph(n, [(i, i + 1) for i in range(n - 1)]) for n in (3, 5, 25, 3, 7)]
    gx.write(paths, tmp_path / "AIDS", format="tu")
    result = run("data", "prepare", "aids", "--source", "AIDS")
    assert result.exit_code == 0 and result.stderr == ""
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for line in (
        "read 5",
        "at most 20 nodes 4",
        "distinct structures 3",
        "kept 3 911 graphs",
        "train 1 1 149,331 pairs",
    ):
        assert line in lines
    assert "leaks none, no splits share a graph" in lines and "source AIDS" in lines and "written aids" in lines
    assert Dataset.load("aids").fingerprint in result.stdout


def test_prepare_for_machines(run):
    data = json.loads(
        run("data", "prepare", EMBEDDED, "--out", "d", "--max-graphs", 9, "--no-count-all", "--json").stdout
    )
    dataset = Dataset.load("d")
    assert data["fingerprint"] == dataset.fingerprint and data["folder"] == "d"
    assert not data["unchanged"] and not data["labels_lost"]
    assert data["sizes"] == {"train": 5, "val": 1, "test": 3} and data["pairs"] == {"train": 15, "val": 1, "test": 6}
    assert data["provenance"] == dataset.provenance and data["provenance"]["counts"]["stopped_early"]


def test_prepare_graphs_of_ones_own(run, tmp_path):
    result = run("data", "prepare", "mine", "--source", "many.jsonl", "--labelled", "--seed", 3, "--max-nodes", 6)
    assert result.exit_code == 0 and "distinct labelled graphs" in result.stdout and "in the paper" not in result.stdout
    assert Dataset.load("mine").provenance["rules"]["seed"] == 3
    assert run("data", "prepare", "all", "--source", "many.jsonl", "--keep-duplicates").exit_code == 0
    assert len(Dataset.load("all")) == 5
    (tmp_path / "same.jsonl").write_text('{"n": 1, "graph": []}\n' * 5)
    assert "7 isomorphic pairs" in run("data", "prepare", "same", "--source", "same.jsonl", "--keep-duplicates").stdout


def test_preparing_again_keeps_labels_and_replacing_says_that_they_are_gone(run, tmp_path):
    arguments = ("data", "prepare", "mine", "--source", "many.jsonl")
    assert run(*arguments).exit_code == 0
    (tmp_path / "mine" / "labels").mkdir()
    assert "unchanged    mine" in run(*arguments).stdout
    refused = run(*arguments, "--seed", 1)
    assert refused.exit_code == 1 and "pass --overwrite" in refused.stderr and "labels would be lost" in refused.stderr
    assert "those of the old graphs are gone" in run(*arguments, "--seed", 1, "--overwrite").stdout


def test_a_name_close_to_one_of_the_catalog_is_remarked_on(run):
    result = run("data", "prepare", "aidz", "--source", "many.jsonl")
    assert result.exit_code == 0 and "note: 'aidz' is not in the catalog" in result.stderr
    assert "did you mean aids?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["aids"], "needs a source"),
        (["adis"], "did you mean aids?"),
        (["mine", "--source", "none.zip"], "none.zip"),
        (["mine", "--source", "code.txt"], "code.txt"),
        (["mine", "--source", "many.jsonl", "--out", "taken"], "no part of a dataset"),
        (["mine", "--source", "many.jsonl", "--out", "path.json/d"], "cannot be written"),
        (["mine", "--source", "path.json", "--max-nodes", "1"], "the smallest has 4"),
        (["mine", "--source", "path.json", "--node-label", "lable"], "'lable'"),
        (["../mine", "--source", "path.json"], "letters, digits"),
    ],
)
def test_whatever_goes_wrong_is_one_line_and_nothing_is_written(run, tmp_path, arguments, word):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").touch()
    before = sorted(tmp_path.rglob("*"))
    result = run("data", "prepare", *arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert word in result.stderr and result.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_usage_is_exit_code_2(run):
    assert run("data", "prepare").exit_code == 2
    assert run("data", "prepare", "mine", "--max-graphs", "0").exit_code == 2
    assert "graphedx data prepare mine" in run("data", "prepare", "--help").stdout


def test_splits_of_ones_own_making_need_no_provenance(run, tmp_path):
    made = gx.datasets.prepare("alkanes", max_nodes=5)
    Dataset("alkanes", made.graphs, made.sizes).save(tmp_path / "alkanes")
    result = run("data", "prepare", "alkanes", "--max-nodes", "5")
    assert result.exit_code == 0 and "unchanged" in result.stdout
    Dataset("twice", (made.graphs[0], made.graphs[0]), (1, 0, 1)).save(tmp_path / "twice")
    result = run("data", "verify", "twice", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["isomorphic_between_splits"] == 1


@pytest.mark.parametrize(
    "provenance",
    [
        {"rules": {}, "counts": {}},
        {"rules": None, "counts": []},
        {"rules": {"max_nodes": None}, "counts": {"stopped_early": False, "read": "all"}},
        {"source": "somewhere", "isomorphic_between_splits": "none"},
    ],
    ids=str,
)
def test_a_provenance_of_another_making_does_not_stop_prepare(run, tmp_path, provenance):
    made = gx.datasets.prepare("alkanes", max_nodes=5)
    Dataset("alkanes", made.graphs, made.sizes, provenance).save(tmp_path / "alkanes")
    result = run("data", "prepare", "alkanes", "--max-nodes", "5")
    assert result.exit_code == 0 and "unchanged" in result.stdout and "kept" not in result.stdout


@pytest.mark.parametrize("provenance", [{"rules": []}, {"rules": None}, {"isomorphic_between_splits": "none"}], ids=str)
def test_a_provenance_that_was_edited_does_not_stop_verify(run, tmp_path, provenance):
    made = gx.datasets.prepare("alkanes", max_nodes=5)
    Dataset("alkanes", made.graphs, made.sizes, provenance).save(tmp_path / "alkanes")
    result = run("data", "verify", "alkanes", "--json")
    assert bool(json.loads(result.stdout)["problems"]) == bool(result.exit_code) == ("rules" not in provenance)
