"""Downloads are whole and right or an error, whatever the server does."""

from __future__ import annotations

import hashlib
import io
import json
import random
import threading
import urllib.request
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import pytest

from datasets.web import Site, serving
from graphedx.datasets import download
from graphedx.datasets.addresses import is_url, parse
from graphedx.datasets.download import Fetched, Rules, cache_folder, fetch
from graphedx.errors import DatasetError, OutputError

CONTENT = random.Random(3).randbytes(50_000)
OTHER = random.Random(4).randbytes(40_000)
QUICK = Rules(attempts=3, timeout=5.0, sleep=lambda _: None)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    with serving(CONTENT) as running:
        yield running


def get(site: Site, cache: Path, name: str = "x.zip", rules: Rules = QUICK, **options: str) -> Fetched:
    return fetch(site / name, cache=cache, progress=False, rules=rules, **options)


def left(cache: Path) -> set[str]:
    """The files in the cache, without locks."""
    return {path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"}


def test_a_file_arrives_with_its_name_and_checksum(site: Site, tmp_path: Path) -> None:
    got = get(site, tmp_path)
    assert got.path.read_bytes() == CONTENT
    assert got.sha256 == sha256(CONTENT)
    assert (got.path.name, got.path.parent.parent) == ("x.zip", tmp_path / "downloads")
    assert left(tmp_path) == {"x.zip", "x.zip.json"}
    assert get(site, tmp_path, "x.zip?version=2").path != got.path


def test_an_empty_file_and_one_without_length_arrive(site: Site, tmp_path: Path) -> None:
    site.chunked = True
    assert get(site, tmp_path, "a").path.read_bytes() == CONTENT
    site.content, site.chunked = b"", False
    assert get(site, tmp_path, "b").path.read_bytes() == b""


def test_the_right_file_in_the_cache_is_not_asked_for_again(site: Site, tmp_path: Path) -> None:
    first = get(site, tmp_path, sha256=sha256(CONTENT))
    assert get(site, tmp_path, sha256=f"SHA256:{sha256(CONTENT).upper()}") == first
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    "stamp", [{"etag": '"one"'}, {"etag": 'W/"one"'}, {"last_modified": "Thu, 01 Jan 2026 00:00:00 GMT"}]
)
def test_without_a_checksum_the_server_is_asked_for_news(site: Site, tmp_path: Path, stamp: dict[str, str]) -> None:
    site.etag = stamp.get("etag")
    site.last_modified = stamp.get("last_modified")
    first = get(site, tmp_path)
    assert get(site, tmp_path) == first
    header = "If-None-Match" if site.etag else "If-Modified-Since"
    assert site.header_of_requests(header) == [None, site.etag or site.last_modified]
    site.content, site.etag, site.last_modified = OTHER, '"two"', None
    assert get(site, tmp_path) == (first.path, sha256(OTHER))
    assert first.path.read_bytes() == OTHER


def test_a_server_that_stamps_nothing_is_asked_for_all_of_it(site: Site, tmp_path: Path) -> None:
    site.etag = None
    get(site, tmp_path)
    site.content = OTHER
    assert get(site, tmp_path).sha256 == sha256(OTHER)


def test_a_file_that_was_changed_in_the_cache_is_fetched_again(site: Site, tmp_path: Path) -> None:
    get(site, tmp_path).path.write_bytes(b"changed")
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    get(site, tmp_path).path.write_bytes(b"changed")
    assert get(site, tmp_path, sha256=sha256(CONTENT)).path.read_bytes() == CONTENT


def test_unreachable_with_a_copy_says_how_to_use_it(site: Site, tmp_path: Path) -> None:
    get(site, tmp_path)
    site.first_statuses = [503] * 3
    with pytest.raises(DatasetError, match=f"503 Service Unavailable; the cache has a copy.* sha256:{sha256(CONTENT)}"):
        get(site, tmp_path)
    site.first_statuses = [503] * 3
    assert get(site, tmp_path, sha256=sha256(CONTENT)).path.read_bytes() == CONTENT


def test_a_connection_that_drops_is_continued_where_it_was(site: Site, tmp_path: Path) -> None:
    site.drops = [20_000, 10_000]
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    assert site.header_of_requests("Range") == [None, "bytes=20000-", "bytes=30000-"]
    assert site.header_of_requests("If-Range") == [None, '"one"', '"one"']


