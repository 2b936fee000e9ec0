"""http and https addresses: taken apart so that a password or key in one is never shown or kept."""

from __future__ import annotations

import base64
import re
import urllib.parse
from typing import NamedTuple

from graphedx.errors import DatasetError

SCHEMES = ("http", "https")
_LOOKS_LIKE_URL = re.compile(r"\s*(?:[a-z][a-z0-9+.-]+://|(?:https?|ftp|file|data):)", re.IGNORECASE)
_PATH = "/%:@!$&'()*+,;=~"  # what may stand in a path as it is, beside letters, digits and -._


class Address(NamedTuple):
    """Where to fetch a file, and what may be told about it."""

    url: str  # without user, password and fragment
    shown: str  # without the query too, which may hold a key
    authorization: str | None  # the header that user and password make
    name: str  # of the file, safe on any file system


def is_url(source: str) -> bool:
    """Whether this is meant as an address and not as a path, be it one that can be fetched or not."""
    return _LOOKS_LIKE_URL.match(source) is not None


def parse(url: str) -> Address:
    """Take an http(s) address apart; DatasetError for any other, without showing what could be secret in it."""
    url = url.strip()
    scheme = url.partition(":")[0].lower()
    if scheme not in SCHEMES:
        raise DatasetError(f"addresses begin with http:// or https://, got one with {scheme}:")
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise DatasetError(f"this {scheme}: address is not valid; it should look like https://host/folder/file.zip")
    host = f"[{host}]" if ":" in host else host
    path = urllib.parse.quote(parts.path, safe=_PATH) or "/"
    query = urllib.parse.quote(parts.query, safe=_PATH + "?")
    shown = f"{scheme}://{host if port is None else f'{host}:{port}'}{path}"
    return Address(f"{shown}?{query}" if query else shown, shown, _authorization(parts), _name(path))


def _authorization(parts: urllib.parse.SplitResult) -> str | None:
    if parts.username is None:
        return None
    pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")


def _name(path: str) -> str:
    last = urllib.parse.unquote(path.rpartition("/")[2])
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", last)[-120:].lstrip(".") or "download"
