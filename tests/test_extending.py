"""The page on models of one's own does what it says, block by block."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="models need it")

from typer.testing import CliRunner

from graphedx.cli.app import app
from models.installed import find_in, install

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)


MODULE, BY_HAND = blocks("python")
COMMANDS, LAWS = ([line.removeprefix("$ ") for line in block.splitlines()] for block in blocks("console"))


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's package is installed, as its pyproject.toml has it."""
    [project] = map(tomllib.loads, blocks("toml"))
    [(name, module)] = project["project"]["entry-points"]["graphedx.models"].items()
    assert project["tool"]["setuptools"]["py-modules"] == [module]
    assert f"`{module}.py`" in PAGE
    folder = tmp_path_factory.mktemp("packages")
    install(folder, name, module, MODULE)
    return folder


def python(packages: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(packages), str(ROOT / "src"), str(ROOT / "tests")])
    surroundings = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, *arguments], env=surroundings, capture_output=True, text=True, check=False, timeout=600
    )


def test_the_model_is_trained_from_the_command_line_and_from_python(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_in(packages, monkeypatch)
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        program, *arguments = command.split()
        assert program == "graphedx"
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, (command, done.output)
    done = python(packages, "-c", BY_HAND)
    assert done.returncode == 0, done.stderr
    error, shape = done.stdout.splitlines()
    assert float(error) < 20
    assert shape == "(3, 3)"
    weights = [hashlib.sha256(Path(run, "best.safetensors").read_bytes()).digest() for run in ("run", "by-hand")]
    assert weights[0] == weights[1]


def test_the_model_passes_the_laws(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [command] = LAWS
    monkeypatch.chdir(ROOT)
    done = python(packages, *command.split()[1:], "-p", "no:cacheprovider", "-q")
    assert done.returncode == 0, done.stdout
    [passed] = re.findall(r"(\d+) passed", done.stdout)
    assert int(passed) > 15
