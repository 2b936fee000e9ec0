"""The examples run, and the pages that show them show what they print."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphedx.cli.app import app

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("example", "page", "needs"),
    [
        ("quickstart", "README.md", "rdkit"),
        ("search", "README.md", "rdkit"),
        ("own_graphs", "docs/datasets.md", "pandas"),
    ],
)
def test_pages_show_the_example_and_its_output(example: str, page: str, needs: str) -> None:
    pytest.importorskip(needs, reason="the example uses it")
    script = ROOT / "examples" / f"{example}.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    shown = (ROOT / page).read_text(encoding="utf-8")
    code = script.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    assert code in shown
    assert done.stdout.strip() in shown


def test_the_search_of_the_readme_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rdkit", reason="it is about the molecules that come with it")
    monkeypatch.chdir(tmp_path)
    part = (ROOT / "README.md").read_text(encoding="utf-8").split("## Find the nearest graphs")[1]
    [block] = re.findall(r"^```console\n(.*?)^```$", part.split("\n## ")[0], flags=re.DOTALL | re.MULTILINE)
    printed: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ graphedx "):
            done = CliRunner().invoke(app, shlex.split(line)[2:])
            assert done.exit_code == 0, (line, done.output)
            printed = [text.rstrip() for text in done.stdout.splitlines()]
        else:
            assert line in printed
    assert (tmp_path / "hits.html").read_text(encoding="utf-8").count("<svg") == 3
