"""Python source: the abstract syntax tree of every function, as in OGB's code2. The code is parsed, never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from graphedx._quoting import shortened
from graphedx.errors import FormatError
from graphedx.graph import Graph
from graphedx.io._budget import NodeBudget

MAX_SOURCE = 2**20
"""No longer Python source, in bytes, is parsed."""
MAX_F_STRING = 50_000
"""No source with a longer f-string, in bytes, is parsed: Python 3.11 takes time in proportion to its square."""
_LONGEST_NAME = 100  # characters of an identifier in the name of a graph or a node
_F_STRING = re.compile(rb"""\b(?:[fF][rR]?|[rR][fF])(\"{3}|'{3}|"|')""")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HOLD_FUNCTIONS = (ast.stmt, ast.excepthandler, ast.match_case)  # expressions never do
_DETAIL = ("name", "id", "arg", "attr", "value")  # the field that tells most about a node, by order of preference


class _Found(NamedTuple):
    function: ast.FunctionDef | ast.AsyncFunctionDef
    qualified_name: str


def parse(
    content: bytes, *, directed: bool = False, module_root: bool = False, max_nodes: int | None = None
) -> list[Graph]:
    """A tree for each function, methods and inner functions too, in the order of the source.

    One node for each AST node from the function definition down, labelled by its type ("FunctionDef", "Return", ...);
    edges join parent and child, and point downwards if ``directed``. ``module_root`` puts a "Module" node on top, as
    the trees of OGB have it. Graphs are named by the function's qualified name. Trees of more than ``max_nodes`` nodes
    are left out before they are built.
    """
    most = None if max_nodes is None else max(max_nodes - module_root, 0)
    budget = NodeBudget(len(content), per_byte=2)  # a statement such as x=1 has four nodes in four bytes
    return [
        _tree(found, directed, module_root, budget)
        for found in _functions(_parsed(content))
        if most is None or _has_at_most(most, found.function)
    ]


def _parsed(content: bytes) -> ast.Module:
    _require_modest(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the code that is read, not for our user
            return ast.parse(content)
    except SyntaxError as error:
        place = f"line {error.lineno}: " if error.lineno else ""
        raise FormatError(f"{place}is not Python source: {shortened(error.msg, 120)}") from None
    except (ValueError, MemoryError, RecursionError) as error:  # null bytes; nested beyond what the parser can take
        nested = isinstance(error, RecursionError) or not str(error)
        raise FormatError(
            f"is not Python source: {'nested too deeply' if nested else shortened(str(error), 120)}"
        ) from None


def _require_modest(content: bytes) -> None:
    """Refuse source that would take Python's own parser minutes or gigabytes; it needs about 1 kB for each byte."""
    if len(content) > MAX_SOURCE:
        raise FormatError(f"has {len(content):,} bytes of Python source, more than the limit of {MAX_SOURCE:,}")
    for start in _F_STRING.finditer(content):
        end = start.end() + MAX_F_STRING
        if end < len(content) and content.find(start.group(1), start.end(), end) < 0:
            line = content.count(b"\n", 0, start.start()) + 1
            raise FormatError(f"line {line}: has an f-string of more than the limit of {MAX_F_STRING:,} bytes")


def _functions(module: ast.Module) -> Iterator[_Found]:
    pending: list[tuple[ast.AST, str]] = [(module, "")]
    while pending:
        node, prefix = pending.pop()
        if isinstance(node, _FUNCTIONS):
            name = shortened(node.name, _LONGEST_NAME)
            yield _Found(node, prefix + name)
            prefix += f"{name}.<locals>."
        elif isinstance(node, ast.ClassDef):
            prefix += f"{shortened(node.name, _LONGEST_NAME)}."
        inside = [child for child in ast.iter_child_nodes(node) if isinstance(child, _HOLD_FUNCTIONS)]
        pending += [(child, prefix) for child in reversed(inside)]


def _has_at_most(nodes: int, tree: ast.AST) -> bool:
    return next(islice(ast.walk(tree), nodes, None), None) is None


def _tree(found: _Found, directed: bool, module_root: bool, budget: NodeBudget) -> Graph:
    names: list[str] = []
    labels: list[str] = []
    edges: list[tuple[str, str]] = []
    if module_root:
        names, labels = ["0 Module"], ["Module"]
    pending: list[tuple[ast.AST, str | None]] = [(found.function, names[0] if names else None)]
    while pending:
        node, parent = pending.pop()
        labels.append(type(node).__name__)
        names.append(f"{len(names)} {labels[-1]}{_detail(node)}")
        if parent is not None:
            edges.append((parent, names[-1]))
        pending += [(child, names[-1]) for child in reversed(list(ast.iter_child_nodes(node)))]
    budget.take(len(names))
    return Graph(names, edges, node_labels=labels, directed=directed, name=found.qualified_name)


def _detail(node: ast.AST) -> str:
    for field in _DETAIL:
        value = getattr(node, field, None)
        if isinstance(node, ast.Constant) and field == "value":
            text = _literal(value)
            return f" {text if len(text) <= 20 else text[:17] + '...'}"
        if isinstance(value, str):
            return f" {shortened(value, _LONGEST_NAME)}"
    return ""


def _literal(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # a whole number of more digits than Python is willing to write
        assert isinstance(value, int)
        return hex(value)
