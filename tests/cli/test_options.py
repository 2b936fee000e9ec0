"""``--option NAME=VALUE``: what a method's keywords are in Python."""

import csv
import json

import pytest

import graphedx as gx
from graphedx._quoting import quoted


def test_an_option_reaches_the_method(run):
    source, target = gx.read_all("hard.jsonl")
    for starts in (1, 50):
        result = run(
            "distance", "hard.jsonl#1", "hard.jsonl#2", "--method", "ipfp", "--option", f"starts={starts}", "--json"
        )
        assert json.loads(result.stdout)["upper"] == gx.ged(source, target, method="ipfp", starts=starts).upper
    assert (
        gx.ged(source, target, method="ipfp", starts=1).upper != gx.ged(source, target, method="ipfp", starts=50).upper
    )


def test_a_switch_is_true_or_false(run):
    pytest.importorskip("highspy")
    data = json.loads(
        run("distance", "path.json", "star.json", "--method", "fori", "--option", "relax=true", "--json").stdout
    )
    assert data["method"] == "fori" and data["search_nodes"] == 0
    result = run("distance", "path.json", "star.json", "--method", "fori", "--option", "relax=1")
    assert result.exit_code == 1 and "relax must be True or False" in result.stderr


def test_the_same_option_twice_is_refused(run):
    twice = ["--option", "expansions=3000", "--option", "expansions=1"]
    result = run("distance", "hard.jsonl#1", "hard.jsonl#2", "--method", "beam", *twice)
    assert result.exit_code == 1 and "--option expansions is given twice" in result.stderr


@pytest.mark.parametrize("text", ["time_limit=5", "source=1", "costs=1", "workers=1", "resume=1"])
def test_an_option_is_not_taken_for_another_argument(run, tmp_path, text):
    for command in (["distance", "path.json", "star.json"], ["matrix", "hard.jsonl", "-o", str(tmp_path / "m.csv")]):
        result = run(*command, "--option", text)
        assert result.exit_code == 1 and "has no option" in result.stderr


@pytest.mark.parametrize(
    "text",
    [
        "starts",
        "starts=",
        "starts=many",
        "starts=1.5",
        "starts=-1",
        "starts=True",
        "starts = 3",
        "=5",
        "starts=９",
        "starts=" + "9" * 5000,
    ],
)
def test_what_is_no_name_and_value_is_refused(run, text):
    result = run("distance", "path.json", "star.json", "--method", "refine", "--option", text)
    assert (result.exit_code, result.stdout) == (1, "")
    expected = f"graphedx: --option wants NAME=VALUE with a whole number, true or false, got {quoted(text)}\n"
    assert result.stderr == expected


@pytest.mark.parametrize(
    ("method", "text", "words"),
    [
        ("auto", "starts=3", "method 'auto' has no option 'starts'; it has none"),
        ("refine", "rounds=3", "method 'refine' has no option 'rounds'; its options: starts"),
        ("refine", "starts=0", "starts must be a whole number between 1 and 1000000000, got 0"),
        ("refine", "starts=true", "starts must be a whole number between 1 and 1000000000, got True"),
        ("beam", "expansions=1000000001", "expansions must be a whole number between 1 and 1000000000"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["distance", "path", "matrix"])
def test_what_a_method_does_not_take_is_refused(run, command, method, text, words):
    output = ["-o", "m.csv"] if command == "matrix" else []
    result = run(command, "path.json", "star.json", *output, "--method", method, "--option", text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"graphedx: {words}") and result.stderr.count("\n") == 1


def test_path_and_matrix_take_them_too(run, tmp_path):
    source, target = gx.read_all("hard.jsonl")
    expected = gx.ged(source, target, method="refine", starts=2).upper
    options = ["--method", "refine", "--option", "starts=2"]
    assert json.loads(run("path", "hard.jsonl#1", "hard.jsonl#2", *options, "--json").stdout)["upper"] == expected
    assert run("matrix", "hard.jsonl", "-o", "m.csv", *options).exit_code == 0
    with (tmp_path / "m.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {float(row["upper"]) for row in rows if row["source"] != row["target"]} == {expected}
