"""Files from the web, kept in a cache: checked, continued where a connection broke, and whole or not there at all.

A file lies at ``<cache>/downloads/<hash of the URL>/<name>``; beside it while it comes, ``<name>.part``, and what the
server said to tell versions apart (ETag, Last-Modified).
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from graphedx._files import atomic_write
from graphedx.datasets.addresses import SCHEMES, Address, parse
from graphedx.datasets.checksums import check, checked_sha256, file_sha256
from graphedx.errors import DatasetError, GraphEdXError, OutputError

try:
    import fcntl
except ImportError:  # Windows: two runs that fetch the same URL at once are then the user's to avoid
    fcntl = None  # type: ignore[assignment]

_CHUNK = 1 << 18
_REDIRECTS = (301, 302, 303, 307, 308)
_TOO_BUSY = (408, 425, 429)  # and all 5xx: worth another try

Report = Callable[[int, int | None], object]  # bytes so far, bytes in all if known


class Rules(NamedTuple):
    """How patient a download is, and how much it takes."""

    most_bytes: int = 32 << 30
    attempts: int = 4
    timeout: float = 30.0  # seconds without a byte
    sleep: Callable[[float], object] = time.sleep


DEFAULT = Rules()


class Fetched(NamedTuple):
    """A whole file in the cache."""

    path: Path
    sha256: str


class _Passing(Exception):
    """Trouble that another attempt may not meet."""


class _Stamp(NamedTuple):
    """What tells one version of a file on a server from another."""

    etag: str | None
    last_modified: str | None
    length: int | None

    @property
    def for_range(self) -> str | None:
        """What a server compares before it sends a part; weak tags name files that are not equal byte by byte."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified

    @property
    def for_news(self) -> dict[str, str]:
        if self.etag:
            return {"If-None-Match": self.etag}
        return {"If-Modified-Since": self.last_modified} if self.last_modified else {}


def cache_folder(cache: Path | None = None) -> Path:
    """Where downloads are kept: ``cache``, else GRAPHEDX_CACHE, else ``graphedx`` in the user's cache folder."""
    if cache is not None:
        return Path(cache)
    if own := os.environ.get("GRAPHEDX_CACHE"):
        return Path(own).expanduser()
    common = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(common) if Path(common).is_absolute() else Path("~/.cache").expanduser()) / "graphedx"


