"""What the paper claims, each decided from the numbers: confirmed, contradicted, or open.

A claim is about comparisons of two numbers of a table. ``RULES`` says when it is what. The same comparisons are made
with the paper's own numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from graphedx.experiments.place import SUBSTITUTES
from graphedx.experiments.report.evidence import (
    CONFIRMED,
    CONTRADICTED,
    FEWEST,
    Check,
    Decision,
    Point,
    decided,
    duel,
    duels,
    our_points,
    paper_points,
    placed,
    some,
    within,
)
from graphedx.experiments.report.words import number
from graphedx.experiments.store import Rows
from graphedx.experiments.table import Experiment

OURS, XOR = "GraphEdX", "XOR-DiffAlign"
COST_RATIO, LITTLE = 2.25, 1.25  # of mean squared errors under the two costs; a factor that is not much
MOST = 0.6  # the share of comparisons that makes "most" of them
_STRONGEST, _FAST = ("ERIC", "EGSC"), ("GMN-Embed", "GREED", "ERIC", "EGSC")
_SLOW = ("GMN-Match", "SimGNN", "H2MN", "GraphSim")
_SOLVERS = frozenset({"ipfp", "anchor_aware", "branch_tight", "f2", "bipartite", "branch"})  # the paper's six
_OTHER_TIMES = ("_encoded_seconds", "_step_seconds", "mean_seconds")
_NOISE = 0.1  # of times
_NEURAL_SECONDS, _SEARCH_SECONDS, _LONG_SECONDS = 1e-4, 1e-2, 10.0

Points = Sequence[Point]

RULES = (
    f"A claim is confirmed if at least {CONFIRMED:.0%} of its comparisons hold ({MOST:.0%} if it says “most”), and "
    f"contradicted if at most {CONTRADICTED:.0%} do, or, where it is about several methods, at most so many for one of "
    f"them; with fewer than {FEWEST} it is open. Numbers within the standard errors of both are too close to tell, and "
    "do not count. Nor do those that are not final: some seeds or variants are missing, or the one that is behind was "
    "cut off in training."
)


class Claim(NamedTuple):
    """A sentence, the experiments that it rests on, and the comparisons that it makes."""

    sentence: str
    experiments: tuple[str, ...]
    checks: Callable[[Points], list[Check]]
    about: str = ""  # what the median of the comparisons' factors says
    need: float = CONFIRMED  # the share of comparisons that have to hold
    each: bool = False  # it is about every method by itself


class Judged(NamedTuple):
    """A claim, what our numbers say, and what the paper's own say."""

    claim: Claim
    ours: Decision
    paper: Decision


def judged(experiments: Iterable[Experiment], rows: Rows) -> list[Judged]:
    """All claims, decided by the rows that are there."""
    known = list(experiments)
    ours, papers = our_points(known, rows), paper_points(known)
    found = []
    for claim in CLAIMS:
        how = (claim.about, claim.need)
        own = decided(claim.checks(ours), *how, each=claim.each, marked=SUBSTITUTES)
        found.append(Judged(claim, own, decided(claim.checks(papers), *how, each=claim.each)))
    return found


def _beats_the_others(table: str, metric: str = "mse") -> Callable[[Points], list[Check]]:
    """GraphEdX beside every other method of a table."""

    def checks(points: Points) -> list[Check]:
        there = list(some(points, table, metric=metric))
        return duels(some(there, table, metric=metric, method=OURS), there, higher=metric == "kendall_tau")

    return checks


def _xor_on_edges(points: Points) -> list[Check]:
    """Beside the other surrogates of the edges, with the same one of the nodes."""
    found = []
    for one in some(points, "combinations"):
        edge, _, node = one.method.partition(" / ")
        if edge == XOR:
            others = [point for point in some(points, "combinations") if point.method.endswith(f" / {node}")]
            found += duels([one], others)
    return found


def _best_has_xor(points: Points) -> list[Check]:
    """The best combination with XOR on the edges beside the best without, where all nine are known."""
    columns: dict[object, list[Point]] = {}
    for point in some(points, "combinations"):
        columns.setdefault(point.where, []).append(point)
    found = []
    for there in columns.values():
        with_xor = [point for point in there if point.method.startswith(XOR)]
        without = [point for point in there if not point.method.startswith(XOR)]
        if with_xor and without and all(point.value is not None for point in there):
            found.append(duel(min(with_xor, key=_value), min(without, key=_value)))
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
        return cls(value, error, any((one.cut_off, one.partial, other.cut_off, other.partial)))


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


