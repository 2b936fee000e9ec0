"""The page on search does what it says, block by block."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import graphedx as gx
from graphedx.cli.app import app

pytest.importorskip("rdkit", reason="the guide begins with molecules")

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "search.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)


def test_the_guide_runs_and_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    for language, text in BLOCKS:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(text, names)  # a page of ours
            printed = out.getvalue()
        elif language == "console":
            for line in text.splitlines():
                program, *arguments = line.removeprefix("$ ").split()
                done = CliRunner().invoke(app, arguments)
                assert program == "graphedx" and done.exit_code == 0, (line, done.output)
        elif not language:
            assert printed == text
    assert [language for language, _ in BLOCKS].count("python") > 4
    assert gx.GraphIndex.load("drugs.gxi").ids[-1] == "ethanol" and len(gx.GraphIndex.load("drugs.gxi")) == 12
    shapes = gx.GraphIndex.load("shapes.gxi")
    assert shapes.ids == ("total", "longest", "weight")
    [nearest] = shapes.search(gx.read("new.py"), 1)
    assert (nearest.id, nearest.distance) == ("total", 0)
    assert Path("hits.html").read_text(encoding="utf-8").count("<svg") == 2
    assert len(list(Path("parts").iterdir())) == 2