def fetch(
    url: str, *, sha256: str | None = None, cache: Path | None = None, progress: bool = True, rules: Rules = DEFAULT
) -> Fetched:
    """The file at an http or https address, from the cache if it is the one wanted.

    With a checksum a file in the cache that has it is taken without asking; without one the server is asked whether
    its file changed. A download that broke goes on where it was, at once and in later calls.

    Raises:
        DatasetError: the address cannot be fetched, or what came is not what ``sha256`` says.
        OutputError: the cache cannot be written.
    """
    address, expected = parse(url), checked_sha256(sha256)
    folder = cache_folder(cache) / "downloads" / hashlib.sha256(address.url.encode()).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f"{address.name}.lock"):
            return _Download(address, folder, progress, rules).fetched(expected)
    except OSError as error:
        if isinstance(error, GraphEdXError):
            raise
        raise OutputError(
            f"{folder}: the cache cannot be used: {(error.strerror or str(error)).lower()}; "
            "choose another with GRAPHEDX_CACHE"
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One download of an address at a time; the second one waits and finds the file."""
    with path.open("wb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


class _Download:
    """One address and its files."""

    def __init__(self, address: Address, folder: Path, progress: bool, rules: Rules) -> None:
        self.address, self.rules, self.progress = address, rules, progress
        self.file = folder / address.name
        self.stamp = folder / f"{address.name}.json"  # of the whole file, with its checksum
        self.part = folder / f"{address.name}.part"
        self.part_stamp = folder / f"{address.name}.part.json"
        self.old: Fetched | None = None

    def fetched(self, expected: str | None) -> Fetched:
        conditions: dict[str, str] = {}
        if self.file.is_file():
            self.old = Fetched(self.file, file_sha256(self.file))
            if self.old.sha256 == expected:
                return self.old
            if expected is not None:
                self.old = None  # not the one that is wanted
            elif (known := _read_stamp(self.stamp, self.old.sha256)) is not None:
                conditions = known.for_news
        continued = self.part.exists()
        if not self._transferred(conditions) and self.old is not None:
            return self.old
        digest = file_sha256(self.part)
        if continued and expected not in (None, digest):
            # The old beginning may be what is wrong.
            self._drop_part()
            self._transferred({})
            digest = file_sha256(self.part)
        if expected not in (None, digest):
            self._drop_part()
        check(self.address.shown, digest, expected)
        self._keep(digest)
        return Fetched(self.file, digest)

    def _keep(self, digest: str) -> None:
        # In this order, so that a crash in between leaves no stamp that belongs to another file.
        stamp = _read_stamp(self.part_stamp)
        self.stamp.unlink(missing_ok=True)
        self.part.replace(self.file)
        if stamp is not None:
            _write_stamp(self.stamp, stamp, digest)
        self.part_stamp.unlink(missing_ok=True)

    def _drop_part(self) -> None:
        self.part.unlink(missing_ok=True)
        self.part_stamp.unlink(missing_ok=True)

    def _transferred(self, conditions: dict[str, str]) -> bool:
        """Bring the part to its whole; False if the file in the cache is still what the server has."""
        trouble = ""
        with _reporter(self.progress, self.address.name) as report:
            for attempt in range(self.rules.attempts):
                if attempt:
                    self.rules.sleep(0.5 * 2 ** (attempt - 1))
                try:
                    return self._attempt(conditions, report)
                except _Passing as passing:
                    trouble = str(passing)
        if self.old is not None:
            trouble += f"; the cache has a copy, give its checksum to use it unasked: sha256:{self.old.sha256}"
        raise DatasetError(f"{self.address.shown}: {trouble}")

    def _attempt(self, conditions: dict[str, str], report: Report) -> bool:
        start, kept = self._begun()
        headers = {"User-Agent": "graphedx", "Accept": "*/*", **conditions}
        if start and kept is not None and kept.for_range is not None:
            headers |= {"Range": f"bytes={start}-", "If-Range": kept.for_range}
        answer = self._answer(headers)
        if answer is None:
            return False
        with answer:
            stamp = _stamp_of(answer)
            if answer.status == 206:
                length = _length_if_continued(answer, start, kept)
                if length is None or kept is None:
                    self._drop_part()
                    raise _Passing("the server sent another part than was asked for")
                stamp = kept._replace(length=length)
            else:  # the whole file, asked for or not
                start = 0
                self._drop_part()
                _write_stamp(self.part_stamp, stamp)
            self._copy(answer, start, stamp, report)
        return True

    def _begun(self) -> tuple[int, _Stamp | None]:
        """Where to go on and with what version; 0 for the beginning."""
        kept = _read_stamp(self.part_stamp)
        if kept is None or kept.for_range is None or not self.part.exists():
            return 0, None
        size = self.part.stat().st_size
        # Of a part that is whole already the last byte is asked for again, as no server sends an empty rest.
        return (size if kept.length is None else max(0, min(size, kept.length - 1))), kept

    def _answer(self, headers: dict[str, str]) -> Any:
        """The response with the file or its rest; None if the server says that the file did not change."""
        request = urllib.request.Request(self.address.url, headers=headers)
        if self.address.authorization is not None:  # for this host only, not for where it may redirect
            request.add_unredirected_header("Authorization", self.address.authorization)
        where = self.address.shown
        try:
            answer = _opener(where).open(request, timeout=self.rules.timeout)
        except urllib.error.HTTPError as error:
            error.close()
            status = error.code
            if status == 304 and headers.keys() & {"If-None-Match", "If-Modified-Since"}:
                return None
            if status == 416 and "Range" in headers:
                self._drop_part()
                raise _Passing("the server has less than what is here already") from None
            said = f"the server answered {status} {http.client.responses.get(status, '')}".rstrip()
            if status >= 500 or status in _TOO_BUSY:
                raise _Passing(said) from None
            if status in _REDIRECTS:
                said = "the server redirects in a circle or too often"
            raise DatasetError(f"{where}: {said}") from None
        except (http.client.InvalidURL, UnicodeError):  # whose text would show all of the address
            raise DatasetError(f"{where}: this address, or one it redirects to, is not valid") from None
        except (OSError, http.client.HTTPException) as error:
            raise _Passing(f"cannot be reached: {_reason(error)}") from error
        if answer.status not in (200, 206):
            answer.close()
            raise DatasetError(f"{where}: the server answered {answer.status} and sent no file")
        return answer

    def _copy(self, answer: Any, start: int, stamp: _Stamp, report: Report) -> None:
        """Put what comes behind the first ``start`` bytes of the part, up to the announced length."""
        length, most, done = stamp.length, self.rules.most_bytes, start
        with self.part.open("r+b" if start else "wb") as part:
            part.truncate(start)
            part.seek(start)
            while done != length and max(done, length or 0) <= most:
                report(done, length)
                try:
                    # One byte more than fits tells a file that is too large from one that just fits.
                    data = answer.read1(min(_CHUNK, (most + 1 if length is None else length) - done))
                except (OSError, http.client.HTTPException) as error:
                    raise _broke(done, stamp, _reason(error)) from error
                if not data:
                    break
                part.write(data)
                done += len(data)
            part.flush()
            os.fsync(part.fileno())
        if max(done, length or 0) > most:
            self._drop_part()
            raise DatasetError(f"{self.address.shown}: has more than {most:,} bytes, the most that is taken")
        if length is not None and done < length:
            raise _broke(done, stamp, "the server closed it")


def _broke(done: int, stamp: _Stamp, why: str) -> _Passing:
    of = "" if stamp.length is None else f" of {stamp.length:,}"
    kept = "what came is kept, try again to go on" if stamp.for_range is not None else "try again"
    return _Passing(f"the connection broke after {done:,}{of} bytes ({why}); {kept}")


def _reason(error: BaseException) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, http.client.HTTPException) and not isinstance(inner, OSError):
        return f"not what http is, {type(inner).__name__}"  # its text is what the server sent
    return (getattr(inner, "strerror", None) or str(inner) or type(inner).__name__).lower()


# --- what servers say --------------------------------------------------------------------------------------------


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to http and https only, never from https back to http."""

    def __init__(self, where: str) -> None:
        self._where = where

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        target = headers.get("location") or headers.get("uri")
        try:
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(req.full_url, target or ""))
            valid = bool(target and (parts.hostname or parts.scheme not in SCHEMES) and parts.username is None)
        except ValueError:
            valid = False
        if not valid:
            raise DatasetError(f"{self._where}: the server redirects to an address that is not valid")
        if parts.scheme not in SCHEMES or (req.type == "https" and parts.scheme == "http"):
            raise DatasetError(f"{self._where}: the server redirects to a {parts.scheme}: address, which is refused")
        fp.close()  # or its body would be read to an end that need not come
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener(where: str) -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()  # build_opener would add file:, ftp: and data:
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
        _Redirects(where),
    ):
        opener.add_handler(handler)
    return opener


