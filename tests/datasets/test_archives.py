"""Archives give plain files below their folder, or one clear error and nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import stat
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from graphedx.datasets.archives import Limits, is_archive, unpack
from graphedx.errors import DatasetError, OutputError

RANDOM = random.Random(5).randbytes(3000)
FILES = {"a.txt": b"hello", "d/b.bin": RANDOM, "d/e/empty": b"", "d/block": b"x" * 1024, "žluť.txt": b"letters"}


def zipped(files: dict[str, bytes] = FILES, **info: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            for key, value in info.items():
                setattr(member, key, value)
            file.writestr(member, content)
    return out.getvalue()


def tarred(files: dict[str, bytes] = FILES, format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as file:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o777
            file.addfile(member, io.BytesIO(content))
    return out.getvalue()


def tar_of(*members: tuple[str, bytes, str]) -> bytes:
    """A tar of members that have no content: name, type, target of a link."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        for name, kind, link in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            file.addfile(member)
    return out.getvalue()


def tar_with_doubles(*names: str) -> bytes:
    return tar_of(*((name, tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE, "") for name in names))


KINDS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "x.zip": zipped,
    "x.tar": tarred,
    "x.tar.gz": lambda files: gzip.compress(tarred(files), mtime=0),
    "x.tar.bz2": lambda files: bz2.compress(tarred(files)),
    "x.tar.xz": lambda files: lzma.compress(tarred(files)),
}


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def unpacked(folder: Path, archive: bytes, name: str = "x.zip", limits: Limits | None = None) -> dict[str, bytes]:
    """Unpack in a fresh place; nothing may appear beside the target, and nothing in it after an error."""
    place = Path(tempfile.mkdtemp(dir=folder))
    (place / name).write_bytes(archive)
    try:
        unpack(place / name, place / "out", **({} if limits is None else {"limits": limits}))
    except BaseException:
        assert {path.name for path in place.iterdir()} == {name}
        raise
    assert {path.name for path in place.iterdir()} == {"out", name}
    return content(place / "out")


def refused(folder: Path, archive: bytes, match: str, name: str = "x.zip", limits: Limits | None = None) -> None:
    before = sorted(folder.rglob("*"))
    with pytest.raises(DatasetError, match=match) as caught:
        unpacked(folder, archive, name, limits)
    assert str(caught.value).startswith(f"{name}: ")
    assert len(sorted(folder.rglob("*"))) == len(before) + 2


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_comes_out_as_it_went_in(tmp_path: Path, name: str) -> None:
    assert unpacked(tmp_path, KINDS[name](FILES), name) == FILES


@pytest.mark.parametrize("name", KINDS)
def test_the_content_tells_the_kind_and_not_the_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "data").write_bytes(KINDS[name](FILES))
    assert is_archive(tmp_path / "data")
    assert unpacked(tmp_path, KINDS[name](FILES), "misnamed.csv.gz") == FILES


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_all_formats_of_tar_and_their_long_names(tmp_path: Path, format: int) -> None:
    files = {"long/" * 30 + "x" * 60: b"1", "y" * 90: b"2"}
    assert unpacked(tmp_path, tarred(files, format), "x.tar") == files


def test_one_packed_file_is_no_archive_and_a_broken_promise_is_refused(tmp_path: Path) -> None:
    for name, data in {"a.csv.gz": gzip.compress(b"a,b\n"), "a.json": b"{}", "a.bz2": bz2.compress(b"x")}.items():
        (tmp_path / name).write_bytes(data)
        assert not is_archive(tmp_path / name)
    assert not is_archive(tmp_path)
    assert not is_archive(tmp_path / "missing.zip")
    (tmp_path / "page.zip").write_bytes(b"<html>Not found</html>")
    assert is_archive(tmp_path / "page.zip")
    with pytest.raises(DatasetError, match=r"page\.zip: this is not an archive"):
        unpack(tmp_path / "page.zip", tmp_path / "out")
    with pytest.raises(DatasetError, match=r"gone\.zip: cannot be read: no such file"):
        unpack(tmp_path / "gone.zip", tmp_path / "out")


def test_archives_inside_stay_packed(tmp_path: Path) -> None:
    files = {"inner.zip": zipped(), "inner.tar.gz": gzip.compress(tarred())}
    assert unpacked(tmp_path, zipped(files)) == files


def test_files_are_not_executable_and_may_be_read_by_their_owner(tmp_path: Path) -> None:
    for name, data in {"x.tar": tarred(), "x.zip": zipped(external_attr=0o104777 << 16)}.items():
        (tmp_path / name).write_bytes(data)
        unpack(tmp_path / name, tmp_path / f"{name}-out")
        for path in (tmp_path / f"{name}-out").rglob("*"):
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode & 0o7777 & ~(0o777 if path.is_dir() else 0o666) == 0
            assert mode & 0o600 == 0o600


@pytest.mark.parametrize("name", KINDS)
def test_resource_forks_of_macs_are_skipped(tmp_path: Path, name: str) -> None:
    archive = KINDS[name](FILES | {"__MACOSX/d/._b.bin": b"fork", "d/._b.bin": b"fork"})
    assert unpacked(tmp_path, archive, name) == FILES


