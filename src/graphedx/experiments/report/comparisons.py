"""Comparisons of two numbers that the paper's claims are about; the same for our numbers and the paper's."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from graphedx.experiments.job import LOWER_BOUNDS
from graphedx.experiments.report.evidence import Check, Point, duel, duels, placed, some, within
from graphedx.experiments.report.words import number

OURS, XOR = "GraphEdX", "XOR-DiffAlign"
COST_RATIO, LITTLE = 2.25, 1.25  # of mean squared errors under the two costs; a factor that is not much
MARGIN = 0.15  # of the best baseline's error, which the paper calls a significant margin
SAME = 1e-3  # numbers that are equal by design differ by rounding only
_STRONGEST, _EDGE, _PAIR = ("ERIC", "EGSC"), "Edge-only (edge-edge)", "Edge-only (pair-pair)"
SOLVERS = frozenset({"ipfp", "anchor_aware", "branch_tight", "f2", "bipartite", "branch"})  # the paper's six
_OTHER_TIMES = ("_encoded_seconds", "_step_seconds", "mean_seconds")
_NOISE = 0.1  # of times
_BOUNDS = {"mse": "", "lower_mse": " (lower bound)"}

Points = Sequence[Point]
Checks = Callable[[Points], list[Check]]

SAME_TERMS: Mapping[str, str] = {
    _EDGE: "AlignDiff / AlignDiff",
    _PAIR: "AlignDiff / AlignDiff",
    "REG": "AlignDiff / AlignDiff",
    "REG-xor": f"{XOR} / AlignDiff",
    "MAX": f"{XOR} / AlignDiff",
    "MAX-OR": f"{XOR} / AlignDiff",
}
"""The combination beside which an ablation stands: with its own terms, and as many trainings. MAX has none of these."""


def beats_the_others(table: str, metric: str = "mse") -> Callable[[Points], list[Check]]:
    """GraphEdX beside every other method of a table."""

    def checks(points: Points) -> list[Check]:
        there = list(some(points, table, metric=metric))
        return duels(some(there, table, metric=metric, method=OURS), there, higher=metric == "kendall_tau")

    return checks


def xor_on_edges(points: Points) -> list[Check]:
    """Beside the other surrogates of the edges, with the same one of the nodes."""
    found = []
    for one in some(points, "combinations"):
        edge, _, node = one.method.partition(" / ")
        if edge == XOR:
            others = [point for point in some(points, "combinations") if point.method.endswith(f" / {node}")]
            found += duels([one], others)
    return found


def best_has_xor(points: Points) -> list[Check]:
    """The best combination with XOR on the edges beside the best without, where all nine are known."""
    columns: dict[object, list[Point]] = {}
    for point in some(points, "combinations"):
        columns.setdefault(point.where, []).append(point)
    found = []
    for there in columns.values():
        with_xor = [point for point in there if point.method.startswith(XOR)]
        without = [point for point in there if not point.method.startswith(XOR)]
        if with_xor and without and all(point.value is not None for point in there):
            found.append(_best_duel(with_xor, without))
    return found


class _Ratio(NamedTuple):
    """Of two numbers, and whether it may change."""

    value: float
    error: float
    unfinished: bool

    @classmethod
    def of(cls, one: Point, other: Point) -> _Ratio | None:
        """None if they have none."""
        if not one.value or not other.value:
            return None
        value = one.value / other.value
        error = value * math.hypot(one.error / one.value, other.error / other.value)
        return cls(value, error, not (one.final and other.final))


def _growth(points: Points, table: str) -> dict[tuple[str, str], _Ratio]:
    """How many times larger the error under non-uniform costs is, by method and dataset."""
    uniform = {(one.method, one.dataset): one for one in some(points, table, costs="uniform")}
    found = {}
    for point in some(points, table, costs="non-uniform"):
        before = uniform.get((point.method, point.dataset))
        ratio = None if before is None else _Ratio.of(point, before)
        if ratio is not None:
            found[point.method, point.dataset] = ratio
    return found


def breaks_under_costs(points: Points) -> list[Check]:
    growth = _growth(points, "baselines")
    found = []
    for (method, dataset), ratio in growth.items():
        own = growth.get((OURS, dataset))
        if method != OURS and own is not None:
            said = f"{dataset}: {method} × {number(ratio.value)}, {OURS} × {number(own.value)}"
            holds = within(ratio.value - own.value, math.hypot(ratio.error, own.error), 0.0, math.inf)
            unfinished = ratio.unfinished or own.unfinished
            place = (method, dataset)
            found.append(Check(said, holds, ratio.value / own.value, unfinished, dataset, place=place))
    return found


def near_the_ratio(points: Points) -> list[Check]:
    return [
        Check(
            f"{dataset}: {method} × {number(ratio.value)}",
            within(ratio.value, ratio.error, COST_RATIO / LITTLE, COST_RATIO * LITTLE),
            ratio.value,
            ratio.unfinished,
            dataset,
            place=(method, dataset),
        )
        for (method, dataset), ratio in _growth(points, "combinations").items()
    ]


def repaired(points: Points) -> list[Check]:
    """A baseline with the cost-guided score beside the same with its own, under non-uniform costs."""
    there = list(some(points, "cost-guided", costs="non-uniform"))
    guided = [point for point in there if point.method.endswith("*")]
    return [
        check
        for one in guided
        for check in duels([one], [point for point in there if point.method == one.method.removesuffix("*")])
    ]


def beats_guided(points: Points) -> list[Check]:
    there = list(some(points, "cost-guided"))
    return duels(some(there, "cost-guided", method=OURS), [point for point in there if point.method.endswith("*")])


def next_best(points: Points) -> list[Check]:
    """The better of ERIC and EGSC beside the best of the other baselines, where all are known."""
    columns: dict[object, list[Point]] = {}
    for point in some(points, "baselines"):
        if point.method != OURS:
            columns.setdefault(point.where, []).append(point)
    found = []
    for there in columns.values():
        strong = [point for point in there if point.method in _STRONGEST]
        others = [point for point in there if point.method not in _STRONGEST]
        if strong and others and all(point.value is not None for point in there):
            found.append(_best_duel(strong, others))
    return found


def margin(points: Points) -> list[Check]:
    """GraphEdX beside the best baseline less the margin, where all are known."""
    columns: dict[object, list[Point]] = {}
    for point in some(points, "baselines"):
        columns.setdefault(point.where, []).append(point)
    found = []
    for there in columns.values():
        own = [point for point in there if point.method == OURS]
        others = [point for point in there if point.method != OURS]
        if own and others and all(point.value is not None for point in there):
            best = _best(others)
            less = best._replace(value=(1 - MARGIN) * _value(best), method=f"{best.method} less {MARGIN:.0%}")
            check = duel(own[0], less)
            found.append(check._replace(place=own[0].where, factor=check.factor * (1 - MARGIN)))
    return found


def same_terms(table: str) -> Checks:
    """The paper's model beside each ablation of a table, with the same terms and as many trainings."""

    def checks(points: Points) -> list[Check]:
        combined = {(one.method, one.costs, one.dataset): one for one in some(points, "combinations")}
        found = []
        for point in some(points, table):
            own = combined.get((SAME_TERMS.get(point.method, ""), point.costs, point.dataset))
            if own is not None and own.value is not None and point.value is not None:
                found.append(duel(own, point)._replace(place=_ablation(point)))
        return found

    return checks


