"""A run that is killed goes on from its checkpoint and ends as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphedx as gx
from graphedx.errors import FormatError, OutputError
from matrix.samples import hard_graphs, some_graphs

GRAPHS = some_graphs(30, most_nodes=7)
PAIRS = 30 * 29 // 2
TESTS = Path(__file__).parents[1]

KILLED = """
import os, signal, sys
import graphedx as gx
from matrix.samples import some_graphs
def kill_at_100(news):
    if news.done >= 100:
        os.kill(os.getpid(), signal.SIGKILL)
gx.distance_matrix(some_graphs(30, most_nodes=7), resume=sys.argv[1], progress=kill_at_100, workers=2)
"""

INTERRUPTED = """
import sys
import graphedx as gx
from graphedx.engine import work
from matrix.samples import hard_graphs, some_graphs
work._MOST_LABELS = int(sys.argv[2])
graphs = some_graphs(10, most_nodes=4) + hard_graphs(2)
gx.distance_matrix(graphs, resume=sys.argv[1], progress=lambda news: print(news.done, flush=True), workers=2,
                   cutoff=60.0)
"""


def child(script, *arguments):
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def resumed(path, graphs=GRAPHS, **keywords):
    """The matrix, and how many pairs were known when the run began."""
    news = []
    matrix = gx.distance_matrix(graphs, resume=path, progress=news.append, **keywords)
    return matrix, news[0].done


def assert_same(one, other):
    for name in ("lower", "upper", "proven", "stops"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert all(one.result(i, j).images == other.result(i, j).images for i, j in [(0, 5), (29, 3), (12, 13)])


def test_a_killed_run_is_continued(tmp_path):
    path = tmp_path / "run.checkpoint"
    process = child(KILLED, path)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    matrix, known = resumed(path)
    assert 100 <= known < PAIRS
    assert_same(matrix, gx.distance_matrix(GRAPHS, workers=1))


@pytest.mark.parametrize("most_labels", [2000, 0], ids=["in batches", "pair by pair"])
def test_ctrl_c_stops_hard_pairs_and_loses_nothing(tmp_path, most_labels):
    path = tmp_path / "run.checkpoint"
    process = child(INTERRUPTED, path, most_labels)
    for line in process.stdout:
        if int(line) == 45 + 20:  # all but the two hard ones, which are a pair of their own
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")
    graphs = some_graphs(10, most_nodes=4) + hard_graphs(2)
    assert path.stat().st_size > 65 * 33
    with pytest.raises(FormatError):
        resumed(path, graphs[:-1], cutoff=60.0)


def test_a_finished_run_is_not_solved_again(tmp_path):
    first, known = resumed(tmp_path / "c")
    assert known == 0
    second, known = resumed(tmp_path / "c", workers=1)
    assert known == PAIRS
    assert_same(first, second)


def test_a_record_cut_short_is_dropped(tmp_path):
    path = tmp_path / "c"
    truth, _ = resumed(path)
    path.write_bytes(path.read_bytes()[:-3])
    matrix, known = resumed(path)
    assert 0 < known < PAIRS
    assert_same(matrix, truth)
    assert resumed(path)[1] == PAIRS  # and what was appended after the cut is whole


@pytest.mark.parametrize("length", [0, 5, 40])
def test_a_head_cut_short_is_a_new_start(tmp_path, length):
    path = tmp_path / "c"
    truth, _ = resumed(path)
    path.write_bytes(path.read_bytes()[:length])
    matrix, known = resumed(path)
    assert known == 0
    assert_same(matrix, truth)


def test_damage_costs_the_record_that_it_is_in(tmp_path):
    path = tmp_path / "c"
    truth, _ = resumed(path)
    content = bytearray(path.read_bytes())
    content[150] ^= 0xFF
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"c: the checkpoint is damaged at byte 87; all else"):
        matrix, known = resumed(path)
    assert 0 < known < PAIRS
    assert_same(matrix, truth)


@pytest.mark.filterwarnings("ignore:.*the checkpoint is damaged")
def test_no_damage_changes_a_distance(tmp_path):
    path, rng, graphs = tmp_path / "c", random.Random(3), GRAPHS[:7]
    truth, _ = resumed(path, graphs)
    whole = path.read_bytes()
    outcomes = set()
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged[: rng.choice([len(damaged), rng.randrange(len(damaged))])])
        try:
            matrix, _ = resumed(path, graphs)
            np.testing.assert_array_equal(matrix.upper, truth.upper)
            outcomes.add("continued")
        except FormatError:
            outcomes.add("refused")
    assert outcomes == {"continued", "refused"}


def test_any_other_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "thesis.tex"
    path.write_text("Years of work.")
    with pytest.raises(FormatError, match=r"thesis\.tex: this is not a checkpoint"):
        resumed(path)
    assert path.read_text() == "Years of work."


@pytest.mark.parametrize(
    "other",
    [
        {"graphs": GRAPHS[:-1]},
        {"graphs": GRAPHS[::-1]},
        {"graphs": [g.unlabelled() for g in GRAPHS]},
        {"costs": gx.EditCosts(node_sub=0.5)},
        {"costs": gx.EditCosts(node_sub=lambda a, b: 0.5)},
        {"others": GRAPHS},
        {"cutoff": 3},
        {"time_limit": 3},
        {"method": "exact"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_checkpoint_of_other_inputs_is_refused(tmp_path, other):
    resumed(tmp_path / "c")
    content = (tmp_path / "c").read_bytes()
    with pytest.raises(FormatError, match="of other graphs, costs, method or limits"):
        resumed(tmp_path / "c", **other)
    assert (tmp_path / "c").read_bytes() == content


def test_callable_costs_are_known_by_their_values(tmp_path):
    resumed(tmp_path / "c", costs=gx.EditCosts(node_sub=lambda a, b: abs(ord(a) - ord(b))))
    _, known = resumed(tmp_path / "c", costs=gx.EditCosts(node_sub=lambda x, y: abs(ord(y) - ord(x))))
    assert known == 30 * 29
    with pytest.raises(FormatError, match="of other"):
        resumed(tmp_path / "c", costs=gx.EditCosts(node_sub=lambda a, b: 2 * abs(ord(a) - ord(b))))


def test_bounds_are_kept_too(tmp_path):
    graphs = hard_graphs(2, nodes=20)
    first, _ = resumed(tmp_path / "c", graphs, time_limit=0.05)
    second, known = resumed(tmp_path / "c", graphs, time_limit=0.05)
    assert known == 1 and not first.proven[0, 1]
    np.testing.assert_array_equal(first.lower, second.lower)
    np.testing.assert_array_equal(first.upper, second.upper)


def test_two_runs_cannot_share_a_checkpoint(tmp_path):
    def again(news):
        with pytest.raises(OutputError, match="another run"):
            gx.distance_matrix(GRAPHS[:3], resume=tmp_path / "c")

    gx.distance_matrix(GRAPHS[:3], resume=tmp_path / "c", progress=again)


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none" / "c"):
        with pytest.raises(OutputError, match="cannot be written"):
            resumed(path)
