"""The paper's examples as figures, drawn of what the rows of ``Example`` jobs carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphedx.costs import EditCosts
from graphedx.drawing import edit_path_svg, heatmap_svg
from graphedx.drawing.text import counted
from graphedx.edits import EditPath, NodeMapping
from graphedx.experiments.job import Example
from graphedx.experiments.report.picture import Picture
from graphedx.experiments.report.words import number, of_dataset
from graphedx.experiments.store import Row
from graphedx.graph import Graph

_CONSISTENCY, _SEQUENCE = "Node-edge consistency", "The sequence of edit operations"
_MOST = 2
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def examples(rows: Sequence[Row], dark: bool | None = None) -> list[Picture]:
    """One pair of some models: both alignments of its edges, and the edits that follow from that of its nodes."""
    there = [(job, row) for row in rows if isinstance(job := _job(row), Example) and not row.failed]
    drawn = [picture for job, row in sorted(there, key=_first)[:_MOST] for picture in _drawn(job, row, dark)]
    if drawn:
        return sorted(drawn, key=lambda picture: picture.title)
    missing = "Not run: no model whose alignments could be shown has been trained."
    return [Picture(_CONSISTENCY, missing), Picture(_SEQUENCE, missing)]


def _job(row: Row) -> object:
    return row.asked() if row.job.get("kind") == Example.kind else None


def _first(found: tuple[Example, Row]) -> tuple[bool, float]:
    """A model that has learned both alignments, then the one that is right most often."""
    job, row = found
    return "variant" not in dict(job.train.settings), -(row.number("share_optimal") or 0.0)


def _drawn(job: Example, row: Row, dark: bool | None) -> Iterator[Picture]:
    assert row.outcome is not None
    known: Mapping[str, Any] = row.outcome["picture"]  # type: ignore[assignment]
    source, target = _graph(known["source"]), _graph(known["target"])
    costs = EditCosts.parse(job.train.costs)
    path, best = (
        EditPath.from_mapping(NodeMapping(source, target, known[images]), costs) for images in ("images", "best_images")
    )
    learned = "variant" in dict(job.train.settings)
    of = f"{of_dataset(job.train.dataset, job.train.costs)}, {'REG' if learned else 'GraphEdX'}"
    alone = "as REG has learned it" if learned else "as the vectors of the model’s node pairs would have it"
    yield Picture(
        _CONSISTENCY,
        f"Test pair {known['pair'] + 1:,}, the first of some whose edits are optimal and about six: how much of each "
        "edge on the left becomes each edge above; the rest becomes a non-edge (deleted), or comes from one "
        "(inserted). Both ends of an edge go where P takes them; the edits cost "
        f"{known['cost']:g}, and the distance is {known['distance']:g}.",
        _shares(known["edges"], source, target, dark),
        f"S that follows from P: {of}",
    )
    yield Picture(
        _CONSISTENCY,
        f"The same edges, aligned without regard to their ends, {alone}. Of {counted(known['kept'], 'edge')} that "
        f"this keeps, {known['torn']} have ends that P aligns with other nodes. These edits would cost "
        f"{known['free_cost']:g}. The cheapest S without P would ask for {known['least_cost']:g}, as the paper's "
        "example has 4 instead of 6: too few to turn one graph into the other.",
        _shares(known["free_edges"], source, target, dark),
        f"S by itself: {of}",
    )
    yield Picture(
        _SEQUENCE,
        f"What the alignment of the nodes asks for, edit by edit: {'; '.join(path.texts)}. They cost {path.cost:g}; "
        f"the model’s guess is {number(known['guess'])}.",
        edit_path_svg(path, dark=dark),
        f"Edits by the model: {of}",
    )
    yield Picture(
        _SEQUENCE,
        f"By exact search: {'; '.join(best.texts)}. They cost {best.cost:g}, the distance.",
        edit_path_svg(best, dark=dark),
        f"Optimal edits: {of}",
    )


def _shares(shares: Sequence[Sequence[float]], source: Graph, target: Graph, dark: bool | None) -> str:
    *rows, last = ([*row] for row in shares)
    return heatmap_svg(
        [*rows, [*last[:-1], float("nan")]],  # the corner of what is left on both sides means nothing
        [*_edges(source), "inserted"],
        [*_edges(target), "deleted"],
        captions=("edges of the source", "edges of the target"),
        scale="share of the edge",
        apart=(1, 1),
        dark=dark,
    )


def _graph(known: Mapping[str, Any]) -> Graph:
    letters = _LETTERS[: known["nodes"]]
    return Graph(letters, [(letters[u], letters[v]) for u, v in known["edges"]])


def _edges(graph: Graph) -> list[str]:
    return [f"{graph.nodes[u]}{graph.nodes[v]}" for u, v in graph.edge_index]
