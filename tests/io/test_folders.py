"""Folders are read with all folders below them, and nothing is skipped without a word."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from graphedx import io
from graphedx.errors import FormatError
from graphedx.graph import Graph


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "deep" / "deeper").mkdir(parents=True)
    for name in ("b.py", "deep/a.py", "deep/deeper/c.py"):
        (folder / name).write_text("def f(): pass\n")
    (folder / "README.md").write_text("text")
    (folder / "deep" / "notes.md").write_text("text")
    (folder / ".git").mkdir()
    (folder / ".git" / "hidden.py").write_text("def g(): pass\n")
    (folder / "__pycache__").mkdir()
    (folder / "again").symlink_to(folder / "deep")
    return folder


def test_folders_are_read_recursively(tree: Path) -> None:
    assert [graph.name for graph in io.read_all(tree)] == ["f", "f", "f"]
    contents = io.read_folder(tree)
    assert [file.relative_to(tree).as_posix() for file in contents.files] == ["b.py", "deep/a.py", "deep/deeper/c.py"]
    assert contents.origins == contents.files
    assert contents.graphs == io.read_all(tree)


def test_what_is_skipped_is_listed_and_summed_up(tree: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "graphedx.io"):
        contents = io.read_folder(tree)
    assert {each.path.name for each in contents.skipped} == {"README.md", "notes.md", ".git", "__pycache__", "again"}
    assert contents.summary().startswith("read 3 files, skipped 5: ")
    for part in ("2 of no known format (.md)", "2 hidden", "1 links to folders"):
        assert part in contents.summary()
    assert contents.summary() in caplog.text


def test_a_file_that_cannot_be_read_is_an_error_unless_it_may_be_skipped(tree: Path) -> None:
    (tree / "deep" / "old.py").write_text("print 'hello'\n")
    with pytest.raises(FormatError, match=r"old\.py: line 1: is not Python source"):
        io.read_folder(tree)
    contents = io.read_folder(tree, skip_unreadable=True)
    assert len(contents.graphs) == 3
    assert [each.path.name for each in contents.skipped if each.is_error] == ["old.py"]
    assert "1 unreadable, the first " in contents.summary() and "old.py: line 1: is not Python" in contents.summary()


def test_a_folder_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(FormatError, match="none of its files can be read; read 0 files, skipped 1"):
        io.read_folder(tmp_path, skip_unreadable=True)
    with pytest.raises(FormatError, match="this is no folder"):
        io.read_folder(tmp_path / "bad.json")
    with pytest.raises(FormatError, match="no such folder"):
        io.read_folder(tmp_path / "missing")


def test_a_tu_set_below_a_folder_counts_as_one_file(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    io.write([Graph(2, [(0, 1)]), Graph(1)], tmp_path / "all" / "MINE", format="tu")
    io.write(Graph(3, name="three"), tmp_path / "all" / "z.json")
    contents = io.read_folder(tmp_path / "all")
    assert [graph.name for graph in contents.graphs] == ["MINE-1", "MINE-2", "three"]
    assert (len(contents.files), contents.skipped) == (2, [])


def test_one_format_of_a_folder(tree: Path) -> None:
    io.write(Graph(1, name="one"), tree / "deep" / "one.gml")
    assert [graph.name for graph in io.read_all(tree, format="gml")] == ["one"]
    assert "3 of another format (python)" in io.read_folder(tree, format="gml").summary()
