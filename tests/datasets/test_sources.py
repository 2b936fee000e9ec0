"""Raw data can be given as a folder, a file, an archive or an address, and is the same data every time."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasets.web import serving
from graphedx.datasets.sources import Source, opened
from graphedx.errors import DatasetError, FormatError

FILES = {"a.txt": b"hello", "d/b.csv": b"x,y\n"}


@pytest.fixture
def unpacking(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where archives are unpacked for a while; empty when the test is over."""
    folder = tmp_path_factory.mktemp("unpacking")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def zipped(path: Path, files: dict[str, bytes] = FILES) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return path


def tarred(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as file:  # type: ignore[call-overload]
        for name, data in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return path


def folder_of(path: Path, files: dict[str, bytes] = FILES) -> Path:
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "raw")
    with opened(folder) as source, opened(str(folder)) as same:
        assert source == same
        assert (source.path, source.origin) == (folder, "raw")


def test_the_checksum_of_a_folder_is_of_names_and_contents(tmp_path: Path) -> None:
    def digest(name: str, files: dict[str, bytes]) -> str:
        with opened(folder_of(tmp_path / name, files)) as source:
            return source.sha256

    first = digest("one", FILES)
    assert first == digest("two", dict(reversed(FILES.items())))
    others = [{"a.txt": b"hello"}, FILES | {"a.txt": b"hallo"}, {"b.txt": b"hello", "d/b.csv": b"x,y\n"}]
    assert len({first, *(digest(f"other{k}", files) for k, files in enumerate(others))}) == 4
    with opened(tmp_path / "one", sha256=first):
        pass
    with (
        pytest.raises(DatasetError, match=f"two: sha256 is {first}, expected {'0' * 64}"),
        opened(tmp_path / "two", sha256="0" * 64),
    ):
        pass


@pytest.mark.parametrize("name", ["graphs.json", "HIV.csv.gz", "graphs.jsonl.gz", "graphs.json.gz", "odd.name"])
def test_a_file_that_is_no_archive_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(b"{}") if name.endswith(".gz") else b"{}")
    with opened(file, sha256=f"sha256:{sha256(file)}") as source:
        assert source == Source(file, name, sha256(file))


@pytest.mark.parametrize("name", ["raw.zip", "raw.tar", "raw.tar.gz", "raw.tgz", "raw.tar.bz2", "raw.tar.xz", "raw"])
def test_an_archive_is_unpacked_and_cleaned_up(tmp_path: Path, unpacking: Path, name: str) -> None:
    modes = {"raw.zip": "", "raw.tar": "w", "raw.tar.bz2": "w:bz2", "raw.tar.xz": "w:xz"}
    mode = modes.get(name, "w:gz")
    file = tarred(tmp_path / name, mode) if mode else zipped(tmp_path / name)
    with opened(file) as source:
        assert content(source.path) == FILES
        assert source.path.name == "raw"
        assert source.path.is_relative_to(unpacking)
        assert (source.origin, source.sha256) == (name, sha256(file))
    assert not source.path.exists()


@pytest.mark.parametrize("trouble", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_what_was_unpacked_goes_whatever_happens(tmp_path: Path, unpacking: Path, trouble: type[BaseException]) -> None:
    with pytest.raises(trouble), opened(zipped(tmp_path / "raw.zip")) as source:
        assert source.path.exists()
        raise trouble
    assert not source.path.exists()


@pytest.mark.parametrize("kind", [DatasetError, FormatError])
def test_complaints_about_what_was_unpacked_name_the_archive(
    tmp_path: Path, unpacking: Path, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught, opened(zipped(tmp_path / "raw.zip")) as source:
        raise kind(f"{source.path / 'd' / 'b.csv'}: is damaged")
    assert str(caught.value) == "raw.zip/d/b.csv: is damaged"
    with pytest.raises(kind) as caught, opened(tmp_path / "raw.zip"):
        raise kind("has no graphs")
    assert str(caught.value) == "has no graphs"


def test_a_refused_archive_leaves_nothing(tmp_path: Path, unpacking: Path) -> None:
    evil = zipped(tmp_path / "evil.zip", {"good": b"1", "../../evil": b"2"})
    with pytest.raises(DatasetError, match=r"evil\.zip: the member '../../evil' leads out"), opened(evil):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["evil.zip"]


def test_a_wrong_checksum_is_refused_before_anything_is_unpacked(
    tmp_path: Path, unpacking: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = zipped(tmp_path / "raw.zip")
    monkeypatch.setattr("graphedx.datasets.archives.unpack", lambda *_: pytest.fail("was unpacked"))
    with (
        pytest.raises(DatasetError, match=rf"^raw\.zip: sha256 is {sha256(file)}, expected {'1' * 64}; "),
        opened(file, sha256="1" * 64),
    ):
        pass


def test_bad_sources_are_one_clear_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "page.zip").write_bytes(b"<html>")
    for source, words in {
        tmp_path / "gone.zip": "there is no such file or folder",
        "a\0b": "there is no such file or folder",
        "x" * 5000: "cannot be read: file name too long",
        tmp_path / "fifo": "neither a file nor a folder",
        tmp_path / "page.zip": "this is not an archive",
        "file:///etc/passwd": "http:// or https://",
    }.items():
        with pytest.raises(DatasetError, match=words), opened(source):
            pass
    with pytest.raises(DatasetError, match="64 hex digits"), opened(tmp_path, sha256="md5:1"):
        pass


def test_an_address_gives_the_same_as_the_file(
    tmp_path: Path, unpacking: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    archive = zipped(tmp_path / "raw.zip")
    packed = gzip.compress(b"smiles\nCC\n")
    with serving(archive.read_bytes()) as site:
        secret = (site / "some/raw.zip?key=1").replace("http://", "http://ann:hunter2@")
        with opened(secret, cache=tmp_path / "cache", progress=False, sha256=sha256(archive)) as source:
            assert content(source.path) == FILES
            assert source.path.name == "raw"
            assert source.origin == site / "some/raw.zip"
            assert source.sha256 == sha256(archive)
        site.content = packed
        with opened(site / "HIV.csv.gz", cache=tmp_path / "cache", progress=False) as source:
            assert source.path.read_bytes() == packed
            assert source.path.name == "HIV.csv.gz"
        assert source.path.exists()
        site.content = archive.read_bytes()[:-30]
        with (
            pytest.raises(DatasetError, match=r"cut\.zip: the archive is damaged"),
            opened(site / "cut.zip", cache=tmp_path / "cache"),
        ):
            pass


def test_two_addresses_of_one_name_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("GRAPHEDX_CACHE", str(tmp_path))
    with serving(b"one") as site, opened(site / "a/x.csv", progress=False) as first:
        site.content = b"two"
        with opened(site / "b/x.csv", progress=False) as second:
            assert (first.path.read_bytes(), second.path.read_bytes()) == (b"one", b"two")