def _breaks_under_costs(points: Points) -> list[Check]:
    growth = _growth(points, "baselines")
    found = []
    for (method, dataset), ratio in growth.items():
        own = growth.get((OURS, dataset))
        if method != OURS and own is not None:
            said = f"{dataset}: {method} × {number(ratio.value)}, {OURS} × {number(own.value)}"
            holds = within(ratio.value - own.value, math.hypot(ratio.error, own.error), 0.0, math.inf)
            unfinished = ratio.unfinished or own.unfinished
            found.append(Check(said, holds, ratio.value / own.value, unfinished, dataset))
    return found


def _near_the_ratio(points: Points) -> list[Check]:
    return [
        Check(
            f"{dataset}: {method} × {number(ratio.value)}",
            within(ratio.value, ratio.error, COST_RATIO / LITTLE, COST_RATIO * LITTLE),
            ratio.value,
            ratio.unfinished,
            dataset,
        )
        for (method, dataset), ratio in _growth(points, "combinations").items()
    ]


def _repaired(points: Points) -> list[Check]:
    """A baseline with the cost-guided score beside the same with its own, under non-uniform costs."""
    there = list(some(points, "cost-guided", costs="non-uniform"))
    guided = [point for point in there if point.method.endswith("*")]
    return [
        check
        for one in guided
        for check in duels([one], [point for point in there if point.method == one.method.removesuffix("*")])
    ]


def _beats_guided(points: Points) -> list[Check]:
    there = list(some(points, "cost-guided"))
    return duels(some(there, "cost-guided", method=OURS), [point for point in there if point.method.endswith("*")])


def _next_best(points: Points) -> list[Check]:
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
            found.append(duel(min(strong, key=_value), min(others, key=_value)))
    return found


def _cost_features(points: Points) -> list[Check]:
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
            found.append(Check(said, holds, ratio.value, ratio.unfinished, point.dataset))
    return found


def _swapped_nodes(points: Points) -> list[Check]:
    """GraphEdX beside NodeSwap, both with XOR or both without."""
    there = list(some(points, "edge-ged"))
    return [
        check
        for kind in ("+ XOR", "w/o XOR")
        for check in duels(
            some(there, "edge-ged", method=f"{OURS} {kind}"), some(there, "edge-ged", method=f"NodeSwap {kind}")
        )
    ]


def _transferred(points: Points) -> list[Check]:
    """Trained elsewhere, GraphEdX beside the baselines."""
    there = [point for point in some(points, "zero-shot") if point.table != f"zero-shot-{point.dataset}"]
    return duels([point for point in there if point.method == OURS], there)


def _solvers(points: Points, limit: float) -> list[Check]:
    """GraphEdX beside the paper's combinatorial methods, each with the most time up to a limit."""
    given: dict[tuple[str, str, str], Point] = {}
    for point in _limited(points, limit):
        if point.method in _SOLVERS:
            key = (point.method, point.dataset, point.costs)
            given[key] = max(given.get(key, point), point, key=lambda one: one.limit or 0.0)
    return _neural_beside(points, given.values())


def _search(points: Points, limit: float) -> list[Check]:
    """GraphEdX beside the best that any method, also ours, has found up to a limit."""
    best: dict[tuple[str, str], Point] = {}
    for point in _limited(points, limit):
        key = (point.dataset, point.costs)
        best[key] = min(best.get(key, point), point, key=_value)
    return _neural_beside(points, best.values())


def _limited(points: Points, limit: float) -> Iterator[Point]:
    for point in points:
        known = point.value is not None and point.limit is not None and point.limit <= limit
        if known and point.table == "time-limit" and point.metric == "mse":
            yield point


def _neural_beside(points: Points, solved: Iterable[Point]) -> list[Check]:
    neural = {(point.dataset, point.costs): point for point in some(points, "baselines", method=OURS)}
    found = []
    for point in solved:
        own = neural.get((point.dataset, point.costs))
        if own is not None and own.value is not None:
            found.append(duel(own, point._replace(method=f"{point.method} in {point.limit:g} s")))
    return found


def _faster(points: Points, quick: Collection[str], slow: Collection[str]) -> list[Check]:
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


