"""A web server on loopback that behaves as badly as a test wants."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Site:
    """One file at every path, and how it is served; change it while it runs."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = content
        self.etag: str | None = '"one"'
        self.last_modified: str | None = None
        self.ranges = True
        self.heeds_if_range = True
        self.longest_answer: int | None = None  # of a range, in bytes
        self.chunked = False
        self.announces: int | None = None  # a Content-Length that is not true
        self.stalls = 0.0  # seconds before the body
        self.first_statuses: list[int] = []  # what the first requests get instead of the file
        self.drops: list[int] = []  # after so many bytes of the body, the first requests lose their connection
        self.redirects: dict[str, str] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []  # path, headers
        self.address = ""

    def __truediv__(self, name: str) -> str:
        return f"{self.address}/{name}"

    def header_of_requests(self, name: str) -> list[str | None]:
        return [headers.get(name) for _, headers in self.requests]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        site = self.site
        site.requests.append((self.path, dict(self.headers)))
        self.close_connection = True
        if site.first_statuses:
            self.answer(site.first_statuses.pop(0), {}, b"<html>no</html>")
        elif self.path in site.redirects:
            self.answer(302, {"Location": site.redirects[self.path]}, b"elsewhere")
        elif self.not_modified():
            self.send_response(304)
            self.end_headers()
        else:
            self.send_file()

    def not_modified(self) -> bool:
        site = self.site
        if (tag := self.headers["If-None-Match"]) is not None:
            return tag == site.etag
        return site.last_modified is not None and self.headers["If-Modified-Since"] == site.last_modified

    def send_file(self) -> None:
        site = self.site
        headers = {"ETag": site.etag, "Last-Modified": site.last_modified}
        headers = {name: value for name, value in headers.items() if value is not None}
        span = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        same = not site.heeds_if_range or self.headers["If-Range"] in (site.etag, site.last_modified)
        if not (site.ranges and span and same):
            self.answer(200, headers, site.content)
            return
        start, size = int(span[1]), len(site.content)
        if start >= size:
            self.answer(416, {"Content-Range": f"bytes */{size}"}, b"")
            return
        body = site.content[start:][: site.longest_answer]
        self.answer(206, headers | {"Content-Range": f"bytes {start}-{start + len(body) - 1}/{size}"}, body)

    def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        site = self.site
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        file = status in (200, 206)
        if file and site.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(body) if not file or site.announces is None else site.announces))
        self.end_headers()
        if file and site.stalls:
            time.sleep(site.stalls)
        sent = body[: site.drops.pop(0)] if file and site.drops else body
        if file and site.chunked:
            for place in range(0, len(sent), 1000):
                piece = sent[place : place + 1000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if sent == body:
                self.wfile.write(b"0\r\n\r\n")
        else:
            self.wfile.write(sent)


@contextmanager
def serving(content: bytes = b"") -> Iterator[Site]:
    """A site that runs while the block lasts."""
    site = Site(content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OfSite", (Handler,), {"site": site}))
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are part of the tests
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