def test_a_server_that_sends_small_ranges_is_asked_again(site: Site, tmp_path: Path) -> None:
    site.drops, site.longest_answer = [20_000], 15_000
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    assert site.header_of_requests("Range") == [None, "bytes=20000-", "bytes=35000-"]


def test_a_broken_download_goes_on_in_the_next_call(site: Site, tmp_path: Path) -> None:
    site.drops = [10_000, 10_000, 10_000]
    with pytest.raises(DatasetError, match=r"x\.zip: the connection broke after 30,000 of 50,000 bytes .*kept"):
        get(site, tmp_path)
    assert left(tmp_path) == {"x.zip.part", "x.zip.part.json"}
    assert get(site, tmp_path, sha256=sha256(CONTENT)).path.read_bytes() == CONTENT
    assert site.header_of_requests("Range")[-1] == "bytes=30000-"
    assert left(tmp_path) == {"x.zip", "x.zip.json"}


def test_dates_do_where_there_are_no_strong_tags(site: Site, tmp_path: Path) -> None:
    site.etag, site.last_modified, site.drops = 'W/"one"', "Thu, 01 Jan 2026 00:00:00 GMT", [20_000]
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    assert site.header_of_requests("If-Range")[-1] == site.last_modified


def test_without_a_stamp_or_ranges_it_starts_over(site: Site, tmp_path: Path) -> None:
    site.ranges, site.drops = False, [20_000]
    assert get(site, tmp_path, "a").path.read_bytes() == CONTENT
    site.ranges, site.etag, site.drops = True, None, [20_000]
    assert get(site, tmp_path, "b").path.read_bytes() == CONTENT
    assert site.header_of_requests("Range")[-1] is None


@pytest.mark.parametrize("heeds_if_range", [True, False])
def test_a_file_that_changes_between_is_not_mixed(site: Site, tmp_path: Path, heeds_if_range: bool) -> None:
    site.drops, site.heeds_if_range = [20_000] * 3, heeds_if_range
    site.longest_answer = 1
    with pytest.raises(DatasetError, match="broke"):
        get(site, tmp_path)
    site.content, site.etag, site.drops, site.longest_answer = OTHER, '"two"', [], None
    assert get(site, tmp_path).path.read_bytes() == OTHER


def test_a_part_longer_than_the_file_is_dropped(site: Site, tmp_path: Path) -> None:
    site.drops, site.chunked = [10_000] * 3, True
    with pytest.raises(DatasetError, match="broke"):
        get(site, tmp_path)
    site.content, site.chunked, site.heeds_if_range = CONTENT[:1000], False, False
    assert get(site, tmp_path).path.read_bytes() == CONTENT[:1000]


def test_a_whole_part_costs_one_byte(site: Site, tmp_path: Path) -> None:
    got = get(site, tmp_path)
    stamp = {"etag": '"one"', "last_modified": None, "length": len(CONTENT), "sha256": None}
    got.path.rename(got.path.with_name("x.zip.part"))
    got.path.with_name("x.zip.part.json").write_text(json.dumps(stamp))
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    assert site.header_of_requests("Range")[-1] == "bytes=49999-"


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        "[]",
        '{"etag": "a\\nb", "last_modified": null, "length": 9, "sha256": null}',
        "{",
        '{"sha256": null}',
        '{"etag": 3, "last_modified": 1, "length": "x", "sha256": null}',
    ],
)
def test_a_stamp_that_makes_no_sense_is_ignored(site: Site, tmp_path: Path, stamp: str) -> None:
    got = get(site, tmp_path)
    got.path.with_name("x.zip.json").write_text(stamp)
    got.path.with_name("x.zip.part").write_bytes(b"junk")
    got.path.with_name("x.zip.part.json").write_text(stamp)
    assert get(site, tmp_path).path.read_bytes() == CONTENT


