"""The one place where errors become exit codes and a line on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from graphedx._starting import INTERRUPTED, started
from graphedx.drawing.text import clean
from graphedx.errors import GraphEdXError

BAD_INPUT, NOT_PROVEN, REFUTED, BROKEN_PIPE = 1, 3, 4, 141

_IN_WORDS_OF_THE_COMMAND_LINE = (
    ("pass overwrite=True", "pass --overwrite"),
    ("; use read_all to get a list", ""),
    (', or pass format= (for a TU folder format="tu")', ", or pass --format-out (tu for a folder)"),
    (", or pass format=", ""),
    ("; strict=False takes impossible valences", ""),
)


class Guarded(TyperGroup):
    """A group whose commands may raise: what the library raises on purpose is told in one line, without a traceback."""

    def make_context(self, *arguments: Any, **keywords: Any) -> Any:
        _prepare_streams()
        with _guarded():  # --help and --version print here
            return super().make_context(*arguments, **keywords)

    def invoke(self, ctx: Any) -> Any:
        with _guarded():
            started()
            return super().invoke(ctx)


@contextmanager
def _guarded() -> Iterator[None]:
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # here, so that a closed pipe is noticed while it can still be handled
    except BrokenPipeError:
        _silence_stdout()
        raise typer.Exit(BROKEN_PIPE) from None
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich, which prints the help, has met it before us
            raise typer.Exit(BROKEN_PIPE) from None
        raise
    except (GraphEdXError, OSError, MemoryError) as error:
        complain(_said(error))
        try:
            sys.stdout.flush()
        except OSError:  # it is stdout that cannot be written
            _silence_stdout()
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt as interrupt:
        complain(": ".join(["interrupted", *map(str, interrupt.args)]))
        raise typer.Exit(INTERRUPTED) from None


def complain(message: str) -> None:
    """One line on stderr."""
    print(f"graphedx: {clean(message)}", file=sys.stderr)


def _said(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "this needs more memory than there is"
    if isinstance(error, OSError) and not isinstance(error, GraphEdXError):
        parts = [error.filename, error.strerror or str(error)]
        return ": ".join(str(part) for part in parts if part)
    message = str(error)
    for ours, theirs in _IN_WORDS_OF_THE_COMMAND_LINE:
        message = message.replace(ours, theirs)
    return message


def _prepare_streams() -> None:
    """Streams that were closed go nowhere; characters that the terminal does not have are shown by their code."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 (for as long as the process lives)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _silence_stdout() -> None:
    """Python flushes stdout once more when it ends, and would complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a real file, as in tests
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
