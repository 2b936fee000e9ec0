"""``graphedx index``: building, describing, adding to and removing from files that can be searched."""

import json
import subprocess
import sys

import pytest

import graphedx as gx
from graphedx.datasets import Dataset
from graphedx.search.files import only_writer
from matrix.samples import some_graphs


def test_an_index_is_built_from_all_kinds_of_inputs(run, tmp_path):
    Dataset("small", tuple(some_graphs(4, seed=3)), (2, 1, 1)).save(tmp_path / "small")
    result = run("index", "build", "all.gxi", "many.jsonl", "path.json", "small", "--json")
    assert result.exit_code == 0 and result.stderr == ""
    data = json.loads(result.stdout)
    index = gx.GraphIndex.load("all.gxi")
    assert (data["graphs"], data["index"], data["bytes"]) == (10, "all.gxi", index.info().bytes)
    assert index.ids == (*(f"many:g{k}" for k in range(4)), "g4", "path", *(f"small:g{k}" for k in range(4)))
    assert index["path"] == gx.read("path.json") and index["small:g3"] == some_graphs(4, seed=3)[3]


def test_folders_are_read_with_all_below_and_what_is_skipped_is_said(run, tmp_path):
    for name in ("one.py", "deep/two.py", "deep/deeper/three.py"):
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("def main(): pass\n")
    (tmp_path / "tree" / "README.md").write_text("text")
    result = run("index", "build", "tree.gxi", "tree", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["graphs"] == 3
    assert result.stderr == "graphedx: tree: read 3 files, skipped 1: 1 of no known format (.md)\n"
    assert gx.GraphIndex.load("tree.gxi").ids == ("deep/deeper/three.py:main", "deep/two.py:main", "one.py:main")
    (tmp_path / "tree" / "deep" / "old.py").write_text("print 'hello'\n")
    refused = run("index", "build", "other.gxi", "tree")
    assert refused.exit_code == 1 and "old.py: line 1: is not Python source" in refused.stderr
    skipped = run("index", "build", "other.gxi", "tree", "--skip-unreadable", "--json")
    assert skipped.exit_code == 0 and json.loads(skipped.stdout)["graphs"] == 3
    assert "1 unreadable, the first tree/deep/old.py: line 1" in skipped.stderr


def test_info_add_and_remove(run):
    assert "5" in run("index", "build", "i.gxi", "many.jsonl").stdout
    shown = run("index", "info", "i.gxi").stdout
    graphs = some_graphs(5)
    nodes = sum(graph.num_nodes for graph in graphs)
    assert f"{nodes}, {nodes / 5:.1f} a graph, 3 labels" in shown and "written" not in shown
    added = json.loads(run("index", "add", "i.gxi", "path.json", "star.json", "--json").stdout)
    assert (added["added"], added["graphs"], added["nodes"]) == (2, 7, nodes + 8)
    removed = run("index", "remove", "i.gxi", "g0", "star")
    assert removed.exit_code == 0 and "removed  2" in removed.stdout
    assert gx.GraphIndex.load("i.gxi").ids == ("g1", "g2", "g3", "g4", "path")


def test_labels_are_chosen_or_dropped(run):
    run("index", "build", "i.gxi", "many.jsonl", "--unlabelled")
    assert gx.GraphIndex.load("i.gxi").info().node_labels == 1
    refused = run("index", "build", "j.gxi", "many.jsonl", "--node-label", "colour")
    assert refused.exit_code == 1 and "no node has an attribute 'colour'" in refused.stderr


def test_the_labels_of_a_dataset_are_those_it_has(run, tmp_path):
    Dataset("small", tuple(some_graphs(4)), (2, 1, 1)).save(tmp_path / "small")
    refused = run("index", "build", "j.gxi", "small", "--node-label", "colour")
    assert refused.exit_code == 1 and "were chosen when it was prepared" in refused.stderr
    assert run("index", "build", "j.gxi", "small#g1", "--unlabelled").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["build", "taken.txt", "many.jsonl"], "taken.txt: exists already"),
        (["build", "none/i.gxi", "many.jsonl"], "does not exist"),
        (["build", "i.gxi", "missing.smi"], "missing.smi: no such file"),
        (["info", "taken.txt"], "taken.txt: is no index of graphedx"),
        (["info", "missing.gxi"], "missing.gxi: no such file"),
        (["add", "missing.gxi", "path.json"], "missing.gxi: no such file"),
        (["add", "there.gxi", "path.json"], "has a graph 'path' already"),
        (["remove", "there.gxi", "star"], "the index has no graph 'star'"),
        (["remove", "there.gxi", "path", "path"], "'path' is given twice"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(run, tmp_path, arguments, word):
    (tmp_path / "taken.txt").write_text("mine")
    run("index", "build", "there.gxi", "path.json")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    result = run("index", *arguments)
    assert result.exit_code == 1 and word in result.stderr and result.stderr.count("\n") == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("command", [["add"], ["build", "--overwrite"]])
def test_two_at_the_same_time_are_refused(run, tmp_path, command):
    run("index", "build", "i.gxi", "path.json")
    with only_writer("i.gxi"):
        done = subprocess.run(
            [sys.executable, "-m", "graphedx", "index", *command, "i.gxi", "star.json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "graphedx: i.gxi: another process is changing this index; try again when it is done\n"
    assert gx.GraphIndex.load("i.gxi").ids == ("path",)
    assert run("index", *command, "i.gxi", "star.json").exit_code == 0
    assert gx.GraphIndex.load("i.gxi").ids[-1] == "star"


def test_vectors_are_kept_if_asked_for(run):
    plain = run("index", "build", "plain.gxi", "many.jsonl")
    assert "vectors  none" in plain.stdout
    run("index", "build", "i.gxi", "many.jsonl", "--vectors")
    info, size = gx.GraphIndex.load("i.gxi").info(), gx.GraphIndex.load("plain.gxi").info().bytes
    assert (
        f"vectors  {info.vector_bytes:,} bytes, {info.vector_bytes / 5:.0f} a graph"
        in run("index", "info", "i.gxi").stdout
    )
    data = json.loads(run("index", "info", "i.gxi", "--json").stdout)
    assert (data["vector_bytes"], data["bytes"]) == (info.vector_bytes, size)
    grown = json.loads(run("index", "add", "i.gxi", "path.json", "--json").stdout)
    assert grown["vector_bytes"] == info.vector_bytes // 5 * 6


def test_verify_tells_an_intact_index_from_a_damaged_one(run, tmp_path):
    run("index", "build", "i.gxi", "many.jsonl", "--vectors")
    good = run("index", "verify", "i.gxi")
    assert good.exit_code == 0 and "every checksum matches" in good.stdout and good.stderr == ""
    content = bytearray((tmp_path / "i.gxi").read_bytes())
    content[-300] ^= 1
    (tmp_path / "i.gxi").write_bytes(content)
    bad = run("index", "verify", "i.gxi")
    assert bad.exit_code == 4 and bad.stdout == ""
    assert bad.stderr.startswith("graphedx: i.gxi: is damaged: ") and len(bad.stderr.splitlines()) == 1
    data = json.loads(run("index", "verify", "i.gxi", "--json").stdout)
    assert data["intact"] is False and data["problem"].startswith("i.gxi: is damaged")
    assert run("index", "verify", "path.json").exit_code == 4
    missing = run("index", "verify", "none.gxi")
    assert missing.exit_code == 1 and missing.stderr == "graphedx: none.gxi: no such file\n"
