"""``graphedx path``: the edits, and pictures of them that appear whole or not at all."""

import json

import pytest


def test_prints_edits_with_costs(run):
    result = run("path", "path.json", "star.json", "--costs", "3,1,2,0.5")
    assert result.exit_code == 0 and result.stderr == ""
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[3][:3] == ["1", "delete", "edge"] and rows[3][-1] == "2"
    assert rows[4][:3] == ["2", "insert", "edge"] and rows[4][-1] == "0.5"
    assert ["total", "2.5"] in rows


def test_large_costs_are_shown_in_full_also_in_pictures(run, tmp_path):
    pictures = ["--svg", "p.svg", "--html", "p.html"]
    result = run("path", "path.json", "star.json", "--costs", "1,1,1234568,1", *pictures)
    costs = [line.split()[-1] for line in result.stdout.splitlines() if "edge" in line or "total" in line]
    assert costs[:3] == ["1234568", "1", "1234569"]
    for name in ("p.svg", "p.html"):
        text = (tmp_path / name).read_text()
        assert "cost 1234569" in text and "cost 1234568" in text and "e+06" not in text


def test_json_has_the_operations_and_the_mapping(run):
    data = json.loads(run("path", "code.py::one", "code.py::two", "--json").stdout)
    assert data["distance"] == data["cost"] == sum(operation["cost"] for operation in data["operations"]) == 2
    assert [operation["op"] for operation in data["operations"]] == ["InsertNode", "InsertEdge"]
    assert len(data["mapping"]) == data["source"]["nodes"]


def test_pictures(run, tmp_path):
    pytest.importorskip("matplotlib")
    result = run("path", "path.json", "star.json", "--svg", "p.svg", "--png", "p.png", "--html", "p.html")
    assert result.exit_code == 0
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")


def test_an_existing_picture_stops_all_of_them(run, tmp_path):
    (tmp_path / "p.html").write_text("mine")
    before = sorted(tmp_path.iterdir())
    result = run("path", "path.json", "star.json", "--svg", "p.svg", "--html", "p.html")
    assert result.exit_code == 1 and result.stdout == "" and "p.html: exists already" in result.stderr
    assert "--overwrite" in result.stderr
    assert sorted(tmp_path.iterdir()) == before and (tmp_path / "p.html").read_text() == "mine"
    assert run("path", "path.json", "star.json", "--html", "p.html", "--overwrite").exit_code == 0
    assert (tmp_path / "p.html").read_text() != "mine"


@pytest.mark.parametrize(
    ("outputs", "word"),
    [
        (["--svg", "p", "--html", "./p"], "two outputs"),
        (["--svg", "none/p.svg"], "does not exist"),
        (["--svg", "."], "folder"),
    ],
)
def test_outputs_that_cannot_be(run, tmp_path, outputs, word):
    before = sorted(tmp_path.iterdir())
    result = run("path", "path.json", "star.json", *outputs)
    assert result.exit_code == 1 and word in result.stderr and result.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_unproven_path_is_exit_code_3_and_drawn_all_the_same(run, tmp_path):
    result = run("path", "hard.jsonl#1", "hard.jsonl#2", "--time-limit", "0.05", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 3 and data["cost"] == data["upper"] > data["lower"]
