"""``distance_matrix``: plan the pairs, have an engine solve them, build the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphedx import solvers
from graphedx._files import AnyPath
from graphedx._limits import as_limit
from graphedx.convert import as_graph, require_graphs
from graphedx.costs import UNIT, EditCosts, require_costs
from graphedx.engine import Answers, Block, Engine, Question, Report, Work, journal, opened, run
from graphedx.errors import GraphError, MethodError
from graphedx.graph import Graph
from graphedx.matrix.pairs import Pairs
from graphedx.matrix.table import DistanceMatrix, Solved


def distance_matrix(
    graphs: Iterable[Any],
    others: Iterable[Any] | None = None,
    *,
    costs: EditCosts = UNIT,
    method: str = "auto",
    time_limit: float | None = None,
    cutoff: float | None = None,
    workers: int | None = None,
    engine: str | Engine = "local",
    progress: bool | Report = True,
    resume: AnyPath | None = None,
    **options: int,
) -> DistanceMatrix:
    """The distances from each graph to each of the others (or to each other), on ``workers`` threads or a cluster.

    ``time_limit`` (seconds) and ``cutoff`` hold for each pair, as in ``ged``. Without ``others`` the diagonal is 0, and
    if the costs are the same both ways each pair is solved once. ``progress`` shows a bar if stderr is a terminal; a
    callable is told a ``Progress`` instead. ``resume`` names a checkpoint: a run that was stopped or killed goes on
    from there when it is called again with the same arguments; a checkpoint of other arguments is refused. ``engine``
    is "local", "ray" (extra ``cluster``) or an Engine. Further keywords are the method's options.
    """
    rows = _graphs(graphs, "graphs")
    columns = rows if others is None else _graphs(others, "others")
    _require_alike(rows, columns)
    require_costs(costs)
    time_limit, cutoff = as_limit("time_limit", time_limit), as_limit("cutoff", cutoff)
    options = _proving(method).checked(options)
    question = Question(method, costs, time_limit, cutoff, tuple(sorted(options.items())))
    square = others is None
    pairs = Pairs(
        rows,
        columns,
        mirrored=square and costs == costs.swapped(),
        diagonal=not (square and _identity_is_free(rows, costs)),
    )
    work = Work(question, rows, columns, pairs.ends)
    answers = Answers(work.source_sizes)
    # Easiest first, so that even a run that never ends has soon solved most pairs.
    order = np.argsort(work.difficulty, kind="stable").astype(np.int64)
    with opened(engine, workers=workers) as where, _kept(resume, work, answers) as keep:
        run(work, answers, where, order=order, arrived=keep, progress=progress)
    return DistanceMatrix.from_answers(Solved(rows, columns, costs, method, pairs, answers))


def _identity_is_free(graphs: Sequence[Graph], costs: EditCosts) -> bool:
    """Return whether every graph is at distance 0 from itself: the identity substitutes equal labels only."""
    node_labels, edge_labels = (
        {label for graph in graphs for label in getattr(graph, classes)[0]}
        for classes in ("node_classes", "edge_classes")
    )
    return costs.free_on_equal_labels(node_labels, edge_labels)


def _proving(method: str) -> solvers.Method:
    """The method, unless it guesses: a table of bounds has no room for that."""
    found = solvers.get(method)
    if found.guarantee is solvers.Guarantee.ESTIMATE:
        raise MethodError(
            f'{method!r} guesses, and a distance matrix holds proofs; load_model("bracket").matrix guesses tables'
        )
    return found


@contextmanager
def _kept(checkpoint: AnyPath | None, work: Work, answers: Answers) -> Iterator[Callable[[Block], None]]:
    """What writes answers down; those of an earlier run are there already."""
    if checkpoint is None:
        yield lambda _: None
    else:
        with journal.opened(checkpoint, work.fingerprint, answers) as notes:
            yield notes.append


def _graphs(graphs: Iterable[Any], what: str) -> list[Graph]:
    require_graphs(graphs, what)
    return [_graph(graph, f"{what}[{i}]") for i, graph in enumerate(graphs)]


def _graph(thing: Any, where: str) -> Graph:
    try:
        return as_graph(thing)
    except GraphError as error:
        raise GraphError(f"{where}: {error}") from None


def _require_alike(rows: Sequence[Graph], columns: Sequence[Graph]) -> None:
    everything = [*rows, *columns]
    for graph in everything:
        if graph.directed != everything[0].directed:
            one, other = (everything[0], graph) if everything[0].directed else (graph, everything[0])
            raise GraphError(f"{one} is directed but {other} is not: convert one of them first")
