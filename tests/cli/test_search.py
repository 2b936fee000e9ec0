"""``graphedx search``: tables, JSON, pictures, and what is said when time runs out."""

import json

import pytest

import graphedx as gx
from matrix.samples import some_graphs


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
        (["path.json", "-k", "0"], "-k", 2),
        (["path.json", "-k", "3", "--radius", "2"], "not both", 2),
        (["directed.json"], "the query is directed but the graphs of the index are undirected", 1),
    ],
)
def test_bad_input(found, arguments, word, code):
    gx.write(gx.Graph(2, [(0, 1)], directed=True), "directed.json")
    result = found(*arguments)
    assert result.exit_code == code and word in result.stderr
    assert code == 2 or result.stderr.count("\n") == 1
