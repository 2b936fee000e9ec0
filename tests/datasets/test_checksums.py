"""Checksums are written in one way only."""

from __future__ import annotations

import pytest

from graphedx.datasets.checksums import checked_sha256
from graphedx.errors import DatasetError


def test_checksums_are_64_hex_digits() -> None:
    assert checked_sha256("sha256:" + "AB" * 32) == checked_sha256("ab" * 32) == "ab" * 32
    for wrong in ("", "ab", "md5:" + "a" * 32, "g" * 64, "ab" * 33, "sha256:sha256:" + "ab" * 32):
        with pytest.raises(DatasetError, match="64 hex digits"):
            checked_sha256(wrong)
