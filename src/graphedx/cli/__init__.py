"""The command line: one file a command, each of which parses, calls the library and renders.

Exit codes: 0 done, 1 bad input, 2 usage, 3 not proven within the limit, 4 refuted,
130 interrupted, 141 nobody reads the output.
"""

from __future__ import annotations

from graphedx._starting import start

__all__ = ["main"]


def main() -> None:
    """Run the command that the arguments name; always ends by SystemExit."""
    start()  # until a command is on its way, which is told by ``guard``
    from graphedx.cli.app import app

    app(prog_name="graphedx")
