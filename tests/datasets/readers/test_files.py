"""Finding files and reading them line by line."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest

from graphedx.datasets.readers import _files
from graphedx.errors import DatasetError, FormatError


def test_files_are_sorted_and_what_others_leave_is_passed_over(tmp_path: Path) -> None:
    for place in ("b/2.csv", "a.CSV.gz", "b/.hidden.csv", "__MACOSX/x.csv", ".git/y.csv", "c.txt"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).touch()
    assert _files.files_below(tmp_path, ".csv") == [tmp_path / "a.CSV.gz", tmp_path / "b" / "2.csv"]
    assert _files.files_below(tmp_path / "c.txt", ".txt") == [tmp_path / "c.txt"]
    assert _files.files_below(tmp_path / "c.txt", ".csv") == []
    with pytest.raises(DatasetError, match="no such file or folder"):
        _files.files_below(tmp_path / "d", ".csv")


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_lines_do_not_depend_on_how_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, ending: str
) -> None:
    monkeypatch.setattr(_files, "_CHUNK", chunk)
    content = "\ufeffä,1\r\n\r\n\u2028b\x0c\n\ufeffc".encode()
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(gzip.compress(content, mtime=0) if ending else content)
    lines = _files.Lines(path)
    assert list(lines) == ["ä,1", "", "\u2028b\x0c", "\ufeffc"]
    assert lines.number == 4
    path.write_bytes(gzip.compress(content + b"\n", mtime=0) if ending else content + b"\n")
    assert len(list(_files.Lines(path))) == 4


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_files, "MAX_LINE", 2**21)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(bytes(2**26), mtime=0))
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"bomb\.csv\.gz: has a line of more than 2 MB"):
        list(_files.Lines(path))
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for name in ("a.csv", "a.csv.gz"):
        with pytest.raises(FormatError, match=rf"{name}: no such file"):
            list(_files.Lines(tmp_path / name))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(FormatError, match=r"a\.csv: this is not a file"):
        list(_files.Lines(tmp_path / "a.csv"))


def test_a_packed_file_cannot_unfold_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_files, "_SMALL", 0)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"\n" * 4_000_000))
    with pytest.raises(FormatError, match=r"a\.csv\.gz: unpacks to more than 500 times its size"):
        for _ in _files.Lines(tmp_path / "a.csv.gz"):
            pass