_OF_THEIRS = "In the median, its error is {} times theirs."

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "GraphEdX has a lower mean squared error than every baseline, under both costs.",
        ("baselines",),
        _beats_the_others("baselines"),
        _OF_THEIRS,
        each=True,
    ),
    Claim(
        "GraphEdX orders pairs better (Kendall's tau) than every baseline.",
        ("baselines",),
        _beats_the_others("baselines", "kendall_tau"),
        "In the median, its tau is {} times theirs.",
        each=True,
    ),
    Claim(
        "No baseline is clearly next to GraphEdX, but on most datasets it is ERIC or EGSC.",
        ("baselines",),
        _next_best,
        "In the median, the better of them has {} times the error of the best other one.",
        need=MOST,
    ),
    Claim(
        "The advantage of GraphEdX is larger under non-uniform costs: errors of baselines grow by a larger factor.",
        ("baselines",),
        _breaks_under_costs,
        "In the median, their factor is {} times its own.",
    ),
    Claim(
        "Variants with XOR-DiffAlign on the edges beat those without it that have the same surrogate for nodes.",
        ("combinations",),
        _xor_on_edges,
        _OF_THEIRS,
    ),
    Claim(
        "The best of the nine combinations has XOR-DiffAlign on the edges.",
        ("combinations",),
        _best_has_xor,
        "In the median, the best with it has {} times the error of the best without.",
    ),
    Claim(
        f"Without substitutions costs only scale the problem: errors under non-uniform costs are {COST_RATIO} times "
        "those under uniform ones (our reading of the paper's tables; within a quarter).",
        ("combinations",),
        _near_the_ratio,
        "The median is {}.",
    ),
    Claim(
        "A cost-guided score repairs baselines that have another, above all under non-uniform costs.",
        ("cost-guided",),
        _repaired,
        "In the median, the error is {} times that with their own score.",
    ),
    Claim(
        "GraphEdX beats baselines that have the cost-guided score, too.", ("cost-guided",), _beats_guided, _OF_THEIRS
    ),
    Claim(
        "Costs as features help baselines in some cases only: most of their errors stay within a quarter (our reading "
        "of the paper's table).",
        ("costs-unseen", "baselines"),
        _cost_features,
        "In the median, the error with costs is {} times that without.",
        need=MOST,
    ),
    Claim(
        "Where relabelling nodes costs, GraphEdX beats every baseline.",
        ("node-substitution",),
        _beats_the_others("node-substitution"),
        _OF_THEIRS,
        each=True,
    ),
    Claim(
        "Representing all pairs of nodes beats representing edges only.",
        ("edge-only",),
        _beats_the_others("edge-only"),
        _OF_THEIRS,
    ),
    Claim(
        "MAX and MAX-OR come close to GraphEdX, which beats them by a small margin.",
        ("max",),
        _beats_the_others("max"),
        _OF_THEIRS,
    ),
    Claim(
        "Alignments that are consistent by design beat a regulariser that asks for it, in most cases.",
        ("regularizer",),
        _beats_the_others("regularizer"),
        _OF_THEIRS,
        need=MOST,
    ),
    Claim(
        "For edge edits, aligning edges beats aligning nodes only (NodeSwap).",
        ("edge-ged",),
        _swapped_nodes,
        _OF_THEIRS,
    ),
    Claim(
        "Trained on another dataset, GraphEdX is better on AIDS than baselines that were trained on that one.",
        ("zero-shot",),
        _transferred,
        _OF_THEIRS,
    ),
    Claim(
        "In the time of a neural guess (0.1 ms), combinatorial methods are far worse than GraphEdX.",
        ("time-limit", "baselines"),
        lambda points: _solvers(points, _NEURAL_SECONDS),
        _OF_THEIRS,
    ),
    Claim(
        "In 100,000 times the time of a neural guess (10 s), most combinatorial methods still are worse.",
        ("time-limit", "baselines"),
        lambda points: _solvers(points, _LONG_SECONDS),
        _OF_THEIRS,
        need=MOST,
    ),
    Claim(
        "Search is too slow to reach GraphEdX's error in 10 ms a pair (the paper's premise).",
        ("time-limit", "baselines"),
        lambda points: _search(points, _SEARCH_SECONDS),
    ),
    Claim(
        "GMN-Embed, GREED, ERIC and EGSC guess faster than GraphEdX.",
        ("inference-time",),
        lambda points: _faster(points, _FAST, [OURS]),
        "In the median, they take {} times its time.",
        each=True,
    ),
    Claim(
        "GraphEdX guesses faster than GMN-Match, SimGNN, H2MN and GraphSim.",
        ("inference-time",),
        lambda points: _faster(points, [OURS], _SLOW),
        "In the median, it takes {} times their time.",
        each=True,
    ),
)
