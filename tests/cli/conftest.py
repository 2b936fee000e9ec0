"""A runner for commands, and a few files for them."""

import pytest
from typer.testing import CliRunner

import graphedx as gx
from graphedx.cli.app import app
from matrix.samples import hard_graphs, some_graphs


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder with ``path.json``, ``star.json``, ``hard.jsonl``, ``many.jsonl`` and ``code.py``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    gx.write(gx.Graph(4, [(0, 1), (1, 2), (2, 3)], name="path"), "path.json")
    gx.write(gx.Graph(4, [(0, 1), (0, 2), (0, 3)], name="star"), "star.json")
    gx.write(hard_graphs(2), "hard.jsonl")
    gx.write(some_graphs(5), "many.jsonl")
    (tmp_path / "code.py").write_text("def one(a):\n    return a\n\ndef two(a, b):\n    return a\n")

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run