def test_a_wrong_checksum_shows_both_and_keeps_nothing(site: Site, tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match=rf"x\.zip: sha256 is {sha256(CONTENT)}, expected {'0' * 64}; download it again"
    ):
        get(site, tmp_path, sha256="0" * 64)
    assert left(tmp_path) == set()
    get(site, tmp_path)
    with pytest.raises(DatasetError, match="expected"):
        get(site, tmp_path, sha256="0" * 64)
    assert left(tmp_path) == {"x.zip", "x.zip.json"}


def test_a_rotten_beginning_is_fetched_anew(site: Site, tmp_path: Path) -> None:
    site.drops = [10_000] * 3
    with pytest.raises(DatasetError, match="broke"):
        get(site, tmp_path)
    part = next(tmp_path.rglob("*.part"))
    part.write_bytes(bytes(part.stat().st_size))
    assert get(site, tmp_path, sha256=sha256(CONTENT)).path.read_bytes() == CONTENT


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_busy_server_is_asked_again_after_a_while(site: Site, tmp_path: Path, status: int) -> None:
    pauses: list[float] = []
    site.first_statuses = [status, status]
    assert get(site, tmp_path, rules=QUICK._replace(sleep=pauses.append)).path.read_bytes() == CONTENT
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize(
    ("status", "words"),
    [(404, "404 Not Found"), (403, "403 Forbidden"), (304, "304 Not Modified"), (204, "204 and sent no file")],
)
def test_a_refusal_is_told_at_once(site: Site, tmp_path: Path, status: int, words: str) -> None:
    site.first_statuses = [status]
    with pytest.raises(DatasetError, match=rf"^http://127\.0\.0\.1:\d+/x\.zip: the server answered {words}$"):
        get(site, tmp_path)
    assert len(site.requests) == 1
    assert left(tmp_path) == set()


def test_a_body_shorter_than_announced_is_not_taken(site: Site, tmp_path: Path) -> None:
    site.announces, site.etag = 60_000, None
    with pytest.raises(DatasetError, match=r"50,000 of 60,000 bytes \(the server closed it\); try again$"):
        get(site, tmp_path)
    site.chunked, site.drops = True, [10_000] * 3
    with pytest.raises(DatasetError, match="the connection broke after 10,000 bytes"):
        get(site, tmp_path, "y")


def test_too_much_is_refused_announced_or_not(site: Site, tmp_path: Path) -> None:
    exact = QUICK._replace(most_bytes=50_000)
    for site.chunked in (True, False):
        assert get(site, tmp_path, f"fits{site.chunked}", exact).path.read_bytes() == CONTENT
        with pytest.raises(DatasetError, match=r"/large: has more than 49,999 bytes"):
            get(site, tmp_path, "large", QUICK._replace(most_bytes=49_999))
    assert "large.part" not in left(tmp_path)


def test_a_server_that_stalls_is_given_up(site: Site, tmp_path: Path) -> None:
    site.stalls = 0.5
    with pytest.raises(DatasetError, match=r"broke after 0 of 50,000 bytes \(timed out\)"):
        get(site, tmp_path, rules=QUICK._replace(timeout=0.05, attempts=2))


def test_nobody_there(site: Site, tmp_path: Path) -> None:
    with serving() as gone:
        address = gone / "x.zip"
    with pytest.raises(DatasetError, match=r"x\.zip: cannot be reached: connection refused$"):
        fetch(address, cache=tmp_path, progress=False, rules=QUICK)


def test_redirects_are_followed_with_the_range(site: Site, tmp_path: Path) -> None:
    site.redirects, site.drops = {"/x.zip": "/y.zip"}, [20_000]
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    assert [path for path, _ in site.requests] == ["/x.zip", "/y.zip"] * 2
    assert site.header_of_requests("Range")[-1] == "bytes=20000-"


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x"])
def test_redirects_to_other_schemes_are_refused(site: Site, tmp_path: Path, target: str) -> None:
    site.redirects = {"/x.zip": target}
    with pytest.raises(DatasetError, match=f"x.zip: the server redirects to a {target.split(':')[0]}: address"):
        get(site, tmp_path)
    assert len(site.requests) == 1


def test_a_redirect_does_not_leave_encryption() -> None:
    opener = download._opener("https://host/x.zip")
    request = urllib.request.Request("https://host/x.zip")
    headers = Message()
    headers["Location"] = "http://host/x.zip"
    with pytest.raises(DatasetError, match="redirects to a http: address, which is refused"):
        opener.error("http", request, io.BytesIO(), 302, "Found", headers)


