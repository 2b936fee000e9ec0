"""The options that several commands share, so that the same word means the same everywhere."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from graphedx import solvers
from graphedx._quoting import quoted
from graphedx.costs import PRESETS
from graphedx.errors import MethodError

_WHOLE = re.compile(r"[0-9]{1,18}")
_GRAPH = "A file, FILE#NAME or FILE#NUMBER (from 1) for one of many graphs, FILE.py::FUNCTION, or smiles:TEXT."
_COSTS = (
    "Four to six numbers: node_del,node_ins,edge_del,edge_ins and, 0 if left out, node_sub and edge_sub; "
    f"or one of {', '.join(PRESETS)}."
)

Source = Annotated[str, typer.Argument(metavar="A", help=_GRAPH, show_default=False)]
Target = Annotated[str, typer.Argument(metavar="B", help="Likewise.", show_default=False)]
Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT...", help="Files, folders, datasets, or single graphs as in `distance`.", show_default=False
    ),
]
Costs = Annotated[str, typer.Option("--costs", metavar="COSTS", help=_COSTS)]
MethodName = Annotated[
    str, typer.Option("--method", metavar="NAME", help="How to solve; `graphedx methods` lists them.")
]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of the method, such as starts=40; may be repeated."),
]
Watch = Annotated[
    bool, typer.Option("--watch", help="Show the bounds on stderr as they tighten; Ctrl-C keeps the last ones.")
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="SECONDS", min=0, help="Give up on a pair then; bounds remain.")
]
Cutoff = Annotated[
    float | None, typer.Option("--cutoff", metavar="COST", min=0, help="Prove the distance only if it is at most this.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Threads (or Ray's CPUs); by default one a core.")
]
EngineName = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="Where to solve: local threads, or a ray cluster.")
]
Address = Annotated[
    str | None, typer.Option("--address", metavar="HOST:PORT", help="Of a Ray cluster, or auto; by default a new one.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, and nothing else.")]
NodeLabel = Annotated[
    str | None, typer.Option("--node-label", metavar="ATTR", help="The node attribute that is the label.")
]
EdgeLabel = Annotated[
    str | None, typer.Option("--edge-label", metavar="ATTR", help="The edge attribute that is the label.")
]
Unlabelled = Annotated[bool, typer.Option("--unlabelled", help="Drop all labels; structure only.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace outputs that exist.")]


def method_options(method: str, given: list[str] | None) -> dict[str, int]:
    """NAME=VALUE texts as keywords that the method has; values are whole numbers, true or false."""
    found: dict[str, int] = {}
    for text in given or ():
        name, _, value = text.partition("=")
        words = {"true": True, "false": False}
        if not name or not (value in words or _WHOLE.fullmatch(value)):
            raise MethodError(f"--option wants NAME=VALUE with a whole number, true or false, got {quoted(text)}")
        if name in found:
            raise MethodError(f"--option {name} is given twice")
        found[name] = words[value] if value in words else int(value)
    solvers.get(method).checked(found)  # so that no option is taken for another argument of the same name
    return found