def test_a_mac_that_does_not_say_utf8_is_understood(tmp_path: Path) -> None:
    archive = bytearray(zipped({"žluť.txt": b"1"}))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        struct.pack_into("<H", archive, archive.index(signature) + flags, 0)
    assert unpacked(tmp_path, bytes(archive)) == {"žluť.txt": b"1"}


@pytest.mark.parametrize(
    ("member", "why"),
    [
        ("/etc/evil", "absolute"),
        ("C:/evil", "absolute"),
        ("c:evil", "absolute"),
        ("../evil", "leads out"),
        ("d/../../evil", "leads out"),
        ("d/..", "leads out"),
        ("d\\..\\evil", "backslash"),
        ("\\\\host\\evil", "backslash"),
        ("x" * 300, "too long"),
        ("d/" * 600 + "x", "too long"),
    ],
)
@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz"])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str, member: str, why: str) -> None:
    refused(tmp_path, KINDS[name]({"good": b"", member: b"evil"}), f"the member '.*' .*{why}", name)


def test_null_bytes_in_names_are_refused(tmp_path: Path) -> None:
    refused(tmp_path, zipped({"goodXevil": b""}).replace(b"goodXevil", b"good\0evil"), "null byte")
    pax = io.BytesIO()
    with tarfile.open(fileobj=pax, mode="w", format=tarfile.PAX_FORMAT) as file:
        member = tarfile.TarInfo("x")
        member.pax_headers = {"path": "good\0evil"}
        file.addfile(member)
    refused(tmp_path, pax.getvalue(), "null byte", "x.tar")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (tarfile.SYMTYPE, "symbolic link"),
        (tarfile.LNKTYPE, "hard link"),
        (tarfile.CHRTYPE, "device"),
        (tarfile.BLKTYPE, "device"),
        (tarfile.FIFOTYPE, "fifo"),
        (b"Z", "neither a file nor a folder"),
    ],
)
def test_only_files_and_folders_leave_a_tar(tmp_path: Path, kind: bytes, why: str) -> None:
    refused(
        tmp_path, tar_of(("good", tarfile.REGTYPE, ""), ("bad", kind, "good")), f"the member 'bad' is .*{why}", "x.tar"
    )


def test_a_link_cannot_open_the_way_out(tmp_path: Path) -> None:
    archive = tar_of(("out", tarfile.SYMTYPE, str(tmp_path)), ("out/evil", tarfile.REGTYPE, ""))
    refused(tmp_path, archive, "symbolic link", "x.tar")


def test_links_and_odd_things_in_zips_are_refused(tmp_path: Path) -> None:
    refused(
        tmp_path, zipped({"l": b"/etc/passwd"}, external_attr=(stat.S_IFLNK | 0o777) << 16), "'l' is a symbolic link"
    )
    refused(tmp_path, zipped({"f": b""}, external_attr=stat.S_IFIFO << 16), "neither a file nor a folder")
    refused(tmp_path, zipped({"f": b""}, external_attr=stat.S_IFDIR << 16), "neither a file nor a folder")