def test_redirects_in_a_circle_end(site: Site, tmp_path: Path) -> None:
    site.redirects = {"/x.zip": "/y.zip", "/y.zip": "/x.zip"}
    with pytest.raises(DatasetError, match=r"x\.zip: the server redirects in a circle"):
        get(site, tmp_path)


@pytest.mark.parametrize("target", ["", "https://", "http://[::1", "http://user:hunter2@127.0.0.1:1/x"])
def test_redirects_to_nonsense_are_one_error(site: Site, tmp_path: Path, target: str) -> None:
    site.redirects = {"/x.zip": target}
    with pytest.raises(DatasetError, match="not valid") as caught:
        get(site, tmp_path)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/x", "data:text/plain,x", "FILE:/x", "gopher://x/"])
def test_other_schemes_are_refused(tmp_path: Path, url: str) -> None:
    assert is_url(url)
    with pytest.raises(DatasetError, match="begin with http:// or https://"):
        fetch(url, cache=tmp_path)
    assert left(tmp_path) == set()


@pytest.mark.parametrize("url", ["http://", "https:///x.zip", "http://[::1/x", "http://host:port/x", "http:x"])
def test_addresses_that_make_no_sense_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(DatasetError, match="not valid"):
        fetch(url, cache=tmp_path)


def test_passwords_are_used_and_never_told(site: Site, tmp_path: Path) -> None:
    address = site.address.replace("http://", "http://ann:hunter2%21@") + "/x.zip?token=sesame#part"
    site.redirects = {"/x.zip?token=sesame": "/y.zip"}
    got = fetch(address, cache=tmp_path, progress=False, rules=QUICK)
    assert site.header_of_requests("Authorization") == ["Basic YW5uOmh1bnRlcjIh", None]
    told = [parse(address).shown, str(got.path), got.path.with_name("x.zip.json").read_text()]
    for site.first_statuses in ([404], [503] * 3):
        with pytest.raises(DatasetError) as caught:
            fetch(address, cache=tmp_path, progress=False, rules=QUICK)
        told.append(str(caught.value))
    assert not any(secret in text for text in told for secret in ("ann", "hunter2", "sesame", "token"))


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHEDX_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "graphedx"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "graphedx"
    monkeypatch.setenv("GRAPHEDX_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    assert cache_folder(tmp_path) == tmp_path


def test_a_cache_that_cannot_be_written_is_an_error_of_output(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        OutputError, match="the cache cannot be used: not a directory; choose another with GRAPHEDX_CACHE"
    ):
        get(site, tmp_path / "file")


@pytest.mark.skipif(download.fcntl is None, reason="no locks on this system")
def test_two_at_once_do_not_disturb_each_other(site: Site, tmp_path: Path) -> None:
    site.stalls = 0.05
    got: list[Fetched] = []
    threads = [
        threading.Thread(target=lambda: got.append(get(site, tmp_path, sha256=sha256(CONTENT)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.sha256 for one in got} == {sha256(CONTENT)}
    assert len(got) == 4
    assert len(site.requests) == 1


def test_ctrl_c_keeps_the_part_and_shows_no_half_file(site: Site, tmp_path: Path) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    site.drops = [20_000]
    with pytest.raises(KeyboardInterrupt):
        get(site, tmp_path, rules=QUICK._replace(sleep=interrupt))
    assert left(tmp_path) == {"x.zip.part", "x.zip.part.json"}
    assert get(site, tmp_path).path.read_bytes() == CONTENT
    assert site.header_of_requests("Range")[-1] == "bytes=20000-"


def test_a_bar_on_a_terminal_and_silence_elsewhere(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(site / "a.zip", cache=tmp_path, rules=QUICK)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    fetch(site / "b.zip", cache=tmp_path, rules=QUICK)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "b.zip" in shown.err


def test_a_copy_that_is_not_wanted_is_not_offered(site: Site, tmp_path: Path) -> None:
    get(site, tmp_path)
    site.first_statuses = [503] * 3
    with pytest.raises(DatasetError, match=r"503 Service Unavailable$"):
        get(site, tmp_path, sha256="0" * 64)
