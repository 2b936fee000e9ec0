"""``graphedx methods``."""

from __future__ import annotations

from graphedx import solvers
from graphedx.cli import options, render

EPILOG = """Examples:

  graphedx methods

  graphedx methods --json"""


def methods(as_json: options.Json = False) -> None:
    """The methods there are, and what each of them proves."""
    known = {name: solvers.get(name) for name in solvers.methods()}
    if as_json:
        render.print_json(
            {name: {"guarantee": each.guarantee.value, "summary": each.summary} for name, each in known.items()}
        )
    else:
        rows = [(name, each.guarantee.value, each.summary) for name, each in known.items()]
        render.print_table(["method", "proves", "how"], rows)
