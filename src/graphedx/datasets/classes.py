"""Isomorphism classes: which graphs of a dataset are the same graph under other names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from graphedx._kernels import IsomorphismClasses
from graphedx.graph import Graph


def first_of_classes(graphs: Iterable[Graph], *, labelled: bool = False, most: int | None = None) -> Iterator[Graph]:
    """The first graph of every isomorphism class, in the order of the input, read no further than needed.

    After ``most`` classes nothing more is read. Structure only, unless ``labelled``: then node and edge labels have to
    agree too. Only the graphs of new classes are remembered; every graph costs microseconds.

    >>> triangle, path = Graph(3, [(0, 1), (1, 2), (2, 0)]), Graph(3, [(0, 1), (1, 2)])
    >>> list(first_of_classes([path, triangle, Graph("abc", ["ac", "cb"])]))
    [Graph(3 nodes, 2 edges), Graph(3 nodes, 3 edges)]
    """
    if most is not None and most <= 0:
        return
    classes, found = IsomorphismClasses(labelled=labelled), 0
    for graph in graphs:
        if classes.place(graph) == found:
            yield graph
            found += 1
            if found == most:
                return


def shared_classes(groups: Mapping[str, Sequence[Graph]], *, labelled: bool = False) -> list[tuple[str, int, str, int]]:
    """Every (group, index, other group, index) whose graphs are isomorphic: what leaks from one split into another.

    Each pair is told once, from the group that comes first, in the order of groups and graphs. Isomorphic graphs of
    one group are no leak.

    >>> edge, path = Graph(2, [(0, 1)]), Graph(3, [(0, 1), (1, 2)])
    >>> shared_classes({"train": [edge, path], "test": [Graph("abc", ["ac", "cb"])]})
    [('train', 1, 'test', 0)]
    """
    classes = IsomorphismClasses(labelled=labelled)
    numbers = {name: [classes.place(graph) for graph in group] for name, group in groups.items()}
    found: list[tuple[str, int, str, int]] = []
    names = list(numbers)
    for i, name in enumerate(names):
        members: dict[int, list[tuple[str, int]]] = {}
        for other in names[i + 1 :]:
            for index, number in enumerate(numbers[other]):
                members.setdefault(number, []).append((other, index))
        found += [
            (name, index, *where) for index, number in enumerate(numbers[name]) for where in members.get(number, ())
        ]
    return found
