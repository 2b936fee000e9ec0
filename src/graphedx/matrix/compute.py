"""``distance_matrix``: plan the pairs, solve them on threads, keep a checkpoint, build the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from graphedx import _kernels, solvers
from graphedx._files import AnyPath
from graphedx._limits import as_limit
from graphedx.convert import as_graph, is_graph
from graphedx.costs import UNIT, EditCosts, require_costs
from graphedx.errors import GraphError
from graphedx.graph import Graph
from graphedx.matrix import checkpoint
from graphedx.matrix.fingerprint import fingerprint
from graphedx.matrix.pairs import Answer, Answers, Ids, Pairs
from graphedx.matrix.pool import Cancel, Done, Solve, solve_all, worker_count
from graphedx.matrix.progress import Progress, Report, reporter
from graphedx.matrix.table import DistanceMatrix, Solved

_MOST_LABELS = 2000  # a shared vocabulary means a table of labels x labels


def distance_matrix(
    graphs: Iterable[Any],
    others: Iterable[Any] | None = None,
    *,
    costs: EditCosts = UNIT,
    method: str = "auto",
    time_limit: float | None = None,
    cutoff: float | None = None,
    workers: int | None = None,
    progress: bool | Report = True,
    resume: AnyPath | None = None,
    **options: int,
) -> DistanceMatrix:
    """The distances from each graph to each of the others (or to each other), on ``workers`` threads.

    ``time_limit`` (seconds) and ``cutoff`` hold for each pair, as in ``ged``. Without ``others`` the diagonal is 0, and
    if the costs are the same both ways each pair is solved once. ``progress`` shows a bar if stderr is a terminal; a
    callable is told a ``Progress`` instead. ``resume`` names a checkpoint: a run that was stopped or killed goes on
    from there when it is called again with the same arguments; a checkpoint of other arguments is refused. Further
    keywords are the method's options.
    """
    rows = _graphs(graphs, "graphs")
    columns = rows if others is None else _graphs(others, "others")
    _require_alike(rows, columns)
    require_costs(costs)
    time_limit, cutoff = as_limit("time_limit", time_limit), as_limit("cutoff", cutoff)
    asked = _Question(solvers.get(method), costs, time_limit, cutoff, solvers.get(method).checked(options))
    threads = worker_count(workers)
    square = others is None
    pairs = Pairs(rows, columns, square=square, mirrored=square and costs == costs.swapped())
    answers = Answers(pairs)
    solve = _solver(rows, columns, pairs, asked)
    mark = "" if resume is None else fingerprint(rows, None if square else columns, costs, asked.mark)
    with _journal(resume, mark, answers) as journal, reporter(progress) as report:
        _solve_open(pairs, answers, solve, threads, journal, report)
    return DistanceMatrix.from_answers(Solved(rows, columns, costs, method, pairs, answers, square))


def _solve_open(
    pairs: Pairs,
    answers: Answers,
    solve: Solve,
    threads: int,
    journal: checkpoint.Checkpoint | None,
    report: Report,
) -> None:
    order = pairs.easiest_first()
    still_open = order[answers.is_open[order]]
    done, unproven = len(pairs) - len(still_open), answers.unproven

    def collect(found: Done) -> None:
        nonlocal done, unproven
        answers.put(found.ids, found.answers)
        if journal is not None:
            journal.append(found.ids)
        done += len(found.ids)
        unproven += int(np.count_nonzero(answers.lower[found.ids] != answers.upper[found.ids]))
        report(Progress(done, len(pairs), unproven))

    report(Progress(done, len(pairs), unproven))
    solve_all(solve, still_open, threads, collect)


@contextmanager
def _journal(path: AnyPath | None, mark: str, answers: Answers) -> Iterator[checkpoint.Checkpoint | None]:
    if path is None:
        yield None
        return
    with checkpoint.opened(path, mark, answers) as journal:
        yield journal


def _graphs(graphs: Iterable[Any], what: str) -> list[Graph]:
    if is_graph(graphs) or isinstance(graphs, str) or not isinstance(graphs, Iterable):
        raise GraphError(f"{what} must be a list of graphs, got {type(graphs).__name__}")
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


class _Question(NamedTuple):
    """What is asked of every pair."""

    method: solvers.Method
    costs: EditCosts
    time_limit: float | None
    cutoff: float | None
    options: dict[str, bool | int]

    @property
    def request(self) -> _kernels.Request:
        return self.method.request(self.options, self.time_limit, self.cutoff)

    @property
    def mark(self) -> list[object]:
        return [self.method.name, self.time_limit, self.cutoff, sorted(self.options.items())]

    def answer(self, source: Graph, target: Graph, cancel: Cancel) -> Answer | None:
        if self.method.native:
            found = _kernels.solve_pair(source, target, self.costs, self.request, cancel.flag)
            return None if found is None else Answer(*found)
        r = self.method.solve(
            source, target, costs=self.costs, time_limit=self.time_limit, cutoff=self.cutoff, **self.options
        )
        return Answer(r.lower, r.upper, r.images, r.stopped_by, r.nodes)


def _solver(rows: Sequence[Graph], columns: Sequence[Graph], pairs: Pairs, asked: _Question) -> Solve:
    """How pairs are solved: whole chunks in the native core if it can be, else pair by pair."""
    batch = _batch(rows, columns, asked.costs) if asked.method.native else None

    def in_batch(ids: Ids, cancel: Cancel) -> list[Answer]:
        assert batch is not None
        ends = pairs.ends[ids] if columns is rows else pairs.ends[ids] + np.array([0, len(rows)], dtype=np.int32)
        return [Answer(*answer) for answer in batch.solve(ends, asked.request, cancel.flag)]

    def one_by_one(ids: Ids, cancel: Cancel) -> list[Answer]:
        found: list[Answer] = []
        for i, j in pairs.ends[ids]:
            answer = None if cancel.wished else asked.answer(rows[i], columns[j], cancel)
            if answer is None:
                break
            found.append(answer)
        return found

    return one_by_one if batch is None else in_batch


def _batch(rows: Sequence[Graph], columns: Sequence[Graph], costs: EditCosts) -> _kernels.Batch | None:
    """All graphs over one vocabulary, or ``None`` if that is too large or has labels without a cost."""
    graphs = rows if columns is rows else [*rows, *columns]
    labels = {label for graph in graphs for label in graph.node_classes[0]}
    edge_labels = {label for graph in graphs for label in graph.edge_classes[0]}
    if max(len(labels), len(edge_labels)) > _MOST_LABELS:
        return None
    try:
        return _kernels.Batch(graphs, costs)
    except Exception:
        if costs.all_numbers:
            raise
        # Some labels never meet in any pair and need no cost; if those that do have none, their pair will say so.
        return None
