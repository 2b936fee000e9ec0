"""Whatever goes wrong is one line on stderr and the right exit code, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import graphedx
from graphedx.cli import distance

COMMANDS = ("distance", "path", "matrix", "search", "convert", "methods", "models", "demo")


def assert_one_line(result, *words, code=1):
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("graphedx: ") and result.stderr.count("\n") == 1 and result.stderr.endswith("\n")
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("missing.json", ["missing.json", "no such file"]),
        ("garbage.json", ["garbage.json"]),
        ("garbage.graphml", ["garbage.graphml"]),
        ("empty.gml", ["empty.gml"]),
        ("notes.txt", ["notes.txt", "extension"]),
        ("folder", ["folder"]),
        ("many.jsonl", ["many.jsonl", "holds 5 graphs", "many.jsonl#g0"]),
        ("many.jsonl#" + "9" * 5000, ["many.jsonl"]),
        ("many.jsonl#9", ["many.jsonl", "'9'"]),
        ("code.py::tow", ["code.py", "did you mean two?"]),
        ("twice.jsonl#same", ["twice.jsonl", "1, 2"]),
        ("smiles:C(", ["smiles:C("]),
        ("", [": "]),
        ("a\nb.json", ["b.json"]),
        ("x" * 5000, ["x" * 50]),
    ],
)
def test_bad_files(run, tmp_path, source, words):
    if source.startswith("smiles"):
        pytest.importorskip("rdkit")
    (tmp_path / "garbage.json").write_bytes(b"\xff\x00{")
    (tmp_path / "garbage.graphml").write_text("<graphml><graph>")
    (tmp_path / "empty.gml").touch()
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "folder").mkdir()
    graphedx.write([graphedx.Graph(1, name="same"), graphedx.Graph(2, name="same")], "twice.jsonl")
    for command in ("distance", "path"):
        assert_one_line(run(command, source, "path.json"), *words)
        assert_one_line(run(command, "path.json", source), *words)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(run, tmp_path):
    (tmp_path / "path.json").chmod(0)
    assert_one_line(run("distance", "path.json", "star.json"), "path.json", "permission denied")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--costs", "cheap"], ["costs 'cheap'"]),
        (["--costs", "1,2,3"], ["costs '1,2,3'"]),
        (["--costs", "-1,1,1,1"], ["node_del must be finite and >= 0"]),
        (["--method", "magic"], ["unknown method 'magic'"]),
        (["--node-label", "x"], ["path.json", "'x'"]),
    ],
)
def test_bad_values(run, options, words):
    assert_one_line(run("distance", "path.json", "star.json", *options), *words)


def test_a_directed_and_an_undirected_graph(run):
    graphedx.write(graphedx.Graph(2, [(0, 1)], directed=True), "directed.json")
    assert_one_line(run("distance", "path.json", "directed.json"), "directed")
    assert_one_line(run("matrix", "path.json", "directed.json", "-o", "m.csv"), "directed")


@pytest.mark.parametrize(
    "arguments",
    [["distance", "path.json"], ["nonsense"], ["distance", "a", "b", "--colour"], ["matrix", "path.json"],
     ["distance", "a", "b", "--time-limit", "soon"], ["distance", "a", "b", "--time-limit", "-1"],
     ["matrix", "a", "-o", "m.csv", "--workers", "0"], ["demo", "--functions", "1"],
     ["matrix", "a", "-o", "m.csv", "--against", "b", "--heatmap", "m.svg"]],
)  # fmt: skip
def test_usage(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2 and result.stdout == "" and "Usage" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(run, command):
    for option in ("--help", "-h"):
        result = run(command, option)
        assert result.exit_code == 0
        assert result.stdout.split("Examples:")[1].count(f"graphedx {command}") >= 2


def test_help_lists_every_command(run):
    assert all(f" {command} " in run("--help").stdout for command in (*COMMANDS, "index"))


def test_version(run):
    assert run("--version").stdout == f"graphedx {graphedx.__version__}\n"


def test_ctrl_c(run, monkeypatch):
    def interrupted(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(distance, "ged", interrupted)
    assert_one_line(run("distance", "path.json", "star.json"), "interrupted", code=130)


def test_an_error_of_the_system(run, monkeypatch):
    def full(*arguments, **keywords):
        raise OSError(28, "No space left on device", "some/file")

    monkeypatch.setattr(distance, "ged", full)
    assert_one_line(run("distance", "path.json", "star.json"), "some/file: No space left on device")


def test_a_bug_is_not_hidden(run, monkeypatch):
    monkeypatch.setattr(distance, "ged", lambda *a, **k: 1 / 0)
    assert isinstance(run("distance", "path.json", "star.json").exception, ZeroDivisionError)


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams(closed):
    close = f"import os; os.close({1 if closed == 'stdout' else 2})"
    arguments = ["methods"] if closed == "stdout" else ["distance", "none.json", "none.json"]
    script = f"{close}; os.execv({sys.executable!r}, {[sys.executable, '-m', 'graphedx', *arguments]!r})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (result.stdout, result.stderr) == (b"", b"")
    assert result.returncode == (0 if closed == "stdout" else 1)


@pytest.mark.parametrize("arguments", [["methods"], ["--version"], ["--help"], ["methods", "--help"]], ids=" ".join)
def test_a_closed_pipe_is_quiet(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "graphedx", *arguments]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no such device")
@pytest.mark.parametrize("arguments", [["methods"], ["--version"], ["--help"]], ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line(arguments, unbuffered):
    command = [sys.executable, "-m", "graphedx", *arguments]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, timeout=60)
    assert (result.returncode, result.stderr) == (1, b"graphedx: No space left on device\n")


@pytest.mark.parametrize("option", ["--node-label", "--edge-label"])
def test_a_label_that_nothing_has_is_not_read_as_no_label(run, option):
    graphedx.write(graphedx.Graph(2, [(0, 1)], node_labels="ab", edge_labels="c"), "labelled.json")
    assert_one_line(run("distance", "labelled.json", "labelled.json", option, "nope"), "labelled.json", "'nope'")
