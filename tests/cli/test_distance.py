"""``graphedx distance``: the answer, for people and machines, and the exit code that tells them apart."""

import json

import pytest

import graphedx as gx


def test_prints_the_proven_distance(run):
    result = run("distance", "path.json", "star.json")
    assert result.exit_code == 0 and result.stderr == ""
    lines = {line.split()[0]: line.split(maxsplit=1)[1].rstrip() for line in result.stdout.splitlines()}
    assert lines["distance"] == "2 (proven)"
    assert lines["source"] == "path: 4 nodes, 3 edges"
    assert lines["edits"] == "1 x insert edge, 1 x delete edge"


def test_distances_and_costs_are_shown_to_the_last_digit(run):
    costs = "1,1,1234568,1,1,0.1"
    for options in ([], ["--watch"]):
        shown = run("distance", "path.json", "star.json", "--costs", costs, *options)
        assert "distance  1234569 (proven)" in shown.stdout and "edge_del 1234568," in shown.stdout
    assert "  1234569 to 1234569, proven" in shown.stderr


def test_json_says_the_same_and_nothing_else(run):
    result = run("distance", "path.json", "star.json", "--costs", "3,1,2,0.5", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 0 and result.stderr == ""
    assert (data["distance"], data["lower"], data["upper"], data["proven"]) == (2.5, 2.5, 2.5, True)
    assert data["tolerance"] == 1e-14
    assert data["costs"] == {
        "node_del": 3, "node_ins": 1, "edge_del": 2, "edge_ins": 0.5, "node_sub": 0, "edge_sub": 0,
    }  # fmt: skip
    assert data["source"] == {"name": "path", "nodes": 4, "edges": 3, "directed": False}
    assert {kind for kind, number in data["edits"].items() if number} == {"insert_edge", "delete_edge"}
    assert data["stopped_by"] == "proved" and data["method"] == "auto"


def test_default_costs_are_one_each(run):
    a, b = gx.read_all("many.jsonl")[2:4]
    data = json.loads(run("distance", "many.jsonl#3", "many.jsonl#4", "--json").stdout)
    assert data["distance"] == gx.ged(a, b).distance > 0
    assert set(data["costs"].values()) == {1}


def test_unproven_is_exit_code_3_with_bounds(run):
    result = run("distance", "hard.jsonl#1", "hard.jsonl#2", "--time-limit", "0.05", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 3
    assert data["distance"] is None and not data["proven"] and data["stopped_by"] == "time"
    assert 0 <= data["lower"] < data["upper"]
    words = run("distance", "hard.jsonl#1", "hard.jsonl#2", "--time-limit", "0.05")
    assert words.exit_code == 3 and "not proven within the limit" in words.stdout


def test_above_the_cutoff_is_an_answer(run):
    result = run("distance", "path.json", "star.json", "--cutoff", "1", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 0 and data["lower"] > 1 and data["stopped_by"] == "cutoff"
    assert "above the cutoff" in run("distance", "path.json", "star.json", "--cutoff", "1").stdout


@pytest.mark.parametrize("method", ["exact", "brute_force"])
def test_method(run, method):
    data = json.loads(run("distance", "path.json", "star.json", "--method", method, "--json").stdout)
    assert (data["method"], data["distance"]) == (method, 2)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("smiles:CCO", "smiles:CCN", 1),
        ("code.py::one", "code.py::two", 2),
        ("code.py#one", "code.py#2", 2),
        ("many.jsonl#g1", "many.jsonl#2", 0),
    ],
)
def test_ways_to_name_a_graph(run, one, other, expected):
    if one.startswith("smiles"):
        pytest.importorskip("rdkit")
    assert json.loads(run("distance", one, other, "--json").stdout)["distance"] == expected


def test_a_file_whose_name_has_a_hash_is_that_file(run, tmp_path):
    (tmp_path / "a#1.json").write_bytes((tmp_path / "star.json").read_bytes())
    assert json.loads(run("distance", "a#1.json", "star.json", "--json").stdout)["distance"] == 0


@pytest.mark.parametrize("name", ["CC#N", "a::b#c", "#"])
def test_a_graph_whose_name_has_a_mark_can_be_chosen(run, name):
    gx.write([gx.Graph(1, name=name), gx.Graph(5, name="x")], "two.jsonl")
    assert json.loads(run("distance", f"two.jsonl#{name}", "path.json", "--json").stdout)["source"]["name"] == name
    assert "missing.jsonl: no such file" in run("distance", f"missing.jsonl#{name}", "path.json").stderr


def test_a_name_comes_before_a_number(run):
    gx.write([gx.Graph(1, name="2"), gx.Graph(5, name="x")], "numbers.jsonl")
    assert json.loads(run("distance", "numbers.jsonl#2", "path.json", "--json").stdout)["source"]["nodes"] == 1


def test_labels(run, tmp_path):
    nodes = [{"id": k, "label": "a", "colour": colour} for k, colour in enumerate(["red", "blue"])]
    data = {"directed": False, "multigraph": False, "graph": {}, "nodes": nodes, "links": []}
    (tmp_path / "two.json").write_text(json.dumps(data))
    for node in nodes:
        node["colour"] = "red"
    (tmp_path / "reds.json").write_text(json.dumps(data))

    def distance(*options):
        return json.loads(run("distance", "two.json", "reds.json", "--json", *options).stdout)["distance"]

    assert distance() == 0
    assert distance("--node-label", "colour") == 1
    assert distance("--node-label", "colour", "--unlabelled") == 0


def test_control_characters_in_names_do_not_reach_the_terminal(run):
    gx.write(gx.Graph(1, name="\x1b[31mred [bold]not bold"), "odd.json")
    result = run("distance", "odd.json", "path.json")
    assert result.exit_code == 0 and "\x1b" not in result.stdout and "[bold]not bold" in result.stdout
