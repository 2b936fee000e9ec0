"""The options that several commands share, so that the same word means the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from graphedx.costs import PRESETS

_GRAPH = "A file, FILE#NAME or FILE#NUMBER (from 1) for one of many graphs, FILE.py::FUNCTION, or smiles:TEXT."
_COSTS = (
    "Four to six numbers: node_del,node_ins,edge_del,edge_ins and, 0 if left out, node_sub and edge_sub; "
    f"or one of {', '.join(PRESETS)}."
)

Source = Annotated[str, typer.Argument(metavar="A", help=_GRAPH, show_default=False)]
Target = Annotated[str, typer.Argument(metavar="B", help="Likewise.", show_default=False)]
Inputs = Annotated[
    list[str],
    typer.Argument(metavar="INPUT...", help="Files, folders, or single graphs as in `distance`.", show_default=False),
]
Costs = Annotated[str, typer.Option("--costs", metavar="COSTS", help=_COSTS)]
MethodName = Annotated[
    str, typer.Option("--method", metavar="NAME", help="How to solve; `graphedx methods` lists them.")
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="SECONDS", min=0, help="Give up on a pair then; bounds remain.")
]
Cutoff = Annotated[
    float | None, typer.Option("--cutoff", metavar="COST", min=0, help="Prove the distance only if it is at most this.")
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
