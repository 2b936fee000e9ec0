"""``graphedx search``: tables, JSON, pictures, and what is said when time runs out."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import graphedx as gx
from matrix.samples import hard_graphs, some_graphs


@pytest.fixture
def found(run):
    """Run a search in an index of fifty graphs."""
    gx.GraphIndex.build(some_graphs(50)).save("i.gxi")
    return lambda *arguments: run("search", "i.gxi", *arguments)


def test_shows_what_the_library_finds(found):
    result = found("many.jsonl#g3", "-k", "4", "--costs", "3,1,2,1,1,1")
    assert result.exit_code == 0 and result.stderr == ""
    hits = gx.GraphIndex.load("i.gxi").search(some_graphs(5)[3], 4, costs=gx.EditCosts(3, 1, 2, 1, 1, 1))
    lines = [line.split() for line in result.stdout.splitlines()]
    for place, hit in enumerate(hits, 1):
        assert [str(place), hit.id, f"{hit.distance:g}", str(len(hit.graph)), str(hit.graph.num_edges)] in lines
    assert "4 nearest of 50 graphs (proven)" in result.stdout
    assert ("more as near as the last" in result.stdout) == bool(hits.ties)


def test_json_of_many_queries(found):
    data = json.loads(found("many.jsonl", "path.json", "--json").stdout)
    assert [one["query"] for one in data["queries"]] == [*(f"g{k}" for k in range(5)), "path"]
    first = gx.GraphIndex.load("i.gxi").search(some_graphs(5)[0]).to_dict()
    for key in ("hits", "ties", "complete", "k", "graphs"):
        assert data["queries"][0][key] == first[key]
    assert len(first["hits"]) == 10


def test_a_radius(found):
    data = json.loads(found("path.json", "--radius", "3", "--json").stdout)["queries"][0]
    hits = gx.GraphIndex.load("i.gxi").range(gx.read("path.json"), 3)
    assert [hit["id"] for hit in data["hits"]] == [*hits.ids] and data["radius"] == 3
    assert "within 3 of 50 graphs (proven)" in found("path.json", "--radius", "3").stdout


def test_pictures(found, tmp_path):
    result = found("many.jsonl#g3", "star.json", "-k", "2", "--draw", "hits.html")
    assert result.exit_code == 0 and "written  hits.html" in result.stdout
    page = (tmp_path / "hits.html").read_text()
    assert page.count("<svg") == 4 and "Query star" in page and "http://www.w3.org" in page
    assert "src=" not in page and "href=" not in page  # it needs nothing but itself
    refused = found("star.json", "--draw", "hits.html")
    assert refused.exit_code == 1 and "hits.html: exists already" in refused.stderr
    assert found("star.json", "-k", "1", "--draw", "hits.html", "--overwrite").exit_code == 0
    assert (tmp_path / "hits.html").read_text().count("<svg") == 1


def test_names_from_anywhere_are_harmless_in_pictures(run, tmp_path):
    gx.GraphIndex.build([gx.Graph(1, node_labels=["<b>"])], ids=["<script>alert(1)</script>"]).save("i.gxi")
    assert run("search", "i.gxi", "path.json", "--draw", "h.html").exit_code == 0
    assert "<script>alert" not in (tmp_path / "h.html").read_text() and "<b>" not in (tmp_path / "h.html").read_text()


def test_unproven_is_exit_code_3_and_the_bounds_are_shown(run, tmp_path):
    run("index", "build", "hard.gxi", "hard.jsonl#1", "path.json")
    arguments = ["search", "hard.gxi", "hard.jsonl#2", "-k", "2", "--time-limit", "0.2"]
    result = run(*arguments)
    assert result.exit_code == 3 and "not proven within the limit" in result.stdout and " to " in result.stdout
    result = run(*arguments, "--json")
    assert result.exit_code == 3 and json.loads(result.stdout)["queries"][0]["complete"] is False


def test_what_is_not_proven_can_be_drawn(run, tmp_path):
    gx.GraphIndex.build([gx.Graph(3, [(0, 1), (1, 2)], name="a")]).save("i.gxi")
    assert run("search", "i.gxi", "star.json", "--time-limit", "0", "--draw", "h.html").exit_code in (0, 3)
    assert (tmp_path / "h.html").exists()


@pytest.mark.parametrize(
    ("arguments", "word", "code"),
    [
        (["missing.json"], "missing.json: no such file", 1),
        (["path.json", "--costs", "1,2"], "costs", 1),
        (["."], "", 1),
        (["empty.json"], "empty.json: is not JSON: the file is empty", 1),
        (["empty.py"], "empty.py: holds no graphs", 1),
        (["i.gxi"], "i.gxi: the extension '.gxi' stands for no format", 1),
        (["path.json", "--draw", "i.gxi", "--overwrite"], "i.gxi: this is the index; choose another file", 1),
        (["path.json", "--draw", "none/h.html"], "the folder none does not exist", 1),
        (["path.json", "--radius", "-1"], "--radius", 2),
        (["path.json", "--radius", "nan"], "--radius", 2),
        (["path.json", "-k", "0"], "-k", 2),
        (["path.json", "-k", "3", "--radius", "2"], "not both", 2),
        (["directed.json"], "the query is directed but the graphs of the index are undirected", 1),
    ],
)
def test_bad_input(found, arguments, word, code):
    gx.write(gx.Graph(2, [(0, 1)], directed=True), "directed.json")
    for name in ("empty.json", "empty.py"):
        Path(name).touch()
    before = Path("i.gxi").read_bytes()
    result = found(*arguments)
    assert Path("i.gxi").read_bytes() == before
    assert result.exit_code == code and word in result.stderr
    assert code == 2 or result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("index", "word"),
    [
        ("missing.gxi", "no such file"),
        (".", "is no file"),
        ("path.json", "is no index of graphedx; `graphedx index build`"),
    ],
)
def test_what_is_no_index(run, index, word):
    result = run("search", index, "path.json")
    assert result.exit_code == 1 and f"{index}: {word}" in result.stderr and result.stderr.count("\n") == 1


def test_numbers_beyond_all_graphs(found):
    huge = "9" * 30
    every = json.loads(found("path.json", "-k", huge, "--workers", huge, "--json").stdout)["queries"][0]
    within = json.loads(found("path.json", "--radius", "inf", "--json").stdout)["queries"][0]
    assert len(every["hits"]) == len(within["hits"]) == 50 and every["complete"] and within["complete"]


def test_ctrl_c_stops_a_long_search(run, tmp_path):
    gx.GraphIndex.build(hard_graphs(3)).save("hard.gxi")
    gx.write(hard_graphs(4)[3], "query.json")
    # It says when the search has begun, so that the signal does not come before.
    code = (
        "import graphedx.search.index as i; from graphedx.cli import main; found = i.nearest\n"
        "def nearest(*a): print('begun', flush=True); return found(*a)\n"
        "i.nearest = nearest; main()"
    )
    command = [sys.executable, "-c", code, "search", "hard.gxi", "query.json", "-k", "3"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as searching:
        assert searching.stdout.readline() == "begun\n"
        searching.send_signal(signal.SIGINT)
        out, err = searching.communicate(timeout=60)
    assert (searching.returncode, out, err) == (130, "", "graphedx: interrupted\n")


def test_a_closed_pipe_is_quiet(found, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "graphedx", "search", "i.gxi", "path.json"]
    done = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_approximate_answer_says_so_and_is_no_failure(found, tmp_path):
    said = "4 nearest of 50 graphs (approximate: not proven that no nearer graph was missed)"
    arguments = ["many.jsonl#g3", "-k", "4", "--approximate"]
    result = found(*arguments, "--draw", "hits.html")
    assert result.exit_code == 0 and result.stderr == "" and said in result.stdout and "(proven)" not in result.stdout
    page = (tmp_path / "hits.html").read_text()
    assert said in page and page.count("<svg") == 4
    data = json.loads(found(*arguments, "--json").stdout)["queries"][0]
    assert data["approximate"] is True and data["complete"] is False and data["hits"][0]["upper"] == 0
    assert json.loads(found("many.jsonl#g3", "--json").stdout)["queries"][0]["approximate"] is False


def test_a_radius_is_never_approximate(found):
    result = found("path.json", "--radius", "2", "--approximate")
    assert result.exit_code == 2 and "goes with -k only" in result.stderr
