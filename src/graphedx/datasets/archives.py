"""Unpacking archives of strangers: plain files and folders only, below the target only, and only so much of them.

Nothing an archive announces is believed: sizes are counted while they are read, names are checked before anything is
made, and whatever the readers of the standard library trip over is one DatasetError.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import shutil
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from graphedx._quoting import quoted
from graphedx.errors import DatasetError, GraphEdXError, OutputError

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

_BLOCK = 512  # of a tar
_CHUNK = 1 << 16  # read at once; no header of a tar needs more
_SMALL = 1 << 16  # an archive below this many bytes may grow as if it had them: tiny files pack well
_LONGEST_NAME, _LONGEST_PART = 1000, 255  # bytes; what file systems take
_Unpacker = Callable[[Path], Any]  # a file of bytes; mypy does not take GzipFile for one
_PACKERS: dict[bytes, _Unpacker] = {b"\x1f\x8b": gzip.GzipFile, b"BZh": bz2.BZ2File, b"\xfd7zXZ\0": lzma.LZMAFile}
_ODD_IN_TAR = {
    tarfile.SYMTYPE: "is a symbolic link",
    tarfile.LNKTYPE: "is a hard link",
    tarfile.CHRTYPE: "is a device",
    tarfile.BLKTYPE: "is a device",
    tarfile.FIFOTYPE: "is a fifo",
}


class Limits(NamedTuple):
    """How much an archive may hold before it is taken for a decompression bomb."""

    total_bytes: int = 32 << 30
    member_bytes: int = 16 << 30
    members: int = 500_000
    ratio: int = 500  # bytes unpacked for one byte packed; many small graphs as text reach about 100


DEFAULT = Limits()


class _Member(NamedTuple):
    name: str
    folder: bool
    size: int  # as announced
    odd: str | None  # why it cannot be unpacked, whatever its name
    content: Iterator[bytes]


def is_archive(path: Path) -> bool:
    """Whether ``path`` is a zip or tar file by its content, or claims to be one by its name.

    A claim counts, so that a damaged archive is refused by ``unpack`` and not taken for data. A ``.gz`` of one file is
    no archive.
    """
    return path.is_file() and (path.name.lower().endswith(SUFFIXES) or _reader(path) is not None)


def unpack(archive: Path, into: Path, *, limits: Limits = DEFAULT) -> None:
    """Unpack a zip or tar file (plain, gzip, bzip2, xz) into the folder ``into``, which is new or empty.

    Files come out readable and not executable. Resource forks of Macs are skipped, archives inside stay packed. If
    anything is wrong nothing stays in ``into``.

    Raises:
        DatasetError: the archive is damaged, holds more than ``limits``, or holds a member that is no plain file or
            folder below ``into``.
        OutputError: ``into`` is not empty or cannot be written.
    """
    reader = _reader(archive)
    if reader is None:
        raise DatasetError(
            f"{archive.name}: this is not an archive, or its beginning is damaged; "
            "zip, tar, tar.gz, tar.bz2 and tar.xz are understood"
        )
    members = reader(archive, _Meter(archive, limits))
    try:
        new = not into.exists()
        into.mkdir(exist_ok=True)
        if any(into.iterdir()):
            raise OutputError(f"{into}: this folder is not empty; unpack into a new one")
        try:
            with closing(members):
                _write(archive.name, members, into, limits)
        except BaseException:
            _clear(into, itself=new)
            raise
    except OSError as error:
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(f"{into}: cannot be written: {(error.strerror or str(error)).lower()}") from error


def _reader(path: Path) -> Callable[[Path, _Meter], Generator[_Member, None, None]] | None:
    """Who reads this file, told by its first bytes, packed and unpacked."""
    with _damage(path.name), path.open("rb") as file:
        head = file.read(_BLOCK)
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return _zip_members
    unpacker: _Unpacker = _plain
    for magic, packer in _PACKERS.items():
        if head.startswith(magic):
            unpacker, head = packer, b""
            with suppress(OSError, EOFError, zlib.error, lzma.LZMAError), packer(path) as inside:
                head = inside.read(_BLOCK)
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")  # its header has a checksum
    except (tarfile.HeaderError, ValueError):
        return None
    return lambda path, meter: _tar_members(path, unpacker, meter)


def _plain(path: Path) -> IO[bytes]:
    return path.open("rb")


@contextmanager
def _damage(name: str) -> Iterator[None]:
    """Whatever is raised while a damaged file is read, and the standard library raises a dozen kinds, is one kind."""
    try:
        yield
    except DatasetError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DatasetError(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}") from error
        raise DatasetError(
            f"{name}: the archive is damaged or cut short ({error or type(error).__name__}); get it again"
        ) from error


class _Meter:
    """Counts what an archive gives against its limits."""

    def __init__(self, archive: Path, limits: Limits) -> None:
        self._name, self._limits = archive.name, limits
        with _damage(archive.name):
            self._grown = limits.ratio * max(archive.stat().st_size, _SMALL)
        self._bytes = self._members = 0

    def count_bytes(self, count: int) -> None:
        self._bytes += count
        if self._bytes > self._limits.total_bytes:
            raise self._too_much(f"unpacks to more than {self._limits.total_bytes:,} bytes")
        if self._bytes > self._grown:
            raise self._too_much(f"unpacks to more than {self._limits.ratio} times its size")

    def count_member(self) -> None:
        self._members += 1
        if self._members > self._limits.members:
            raise self._too_much(f"has more than {self._limits.members:,} members")

    def _too_much(self, what: str) -> DatasetError:
        return DatasetError(f"{self._name}: {what}; if you trust it, unpack it yourself and pass the folder")


# --- zip ---------------------------------------------------------------------------------------------------------


def _zip_members(archive: Path, meter: _Meter) -> Generator[_Member, None, None]:
    with _damage(archive.name), zipfile.ZipFile(archive) as file:
        members = file.infolist()
        _check_count(archive, len(members))
        for info in members:
            meter.count_member()
            name = _zip_name(info)
            content = _zip_content(archive.name, file, info, meter)
            yield _Member(name, name.endswith("/"), info.file_size, _odd_in_zip(info, name), content)


def _check_count(archive: Path, count: int) -> None:
    """The end of a zip says how many members there are; zipfile does not compare, and would lose some silently."""
    with archive.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 22 - 0xFFFF))
        tail = file.read()
    end = tail.rfind(b"PK\5\6")
    here, announced = struct.unpack_from("<HH", tail, end + 8)
    if here != announced or announced not in (count, 0xFFFF):  # of more than 65,534, another record has the count
        raise zipfile.BadZipFile(f"{announced} members announced, {count} found")


def _zip_name(info: zipfile.ZipInfo) -> str:
    # Not info.filename, which ends at the first null byte. Macs write UTF-8 without saying so.
    if not info.flag_bits & 0x800:
        with suppress(UnicodeError):
            return info.orig_filename.encode("cp437").decode("utf-8")
    return info.orig_filename


def _odd_in_zip(info: zipfile.ZipInfo, name: str) -> str | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR and not name.endswith("/")):
        return "is neither a file nor a folder"
    if info.flag_bits & 0x1:
        return "is encrypted; unpack it yourself and pass the folder"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The others would unpack any amount into memory at once.
        return "is packed by another method than deflate; unpack it yourself and pass the folder"
    return None


def _zip_content(name: str, file: zipfile.ZipFile, info: zipfile.ZipInfo, meter: _Meter) -> Iterator[bytes]:
    with _damage(name), file.open(info) as content:
        read = 0
        while chunk := content.read(_CHUNK):  # the last one checks the CRC
            meter.count_bytes(len(chunk))
            read += len(chunk)
            yield chunk
        if read != info.file_size:
            raise zipfile.BadZipFile(f"{quoted(info.orig_filename)} has {read} bytes and announced {info.file_size}")


# --- tar ---------------------------------------------------------------------------------------------------------


class _Stream:
    """What tarfile reads from: forwards only, counted, and never more at once than a header may have."""

    def __init__(self, file: IO[bytes], meter: _Meter) -> None:
        self._file, self._meter, self._place = file, meter, 0
        self.last = b""  # what was read last

    def tell(self) -> int:
        return self._place

    def seek(self, place: int) -> None:
        if place < self._place:
            raise tarfile.ReadError("a header points backwards")
        while self._place < place and self.read(min(_CHUNK, place - self._place)):
            pass

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _CHUNK:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        self.last = self._file.read(size)
        self._place += len(self.last)
        self._meter.count_bytes(len(self.last))
        return self.last


def _tar_members(archive: Path, unpacker: _Unpacker, meter: _Meter) -> Generator[_Member, None, None]:
    with _damage(archive.name), unpacker(archive) as file:
        stream = _Stream(file, meter)
        tar = tarfile.TarFile(fileobj=stream)  # type: ignore[arg-type]
        while (info := tar.next()) is not None:
            meter.count_member()
            content = _tar_content(archive.name, stream, info)
            yield _Member(info.name, info.isdir(), info.size, _odd_in_tar(info), content)
        # For tarfile a header that makes no sense ends the archive like the block of zeros that should.
        if stream.last != bytes(_BLOCK):
            raise tarfile.ReadError("the end is missing")
        while rest := stream.read(_CHUNK):  # to the end, for the checksum of what it is packed with
            if rest.count(0) != len(rest):
                raise tarfile.ReadError("there is something after the end")


def _odd_in_tar(info: tarfile.TarInfo) -> str | None:
    if info.issparse():
        return "is a sparse file; unpack it yourself and pass the folder"
    if info.size < 0:
        return "has a negative size"
    if info.isreg() or info.isdir():
        return None
    return _ODD_IN_TAR.get(info.type, "is neither a file nor a folder")


def _tar_content(name: str, stream: _Stream, info: tarfile.TarInfo) -> Iterator[bytes]:
    with _damage(name):
        stream.seek(info.offset_data)
        left = info.size
        while left > 0:
            chunk = stream.read(min(_CHUNK, left))
            if not chunk:
                raise tarfile.ReadError(f"{quoted(info.name)} is cut short")
            left -= len(chunk)
            yield chunk


# --- writing -----------------------------------------------------------------------------------------------------


def _write(archive: str, members: Iterator[_Member], into: Path, limits: Limits) -> None:
    names = _Names(archive)
    for member in members:
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        if "__MACOSX" in parts or (parts and parts[-1].startswith("._")):
            continue
        names.check(member)
        if not parts:  # "./", the folder itself
            continue
        names.take(member, parts)
        target = into.joinpath(*parts)
        if member.folder:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with target.open("xb") as file:
            for chunk in member.content:
                written += len(chunk)
                if written > limits.member_bytes:
                    raise _refused(archive, member, f"has more than {limits.member_bytes:,} bytes")
                file.write(chunk)


class _Names:
    """The names seen so far, and what they stand for."""

    def __init__(self, archive: str) -> None:
        self._archive = archive
        self._taken: dict[str, tuple[str, bool]] = {}  # as a careless file system sees it: as written, a folder?
        self._listed: set[str] = set()

    def check(self, member: _Member) -> None:
        """Refuse what is no plain file or folder, and names that could lead out of the target on any system."""
        name = member.name
        if member.odd is not None:
            raise self._refused(member, member.odd)
        if not name or "\0" in name or "\\" in name:
            raise self._refused(member, "has an empty name, a null byte or a backslash in it")
        if name.startswith("/") or re.match(r"[A-Za-z]:", name):
            raise self._refused(member, "has an absolute path")
        if ".." in name.split("/"):
            raise self._refused(member, "leads out of the archive")
        raw = name.encode("utf-8", "surrogateescape")
        if len(raw) > _LONGEST_NAME or any(len(part) > _LONGEST_PART for part in raw.split(b"/")):
            raise self._refused(member, "has too long a name")

    def take(self, member: _Member, parts: list[str]) -> None:
        """Refuse a name that is there already, or would be on a file system that ignores case."""
        path = ""
        for depth, part in enumerate(parts, start=1):
            path = f"{path}/{part}" if path else part
            folder = member.folder or depth < len(parts)
            other, was_folder = self._taken.setdefault(_careless(path), (path, folder))
            if other != path:
                raise self._refused(member, f"differs from {quoted(other)} in nothing but case")
            if was_folder != folder:
                raise self._refused(member, f"needs {quoted(path)} to be both a file and a folder")
        if path in self._listed:
            raise self._refused(member, "is there twice")
        self._listed.add(path)

    def _refused(self, member: _Member, why: str) -> DatasetError:
        return _refused(self._archive, member, why)


def _refused(archive: str, member: _Member, why: str) -> DatasetError:
    name = member.name if len(member.name) <= 200 else member.name[:200] + "..."
    return DatasetError(f"{archive}: the member {quoted(name)} {why}")


def _careless(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _clear(folder: Path, *, itself: bool) -> None:
    """Remove what is in a folder, and the folder if it is ours."""
    if itself:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