def best_beside(table: str) -> Checks:
    """The paper's best model beside each ablation of a table, as the paper compares them, at the same places."""

    def checks(points: Points) -> list[Check]:
        there = list(some(points, table))
        return [
            duel(own, other)._replace(place=_ablation(other))
            for own in there
            for other in there
            if own.method == OURS and other.where == own.where and other.method in SAME_TERMS
            if own.value is not None and other.value is not None
        ]

    return checks


def _ablation(point: Point) -> tuple[str, ...]:
    return (point.table, point.costs, point.dataset, point.method)


def edge_to_edge(points: Points) -> list[Check]:
    """Aligning edges with edges beside aligning node pairs of which non-edges have no vector."""
    there = list(some(points, "edge-only"))
    return duels([one for one in there if one.method == _EDGE], [one for one in there if one.method == _PAIR])


def measured_property(metric: str, *, most: float, costs: str = "") -> Checks:
    """A number of the table of properties beside its bound."""

    def checks(points: Points) -> list[Check]:
        return [
            Check(
                f"{placed(point)}, {point.method}: {number(point.value)}",
                point.value <= most,
                point.value,
                not point.final,
                point.dataset,
            )
            for point in points
            if point.table == "properties" and point.metric == metric and point.value is not None
            if costs in ("", point.costs)
        ]

    return checks