def test_encrypted_and_unusual_members_of_zips_are_refused(tmp_path: Path) -> None:
    archive = bytearray(zipped({"secret": b"1"}))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        archive[archive.index(signature) + flags] |= 1
    refused(tmp_path, bytes(archive), "'secret' is encrypted")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("x", b"1")
    refused(tmp_path, out.getvalue(), "another method than deflate")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("a", "a"), "is there twice"),
        (("a", "./a"), "is there twice"),
        (("a/", "a/"), "is there twice"),
        (("a", "A"), "nothing but case"),
        (("d/x", "D/y"), "nothing but case"),
        (("\u00e9", "e\u0301"), "nothing but case"),
        (("a", "a/b"), "both a file and a folder"),
        (("a/b", "a"), "both a file and a folder"),
        (("a/", "a"), "both a file and a folder"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_clash_are_refused(tmp_path: Path, names: tuple[str, str], why: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name in names:
            file.writestr(name, b"")
    refused(tmp_path, out.getvalue(), why)
    refused(tmp_path, tar_with_doubles(*names), why, "x.tar")


def test_folders_may_be_listed_before_and_after_their_files(tmp_path: Path) -> None:
    assert unpacked(tmp_path, tar_with_doubles("./", "./d/", "./d/x", "e/y", "e/"), "x.tar") == {"d/x": b"", "e/y": b""}


@pytest.mark.parametrize("name", KINDS)
def test_limits_are_counted_and_not_believed(tmp_path: Path, name: str) -> None:
    archive = KINDS[name]({"a": bytes(200_000), "b": bytes(200_000)})
    roomy = Limits(total_bytes=10**6, member_bytes=200_000, members=2, ratio=500)
    assert len(unpacked(tmp_path, archive, name, roomy)) == 2
    refused(tmp_path, archive, "more than 300,000 bytes", name, roomy._replace(total_bytes=300_000))
    refused(tmp_path, archive, "'a' has more than 199,999 bytes", name, roomy._replace(member_bytes=199_999))
    refused(tmp_path, archive, "more than 1 members", name, roomy._replace(members=1))
    if name != "x.tar":
        refused(tmp_path, archive, "more than 2 times its size", name, roomy._replace(ratio=2))


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    archive = bytearray(zipped({"a": bytes(100_000)}))
    struct.pack_into("<I", archive, archive.index(b"PK\1\2") + 24, 10)
    refused(tmp_path, bytes(archive), "damaged")
    struct.pack_into("<I", archive, archive.index(b"PK\1\2") + 24, 200_000)
    refused(tmp_path, bytes(archive), "damaged")


def test_a_tar_whose_headers_are_the_bomb_is_refused(tmp_path: Path) -> None:
    pax = io.BytesIO()
    with tarfile.open(fileobj=pax, mode="w", format=tarfile.PAX_FORMAT) as file:
        member = tarfile.TarInfo("x")
        member.pax_headers = {"comment": "x" * 1_000_000}
        file.addfile(member)
    refused(tmp_path, pax.getvalue(), "a header of", "x.tar")
    header = tarfile.TarInfo("x")
    header.type = tarfile.XHDTYPE
    refused(tmp_path, header.tobuf(tarfile.USTAR_FORMAT) * 5000, "damaged", "x.tar")


def test_a_negative_size_does_not_send_the_reader_in_circles(tmp_path: Path) -> None:
    for kind in (tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_SPARSE):
        header = tarfile.TarInfo("x")
        header.type, header.size = kind, -1024
        refused(tmp_path, header.tobuf(tarfile.GNU_FORMAT) + bytes(10240), "x.tar", "x.tar")


def test_what_follows_the_end_of_a_tar_is_not_lost_silently(tmp_path: Path) -> None:
    refused(tmp_path, gzip.compress(tarred() + tarred({"more": b""})), "something after the end", "x.tar.gz")
    assert unpacked(tmp_path, gzip.compress(tarred() + bytes(50_000)), "x.tar.gz") == FILES
    refused(tmp_path, gzip.compress(tarred() + bytes(50_000_000), 9), "times its size", "x.tar.gz")


def test_a_bad_crc_is_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a", b"content that will change")
    refused(tmp_path, out.getvalue().replace(b"will change", b"has changed"), "damaged.*CRC")


@pytest.mark.parametrize("name", KINDS)
def test_an_archive_cut_short_anywhere_is_refused(tmp_path: Path, name: str) -> None:
    archive = KINDS[name](FILES)
    end = len(archive) if name != "x.tar" else len(archive.rstrip(b"\0")) + 512  # beyond, only padding is lost
    for place in sorted({0, 1, 511, 512, 513, 1024, 1536, end - 1, end - 8, *range(0, end - 1, end // 40)}):
        refused(tmp_path, archive[:place], "x.", name)


@pytest.mark.parametrize("name", KINDS)
def test_flipped_bytes_are_refused_or_harmless(tmp_path: Path, name: str) -> None:
    archive, rng, harmless = KINDS[name](FILES), random.Random(7), 0
    for _ in range(200):
        damaged = bytearray(archive)
        damaged[rng.randrange(len(archive))] ^= rng.randrange(1, 256)
        try:
            got = unpacked(tmp_path, bytes(damaged), name)
        except DatasetError:
            continue
        harmless += 1
        if name != "x.tar":  # which has no checksum of contents
            assert got == FILES
    assert harmless < (200 if name == "x.tar" else 100)


def test_every_byte_of_the_directory_of_a_zip_counts_or_is_harmless(tmp_path: Path) -> None:
    archive = zipped({"é": b"1", "b": b"22"})
    for place in range(archive.index(b"PK\1\2"), len(archive)):
        for change in (1, 8, 255, archive[place]):
            if change:
                damaged = bytearray(archive)
                damaged[place] ^= change
                try:
                    got = unpacked(tmp_path, bytes(damaged))
                except DatasetError:
                    continue
                assert got == {"é": b"1", "b": b"22"}, place


def test_a_folder_that_is_in_use_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped())
    (tmp_path / "out").mkdir()
    unpack(tmp_path / "x.zip", tmp_path / "out")
    assert content(tmp_path / "out") == FILES
    with pytest.raises(OutputError, match="not empty"):
        unpack(tmp_path / "x.zip", tmp_path / "out")
    assert content(tmp_path / "out") == FILES
    with pytest.raises(OutputError, match="cannot be written"):
        unpack(tmp_path / "x.zip", tmp_path / "x.zip" / "out")


def test_ctrl_c_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = zipfile.ZipExtFile.read

    def interrupted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        if self.name == "d/b.bin":
            raise KeyboardInterrupt
        return read(self, n)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unpacked(tmp_path, zipped())
    (tmp_path / "x.zip").write_bytes(zipped())
    (tmp_path / "empty").mkdir()
    with pytest.raises(KeyboardInterrupt):
        unpack(tmp_path / "x.zip", tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []
