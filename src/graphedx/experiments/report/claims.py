"""What the paper claims, each decided from the numbers: confirmed, contradicted, or open.

A claim is about comparisons of two numbers of a table. ``RULES`` says when it is what. The same comparisons are made
with the paper's own numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from graphedx.experiments.place import SUBSTITUTES
from graphedx.experiments.report.comparisons import (
    COST_RATIO,
    MARGIN,
    OURS,
    SAME,
    SOLVERS,
    Checks,
    beats_guided,
    beats_the_others,
    best_beside,
    best_has_xor,
    breaks_under_costs,
    cost_features,
    edge_to_edge,
    faster,
    margin,
    measured_property,
    near_the_ratio,
    next_best,
    repaired,
    same_terms,
    search,
    solvers,
    swapped_nodes,
    transferred,
    xor_on_edges,
)
from graphedx.experiments.report.evidence import (
    CONFIRMED,
    CONTRADICTED,
    FEWEST,
    Decision,
    decided,
    our_points,
    paper_points,
)
from graphedx.experiments.store import Rows
from graphedx.experiments.table import Experiment

MOST = 0.6  # the share of comparisons that makes "most" of them
_FAST, _SLOW = ("GMN-Embed", "GREED", "ERIC", "EGSC"), ("GMN-Match", "SimGNN", "H2MN", "GraphSim")
_NEURAL_SECONDS, _SEARCH_SECONDS, _LONG_SECONDS = 1e-4, 1e-2, 10.0

RULES = (
    "A comparison counts if both numbers are final, if they differ by more than their standard errors, and if the "
    "paper's own numbers at the same place say what the claim says; claims for which the paper has a figure or a "
    f"sentence only are marked. A claim is confirmed if at least {CONFIRMED:.0%} of the comparisons that count hold "
    f"({MOST:.0%} if it says “most”). It is contradicted if at most {CONTRADICTED:.0%} hold, or, where it is about "
    f"several methods, at most so many for one of them. It is open if fewer than {FEWEST} count, if none of them is on "
    "a dataset of the paper's own graphs, or if it is about several methods and one of these has no comparison that "
    "counts."
)


class Claim(NamedTuple):
    """A sentence, the experiments that it rests on, and the comparisons that it makes."""

    sentence: str
    experiments: tuple[str, ...]
    checks: Checks
    about: str = ""  # what the median of the comparisons' factors says
    need: float = CONFIRMED  # the share of comparisons that have to hold
    each: bool = False  # it is about every method by itself
    paper: Checks | None = None  # the paper's own comparisons, where ours are others
    stated: bool = False  # the paper has a figure or a sentence, and no numbers
    methods: Collection[str] = ()  # of which each needs a comparison; every method of the paper's if ``each``


class Judged(NamedTuple):
    """A claim, what our numbers say, and what the paper's own say."""

    claim: Claim
    ours: Decision
    paper: Decision


def papers_words(one: Judged) -> str:
    """Return what the paper's own numbers say of a claim; that it has none, if so."""
    if one.claim.stated:
        return "No numbers: a figure or a sentence."
    return one.paper.because if one.paper.checks else ""


def judged(experiments: Iterable[Experiment], rows: Rows) -> list[Judged]:
    """Decide all claims by the rows that are there; the experiments are of one protocol."""
    known = list(experiments)
    ours, papers = our_points(known, rows), paper_points(known)
    found = []
    for claim in CLAIMS:
        theirs = (claim.paper or claim.checks)(papers)
        agreed = None if claim.stated else {check.place for check in theirs if check.holds}
        how = (claim.about, claim.need)
        methods = {check.between[1] for check in theirs} if claim.each else claim.methods
        own = decided(claim.checks(ours), *how, each=claim.each, marked=SUBSTITUTES, agreed=agreed, methods=methods)
        found.append(Judged(claim, own, decided(theirs, *how, each=claim.each)))
    return found


_OF_THEIRS = "In the median, its error is {} times theirs."

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "GraphEdX has a lower mean squared error than every baseline, under both costs.",
        ("baselines",),
        beats_the_others("baselines"),
        _OF_THEIRS,
        each=True,
    ),
    Claim(
        "GraphEdX orders pairs better (Kendall's tau) than every baseline.",
        ("baselines",),
        beats_the_others("baselines", "kendall_tau"),
        "In the median, its tau is {} times theirs.",
        each=True,
    ),
    Claim(
        "No baseline is clearly next to GraphEdX, but on most datasets it is ERIC or EGSC.",
        ("baselines",),
        next_best,
        "In the median, the better of them has {} times the error of the best other one.",
        need=MOST,
    ),
    Claim(
        f"GraphEdX beats the best baseline by a significant margin on most datasets: by {MARGIN:.0%} of its error or "
        "more (our reading of “often as high as 15%”).",
        ("baselines",),
        margin,
        "In the median, its error is {} times that of the best baseline.",
        need=MOST,
    ),
    Claim(
        "The advantage of GraphEdX is larger under non-uniform costs: errors of baselines grow by a larger factor.",
        ("baselines",),
        breaks_under_costs,
        "In the median, their factor is {} times its own.",
    ),
    Claim(
        "Variants with XOR-DiffAlign on the edges beat those without it that have the same surrogate for nodes.",
        ("combinations",),
        xor_on_edges,
        _OF_THEIRS,
    ),
    Claim(
        "The best of the nine combinations has XOR-DiffAlign on the edges.",
        ("combinations",),
        best_has_xor,
        "In the median, the best with it has {} times the error of the best without.",
    ),
    Claim(
        f"Without substitutions costs only scale the problem: errors under non-uniform costs are {COST_RATIO} times "
        "those under uniform ones (our reading of the paper's tables; within a quarter).",
        ("combinations",),
        near_the_ratio,
        "The median is {}.",
    ),
    Claim(
        "A cost-guided score repairs baselines that have another, above all under non-uniform costs.",
        ("cost-guided",),
        repaired,
        "In the median, the error is {} times that with their own score.",
    ),
    Claim("GraphEdX beats baselines that have the cost-guided score, too.", ("cost-guided",), beats_guided, _OF_THEIRS),
    Claim(
        "Costs as features help baselines in some cases only: most of their errors stay within a quarter (our reading "
        "of the paper's table).",
        ("costs-unseen", "baselines"),
        cost_features,
        "In the median, the error with costs is {} times that without.",
        need=MOST,
    ),
    Claim(
        "Where relabelling nodes costs, GraphEdX beats every baseline.",
        ("node-substitution",),
        beats_the_others("node-substitution"),
        _OF_THEIRS,
        each=True,
    ),
    Claim(
        "Representing all pairs of nodes beats representing edges only (ours: the same terms on both sides).",
        ("edge-only", "combinations"),
        same_terms("edge-only"),
        _OF_THEIRS,
        paper=best_beside("edge-only"),
    ),
    Claim(
        "Of the two that represent edges only, edge-edge beats pair-pair.",
        ("edge-only",),
        edge_to_edge,
        _OF_THEIRS,
    ),
    Claim(
        "MAX and MAX-OR come close to GraphEdX, which beats them by a small margin (ours: beside one combination, "
        "XOR-DiffAlign / AlignDiff).",
        ("max", "combinations"),
        same_terms("max"),
        _OF_THEIRS,
        paper=best_beside("max"),
    ),
    Claim(
        "Alignments that are consistent by design beat a regulariser that asks for it, in most cases (ours: the same "
        "terms on both sides).",
        ("regularizer", "combinations"),
        same_terms("regularizer"),
        _OF_THEIRS,
        need=MOST,
        paper=best_beside("regularizer"),
    ),
    Claim(
        "For edge edits, aligning edges beats aligning nodes only (NodeSwap).",
        ("edge-ged",),
        swapped_nodes,
        _OF_THEIRS,
    ),
    Claim(
        "Trained on another dataset, GraphEdX is better on AIDS than baselines that were trained on that one.",
        ("zero-shot",),
        transferred,
        _OF_THEIRS,
    ),
    Claim(
        "In the time of a neural guess (0.1 ms), combinatorial methods are far worse than GraphEdX.",
        ("time-limit", "baselines"),
        lambda points: solvers(points, _NEURAL_SECONDS),
        _OF_THEIRS,
        stated=True,
        methods=SOLVERS,
    ),
    Claim(
        "In 100,000 times the time of a neural guess (10 s), most combinatorial methods still are worse.",
        ("time-limit", "baselines"),
        lambda points: solvers(points, _LONG_SECONDS),
        _OF_THEIRS,
        need=MOST,
        stated=True,
        methods=SOLVERS,
    ),
    Claim(
        "Search is too slow to reach GraphEdX's error in 10 ms a pair (the paper's premise).",
        ("time-limit", "baselines"),
        lambda points: search(points, _SEARCH_SECONDS),
        stated=True,
    ),
    Claim(
        "GMN-Embed, GREED, ERIC and EGSC guess faster than GraphEdX.",
        ("inference-time",),
        lambda points: faster(points, _FAST, [OURS]),
        "In the median, they take {} times its time.",
        each=True,
        stated=True,
    ),
    Claim(
        "GraphEdX guesses faster than GMN-Match, SimGNN, H2MN and GraphSim.",
        ("inference-time",),
        lambda points: faster(points, [OURS], _SLOW),
        "In the median, it takes {} times their time.",
        each=True,
        stated=True,
    ),
    Claim(
        "P' = Pᵀ by design: aligning the graphs the other way round gives the transposed alignment (within 0.001).",
        ("properties",),
        measured_property("plan_gap", most=SAME),
        "In the median, the largest entry of |P' - Pᵀ| is {}.",
        stated=True,
    ),
    Claim(
        "Under uniform costs the estimate is symmetric in the two graphs (within 0.001).",
        ("properties",),
        measured_property("estimate_gap", most=SAME, costs="uniform"),
        "In the median, the two estimates of a pair differ by up to {}.",
        stated=True,
    ),
    Claim(
        "DiffAlign is an upper bound on AlignDiff for soft permutations (ours: P and S of the model, rows divided by "
        "their sums; within 0.001).",
        ("properties",),
        measured_property("stochastic_bound_excess", most=SAME),
        "In the median, AlignDiff exceeds DiffAlign by up to a share of {}.",
        stated=True,
    ),
    Claim(
        "Graphs are encoded independently of each other (late interaction), so that their vectors can be computed and "
        "indexed beforehand (within 0.001).",
        ("properties",),
        measured_property("index_gap", most=SAME),
        "In the median, estimates from vectors that were computed beforehand differ by up to {}.",
        stated=True,
    ),
)
