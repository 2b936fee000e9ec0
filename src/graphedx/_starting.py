"""Ctrl-C while the command line still imports what it needs: one line and exit code 130, as later; no traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import NoReturn

INTERRUPTED = 130


def is_command_line() -> bool:
    """Whether this process is ``graphedx`` or ``python -m graphedx``, and not a program that imports the library."""
    if sys.argv[:1] == ["-m"]:  # as long as Python looks for the module
        return any(pair == ("-m", "graphedx") for pair in zip(sys.orig_argv, sys.orig_argv[1:], strict=False))
    return bool(sys.argv) and PurePath(sys.argv[0]).stem == "graphedx"


@contextmanager
def starting() -> Iterator[None]:
    """Nothing is done that would have to be undone: an interrupt ends the process at once.

    An exception would not do. Imports meet it in places that print it, or take it for a library that is not there.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(*_: object) -> NoReturn:
    if sys.stderr is not None:  # it may be closed
        os.write(2, b"graphedx: interrupted\n")
    os._exit(INTERRUPTED)