def cost_features(points: Points) -> list[Check]:
    """A baseline that sees the costs beside the same one that does not."""
    seen = {(point.method, point.dataset): point for point in some(points, "baselines", costs="non-uniform")}
    found = []
    for point in some(points, "costs-unseen"):
        other = seen.get((point.method, point.dataset))
        ratio = None if other is None else _Ratio.of(other, point)
        if other is not None and ratio is not None:
            numbers = f"{number(other.value or 0.0)}, without costs {number(point.value or 0.0)}"
            holds = within(ratio.value, ratio.error, 1 / LITTLE, LITTLE)
            said = f"{placed(point)}: {point.method} {numbers}"
            place = (point.method, point.dataset)
            found.append(Check(said, holds, ratio.value, ratio.unfinished, point.dataset, place=place))
    return found


def swapped_nodes(points: Points) -> list[Check]:
    """GraphEdX beside NodeSwap, both with XOR or both without."""
    there = list(some(points, "edge-ged"))
    return [
        check
        for kind in ("+ XOR", "w/o XOR")
        for check in duels(
            some(there, "edge-ged", method=f"{OURS} {kind}"), some(there, "edge-ged", method=f"NodeSwap {kind}")
        )
    ]


def transferred(points: Points) -> list[Check]:
    """Trained elsewhere, GraphEdX beside the baselines."""
    there = [point for point in some(points, "zero-shot") if point.table != f"zero-shot-{point.dataset}"]
    return duels([point for point in there if point.method == OURS], there)


def solvers(points: Points, limit: float) -> list[Check]:
    """GraphEdX beside the paper's combinatorial methods, each with the most time up to a limit and its better bound."""
    given: dict[tuple[str, str, str], Point] = {}
    with_lower = set()
    for point in _limited(points, limit):
        if point.method in SOLVERS:
            key = (point.method, point.dataset, point.costs)
            given[key] = max(given.get(key, point), point, key=lambda one: (one.limit or 0.0, -_value(one)))
            if point.metric == "lower_mse" or point.method not in LOWER_BOUNDS:
                with_lower.add(key)
    found = []
    for key, point in given.items():
        checks = _neural_beside(points, [point])
        # Its other bound may be better; whether the method is ahead or behind must not decide whether it counts.
        found += [check._replace(unfinished=check.unfinished or key not in with_lower) for check in checks]
    return found


def search(points: Points, limit: float) -> list[Check]:
    """GraphEdX beside the best that any method, also ours, has found up to a limit."""
    best: dict[tuple[str, str], Point] = {}
    for point in _limited(points, limit):
        key = (point.dataset, point.costs)
        best[key] = min(best.get(key, point), point, key=_value)
    return _neural_beside(points, best.values())


def _limited(points: Points, limit: float) -> Iterator[Point]:
    for point in points:
        known = point.value is not None and point.limit is not None and point.limit <= limit
        if known and point.table == "time-limit" and point.metric in _BOUNDS:
            yield point


def _neural_beside(points: Points, solved: Iterable[Point]) -> list[Check]:
    neural = {(point.dataset, point.costs): point for point in some(points, "baselines", method=OURS)}
    found = []
    for point in solved:
        own = neural.get((point.dataset, point.costs))
        if own is not None and own.value is not None:
            found.append(
                duel(own, point._replace(method=f"{point.method}{_BOUNDS[point.metric]} in {point.limit:g} s"))
            )
    return found


def faster(points: Points, quick: Collection[str], slow: Collection[str]) -> list[Check]:
    """Times of guesses; each model has a metric of its own, since one job times all. They were taken once only."""
    there = [
        point._replace(metric="seconds", error=_NOISE * (point.value or 0.0))
        for point in points
        if point.table == "inference-time"
        and point.metric.endswith("_seconds")
        and not point.metric.endswith(_OTHER_TIMES)
    ]
    return duels([point for point in there if point.method in quick], [one for one in there if one.method in slow])


def _value(point: Point) -> float:
    return math.inf if point.value is None else point.value


def _best(points: Points) -> Point:
    """Return the one with the least error, which is final only if all are."""
    return min(points, key=_value)._replace(final=all(point.final for point in points))


def _best_duel(some_points: Points, others: Points) -> Check:
    """Compare the best of each; which methods these are may differ between our numbers and the paper's."""
    one = _best(some_points)
    return duel(one, _best(others))._replace(place=one.where)