def _stamp_of(answer: Any) -> _Stamp:
    return _Stamp(answer.headers.get("ETag"), answer.headers.get("Last-Modified"), answer.length)


def _length_if_continued(answer: Any, start: int, kept: _Stamp | None) -> int | None:
    """The length of the whole file, if this part begins where ours ends and is of the same version."""
    span = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", answer.headers.get("Content-Range", "").strip())
    if kept is None or span is None or int(span[1]) != start:
        return None
    length = int(span[3]) if span[3] != "*" else kept.length if kept.length is not None else int(span[2]) + 1
    stamp = _stamp_of(answer)
    same = stamp.etag in (None, kept.etag) and stamp.last_modified in (None, kept.last_modified)
    return length if same and kept.length in (None, length) else None


def _read_stamp(path: Path, sha256: str | None = None) -> _Stamp | None:
    """What was kept of a file's version; None if nothing was, or if it is not of the file with this checksum."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["sha256"] != sha256:
            return None
        stamp = _Stamp(*(kept[name] for name in _Stamp._fields))
        words = [word for word in (stamp.etag, stamp.last_modified) if word is not None]
        fit = all(word.isascii() and word.isprintable() for word in words)  # to be sent in a header
        return stamp if fit and isinstance(stamp.length, int | None) else None
    except (FileNotFoundError, ValueError, TypeError, LookupError, AttributeError):
        return None


def _write_stamp(path: Path, stamp: _Stamp, sha256: str | None = None) -> None:
    with atomic_write(path, overwrite=True, mode="w") as file:
        json.dump(stamp._asdict() | {"sha256": sha256}, file)


@contextmanager
def _reporter(progress: bool, name: str) -> Iterator[Report]:
    """What to call with news: a bar if stderr is a terminal, or nothing."""
    if not progress or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
