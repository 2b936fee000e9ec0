"""``graphedx distance --watch``: the bounds on stderr as they tighten, the answer on stdout as without it."""

import json
import random
import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

import graphedx as gx
from graphedx.cli import watching
from solvers.samples import molecule

LINE = re.compile(r" *[\d.]+ m?s  \|[ #]{33}\|  (\S+) to (\S+), (proven|gap \d+%)")


def bounds(stderr):
    """The intervals that were shown; every line must be one."""
    return [tuple(map(float, LINE.fullmatch(line).groups()[:2])) for line in stderr.splitlines()]


def test_the_last_line_is_the_answer(run):
    result = run("distance", "many.jsonl#3", "many.jsonl#5", "--watch", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 0 and data["proven"]
    assert bounds(result.stderr)[-1] == (data["lower"], data["upper"])
    assert result.stderr.rstrip().endswith("proven")
    assert data["distance"] == json.loads(run("distance", "many.jsonl#3", "many.jsonl#5", "--json").stdout)["distance"]


def test_intervals_only_tighten_and_none_is_shown_twice(run):
    rng = random.Random(2)
    gx.write([molecule(rng, 24), molecule(rng, 25)], "molecules.jsonl")
    result = run("distance", "molecules.jsonl#1", "molecules.jsonl#2", "--watch", "--costs", "3,1,2,1,1,1")
    shown = bounds(result.stderr)
    assert result.exit_code == 0
    assert len(set(shown)) == len(shown) > 3
    assert [lower for lower, _ in shown] == sorted(lower for lower, _ in shown)
    assert [upper for _, upper in shown] == sorted((upper for _, upper in shown), reverse=True)


def test_unproven_is_exit_code_3(run):
    result = run("distance", "hard.jsonl#1", "hard.jsonl#2", "--watch", "--time-limit", "0", "--json")
    assert result.exit_code == 3 and json.loads(result.stdout)["stopped_by"] == "time"
    assert "gap" in result.stderr and "proven" not in result.stderr


def test_people_see_the_usual_table(run):
    result = run("distance", "path.json", "star.json", "--watch")
    assert result.exit_code == 0 and "2 (proven)" in result.stdout
    assert result.stderr.count("\n") >= 1


@pytest.mark.parametrize("method", ["exact", "branch", "brute_force"])
def test_a_method_with_only_a_last_word_has_one_line(run, method):
    result = run("distance", "path.json", "star.json", "--watch", "--method", method)
    assert result.exit_code == 0 and bounds(result.stderr) == [(2, 2)]


def test_equal_graphs_have_no_gap_to_show(run):
    result = run("distance", "path.json", "path.json", "--watch", "--json")
    assert json.loads(result.stdout)["distance"] == 0
    assert bounds(result.stderr)[-1] == (0, 0)


def test_empty_graphs(run):
    gx.write(gx.Graph(0), "empty.json")
    result = run("distance", "empty.json", "empty.json", "--watch", "--json")
    assert json.loads(result.stdout)["distance"] == 0 and bounds(result.stderr) == [(0, 0)]


def test_ctrl_c_keeps_the_last_interval(run, monkeypatch):
    def interrupted(source, target, **question):
        result = gx.ged(source, target, method="bipartite")
        yield replace(result, lower=1.0, upper=5.0, stopped_by=gx.StopReason.RUNNING)
        raise KeyboardInterrupt

    monkeypatch.setattr(watching, "ged_stream", interrupted)
    result = run("distance", "path.json", "star.json", "--watch", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 3
    assert (data["lower"], data["upper"], data["distance"], data["stopped_by"]) == (1, 5, None, "interrupted")
    words = run("distance", "path.json", "star.json", "--watch")
    assert words.exit_code == 3 and "between 1 and 5; interrupted before it was proven" in words.stdout


def test_ctrl_c_before_anything_is_known_is_an_interruption(run, monkeypatch):
    def interrupted(source, target, **question):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(watching, "ged_stream", interrupted)
    result = run("distance", "path.json", "star.json", "--watch")
    assert (result.exit_code, result.stdout) == (130, "")


def test_a_real_ctrl_c(run, tmp_path):
    command = [sys.executable, "-m", "graphedx", "distance", "hard.jsonl#1", "hard.jsonl#2", "--watch", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        shown = process.stderr.readline() + process.stderr.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 3
    data = json.loads(stdout)
    assert data["stopped_by"] == "interrupted"
    assert (data["lower"], data["upper"]) in bounds(shown + stderr)


def test_errors_are_one_line(run):
    gx.write(gx.Graph(2, directed=True), "directed.json")
    result = run("distance", "path.json", "directed.json", "--watch")
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("graphedx: ") and result.stderr.count("\n") == 1
