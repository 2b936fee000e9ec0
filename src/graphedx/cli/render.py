"""What commands print: small tables for people, one JSON object for machines."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphedx.cli.guard import NOT_PROVEN
from graphedx.costs import EditCosts, amount
from graphedx.drawing.text import clean, counted
from graphedx.edits import EditPath
from graphedx.graph import Graph
from graphedx.result import GedEstimate, GedResult, StopReason

_KINDS = {
    "InsertNode": "insert node",
    "SubstituteNode": "relabel node",
    "DeleteNode": "delete node",
    "InsertEdge": "insert edge",
    "SubstituteEdge": "relabel edge",
    "DeleteEdge": "delete edge",
}


def print_json(data: Mapping[str, Any]) -> None:
    """One object; numbers that JSON does not have become null."""
    finite = {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in data.items()
    }
    print(json.dumps(finite, indent=2, allow_nan=False))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names on the left, values on the right."""
    grid = Table.grid(padding=(0, 2))
    for name, value in facts:
        grid.add_row(Text(name, style="bold"), Text(clean(value)))
    _console().print(grid)


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """A table of plain text; columns in ``right`` are set to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="right" if k in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(value)) for value in row))
    _console().print(table)


def print_edits(edits: EditPath) -> None:
    """The edits of a path one by one, and what they cost together."""
    numbered = enumerate(zip(edits.texts, edits, strict=True), 1)
    rows = [(str(k), text, amount(edit.cost)) for k, (text, edit) in numbered]
    print_table(["", "edit", "cost"], [*rows, ("", "total", amount(edits.cost))], right=(0, 2))


def exit_code(result: GedResult) -> int:
    """0 for any answer that was asked for, 3 if the limit struck first."""
    unfinished = (StopReason.TIME, StopReason.PATIENCE, StopReason.INTERRUPTED)
    return NOT_PROVEN if result.stopped_by in unfinished and not result.proven else 0


def result_facts(result: GedResult, seconds: float) -> list[tuple[str, str]]:
    """The answer for people."""
    edits = counts_of(result.edit_path())
    guess = [("estimate", _guess(result))] if isinstance(result, GedEstimate) else []
    return [
        *guess,
        ("distance", _answer(result)),
        ("source", described(result.source)),
        ("target", described(result.target)),
        ("edits", ", ".join(f"{number} x {kind}" for kind, number in edits.items() if number) or "none"),
        ("costs", costs_said(result.costs)),
        ("method", result.method + (f", {counted(result.nodes, 'search node')}" if result.nodes else "")),
        ("time", duration(seconds)),
    ]


def result_data(result: GedResult, seconds: float) -> dict[str, Any]:
    """The answer for machines."""
    guess = {}
    if isinstance(result, GedEstimate):
        guess = {"estimate": result.value, "nearest": result.nearest, "model": result.model}
    return guess | {
        "distance": result.upper if result.proven else None,
        "lower": result.lower,
        "upper": result.upper,
        "proven": result.proven,
        "tolerance": result.tolerance,
        "stopped_by": result.stopped_by.value,
        "method": result.method,
        "costs": asdict(result.costs),
        "source": _graph_data(result.source),
        "target": _graph_data(result.target),
        "edits": {kind.replace(" ", "_"): number for kind, number in counts_of(result.edit_path()).items()},
        "search_nodes": result.nodes,
        "seconds": seconds,
    }


def counts_of(path: EditPath) -> dict[str, int]:
    """How many edits there are of each kind."""
    counts = Counter(type(operation).__name__ for operation in path)
    return {said: counts[kind] for kind, said in _KINDS.items()}


def described(graph: Graph) -> str:
    """A graph in a few words."""
    kind = "directed, " if graph.directed else ""
    title = f"{graph.name}: " if graph.name else ""
    return f"{title}{kind}{counted(graph.num_nodes, 'node')}, {counted(graph.num_edges, 'edge')}"


def costs_said(costs: EditCosts) -> str:
    """Costs that are numbers, each with its name."""
    return ", ".join(f"{name} {amount(cost)}" for name, cost in asdict(costs).items())


def duration(seconds: float) -> str:
    """Three digits of it, in a unit that suits."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"


def _answer(result: GedResult) -> str:
    if result.proven:
        return f"{amount(result.upper)} (proven)"
    bounds = f"between {amount(result.lower)} and {amount(result.upper)}"
    match result.stopped_by:
        case StopReason.CUTOFF:
            return f"above the cutoff (proven); {bounds}"
        case StopReason.BOUND:
            return f"{bounds}; the method gives bounds only"
        case StopReason.PATIENCE:
            return f"{bounds}; not proven in a minute: set --time-limit for more, or --method exact to wait for ever"
        case StopReason.INTERRUPTED:
            return f"{bounds}; interrupted before it was proven"
        case _:
            return f"{bounds}; not proven within the limit"


def _guess(result: GedEstimate) -> str:
    guess = f"{result.value:.4g} (a guess of the model {result.model})"
    return f"{guess}; the possible distance next to it is {amount(result.nearest)}"


def _graph_data(graph: Graph) -> dict[str, Any]:
    return {"name": graph.name, "nodes": graph.num_nodes, "edges": graph.num_edges, "directed": graph.directed}


class _Console(Console):
    """One that leaves a closed pipe to the guard."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console() -> Console:
    """As wide as the terminal; wide enough for long labels where there is none."""
    return _Console(width=None if sys.stdout.isatty() else 200, highlight=False)
