"""Addresses are told from paths, and give file names that are safe."""

from __future__ import annotations

from graphedx.datasets.addresses import is_url, parse


def test_names_are_safe_on_any_system() -> None:
    assert parse("https://h/a/b%20c.tar.gz?x=1").name == "b_c.tar.gz"
    assert parse("https://h/..%2F..%2Fetc%2Fpasswd").name == "_.._etc_passwd"
    assert parse("https://h/%2e%2e").name == parse("https://h").name == "download"
    assert len(parse("https://h/" + "x" * 500 + ".zip").name) == 120
    assert parse("https://[::1]:8080/ž x").url == "https://[::1]:8080/%C5%BE%20x"


def test_what_is_an_address() -> None:
    assert is_url("http://x/y") and is_url("HTTPS://x/y")
    assert not any(map(is_url, ("data.zip", "C:\\data.zip", "c:/data.zip", "/a/b", "a:b.zip", "..")))
