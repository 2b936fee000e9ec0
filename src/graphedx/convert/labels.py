"""Label rules: which of the attributes of a node or an edge make up its label."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, cast

from graphedx._quoting import quoted
from graphedx.errors import GraphError
from graphedx.graph import Label, Name, same_label

Attributes = Mapping[str, Any]
LabelRule = str | Sequence[str] | Callable[[Any], Hashable] | None


def label_reader(rule: LabelRule, what: str = "node_label") -> Callable[[Attributes], Label]:
    """A function from attributes to label; an attribute that is missing counts as ``None``.

    The rule is an attribute's name, several names (the label is then a tuple), a callable on the attributes, or
    ``None`` for structure only.

    >>> label_reader(("element", "charge"))({"element": "N"})
    ('N', None)
    """
    if rule is None:
        return lambda attributes: None
    if isinstance(rule, str):
        return lambda attributes: cast("Label", attributes.get(rule))
    if callable(rule):
        return rule
    names = rule_names(rule, what)
    return lambda attributes: tuple(attributes.get(name) for name in names)


def rule_names(rule: LabelRule, what: str) -> tuple[str, ...]:
    """The attribute names in a rule that is a name or several; callables have none to give."""
    if isinstance(rule, str):
        return (rule,)
    if isinstance(rule, Sequence) and rule and all(isinstance(name, str) for name in rule):
        return tuple(rule)
    raise GraphError(f"{what} must be an attribute name, several names, a callable or None, got {quoted(rule)}")


def label_writer(rule: LabelRule, what: str = "node_label") -> Callable[[Label], dict[str, Label]]:
    """The way back: a function from label to attributes; ``None`` writes no attribute."""
    if rule is None:
        return lambda label: {}
    names = rule_names(rule, what)
    if isinstance(rule, str):
        return lambda label: {} if label is None else {rule: label}

    def several(label: Label) -> dict[str, Label]:
        if not isinstance(label, tuple) or len(label) != len(names):
            raise GraphError(
                f"{what} names {len(names)} attributes, so labels must be tuples of as many, got {quoted(label)}"
            )
        return {name: part for name, part in zip(names, label, strict=True) if part is not None}

    return several


def merge_directions(
    edges: Sequence[tuple[Name, Name]], labels: Sequence[Label]
) -> tuple[list[tuple[Name, Name]], list[Label]]:
    """Undirected edges from a list that may hold each in both directions; the two must agree on the label."""
    kept: dict[tuple[Name, Name], Label] = {}
    merged: set[tuple[Name, Name]] = set()
    for (u, v), label in zip(edges, labels, strict=True):
        if (u, v) in kept or (v, u) in merged:
            raise GraphError(
                f"edge ({quoted(u)}, {quoted(v)}) is there twice: merge parallel edges into one, e.g. by a label"
            )
        if (v, u) not in kept or u == v:
            kept[u, v] = label
            continue
        if not same_label(kept[v, u], label):
            raise GraphError(
                f"edge ({quoted(v)}, {quoted(u)}) is labelled {quoted(kept[v, u])} "
                f"but the way back is labelled {quoted(label)}; "
                "make them equal, or read the graph with directed=True"
            )
        merged.add((v, u))
    return list(kept), list(kept.values())
