"""Ctrl-C while the command line still imports what it needs: one line and exit code 130, as later; no traceback.

Imported before anything else, so it imports little itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


def start() -> bool:
    """From now on an interrupt ends the process at once; nothing is done yet that would have to be undone.

    An exception would not do: imports meet it in places that print it, or take it for a library that is not there.
    Who handles interrupts in another way goes on doing so, and is told that by ``False``.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    signal.signal(signal.SIGINT, _end)
    return True


def started() -> None:
    """From now on an interrupt is an exception again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def starting() -> Iterator[None]:
    """``start`` and ``started`` around the imports of the library, if it is for the command line."""
    ours = _is_command_line() and start()
    try:
        yield
    finally:
        if ours:
            started()


def _is_command_line() -> bool:
    """Whether this process is ``graphedx`` or ``python -m graphedx``, and not a program that imports the library."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":  # as long as Python looks for the module
        return ("-m", "graphedx") in zip(sys.orig_argv, sys.orig_argv[1:], strict=False)
    return program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") == "graphedx"


def _end(*_: object) -> None:
    if sys.stderr is not None:  # it may be closed
        os.write(2, b"graphedx: interrupted\n")
    os._exit(INTERRUPTED)
