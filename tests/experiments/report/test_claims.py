"""Claims: decided three ways, by numbers that can be told apart and are final; the paper agrees with itself."""

import pytest

from experiments.report.made_up import DATASETS, METHODS, baselines, cell, kept, scored, trained
from experiments.samples import row_of
from graphedx.experiments import (
    Cell,
    Experiment,
    Reported,
    Solve,
    Statistics,
    Train,
    experiments,
    jobs_of,
    paper,
    settings,
)
from graphedx.experiments.report.claims import CLAIMS, judged
from graphedx.experiments.report.evidence import Check, Point, decided, our_points, within

BEST, LIMITED = CLAIMS[0], "100,000 times"


def about(words):
    [claim] = [claim for claim in CLAIMS if words in claim.sentence]
    return claim


def decision(tables, rows, claim=BEST):
    [found] = [one.ours for one in judged(tables, rows) if one.claim is claim]
    return found


def paper_points():
    return [
        Point(*where, "", None, said.value, said.stderr or 0.0)
        for where, said in (
            ((table, method, costs, dataset, metric), paper.reported(table, method, costs, dataset, metric))
            for table in paper.tables()
            for method in paper.methods(table)
            for costs in ("uniform", "non-uniform", "labelled", "edge-only")
            for dataset in ("mutagenicity", "code2", "molhiv", "molpcba", "aids", "linux", "yeast")
            for metric in ("mse", "kendall_tau")
        )
        if said is not None
    ]


POINTS = paper_points()
OF_TIME = ("time-limit", "inference-time", "properties")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.sentence[:40])
def test_the_paper_confirms_itself_where_it_has_numbers(claim):
    checks = (claim.paper or claim.checks)(POINTS)
    assert claim.stated == bool(set(claim.experiments) & set(OF_TIME))
    if claim.stated:
        assert not checks  # the paper has figures and sentences only
    else:
        assert decided(checks, claim.about, claim.need).verdict == "confirmed"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.sentence[:40])
def test_without_rows_or_experiments_all_is_open(claim, tmp_path):
    assert decision([], kept(tmp_path), claim)[:2] == ("open", "Nothing can be compared yet.")
    assert decision([baselines()], kept(tmp_path, row_of(Statistics("aids"), {"graphs": 1})), claim).verdict == "open"
    assert claim.sentence.endswith(".") and claim.experiments


def test_confirmed_contradicted_and_open(tmp_path):
    worse = {"GMN-Match": 3.0, "GREED": 2.0, "ERIC": 2.0}
    found = decision([baselines()], scored(tmp_path / "a", worse | {"GraphEdX": 1.0}))
    assert found.verdict == "confirmed"
    told = "Holds in 6 of 6 comparisons on linux, code2 ‡. In the median, its error is 0.500 times theirs."
    assert found.because == told
    assert found.checks[0].said == "linux, uniform: GraphEdX 1 < GMN-Match 3"
    found = decision([baselines()], scored(tmp_path / "b", worse | {"GraphEdX": 4.0}))
    assert (found.verdict, found.because[:24]) == ("contradicted", "Holds in 0 of 6 comparis")
    found = decision([baselines()], scored(tmp_path / "c", worse | {"GraphEdX": 2.5, "ERIC": 2.8}))
    assert (found.verdict, found.because[:24]) == ("open", "Holds in 4 of 6 comparis")  # mixed
    found = decision([baselines()], scored(tmp_path / "d", {"GREED": 2.0, "GraphEdX": 1.0}))
    assert (found.verdict, len(found.checks)) == ("open", 2)  # too little


def test_what_is_too_close_or_not_final_does_not_decide(tmp_path):
    scored(tmp_path, {"GMN-Match": 3.0, "GREED": 1.0, "ERIC": 2.0, "GraphEdX": 1.0})
    rows = scored(tmp_path, {"ERIC": 2.0}, stopped_early=False)
    found = decision([baselines()], rows)
    assert found.verdict == "open"
    assert found.because.startswith(
        "Holds in 2 of 2 comparisons on linux, code2 ‡; nothing to count of ERIC, GREED; 2 too close to tell; "
        "2 with numbers that are not final (2 of them hold so far)."
    )
    rows = scored(tmp_path, {"ERIC": 0.5}, stopped_early=False)  # it is ahead, but of another budget
    against = [check for check in decision([baselines()], rows).checks if "ERIC" in check.said]
    assert [(check.holds, check.unfinished) for check in against] == [(False, True)] * 2


def test_no_verdict_where_the_papers_own_numbers_say_the_opposite(tmp_path):
    claim, table = about("it is ERIC or EGSC"), experiments()["baselines"]
    values = {"gmn_match": 1.0, "graphedx": 0.5}

    def verdict(folder, dataset):
        jobs = [job for job in jobs_of([table], [dataset]) if isinstance(job, Train)]
        scored = (trained(job, values.get(job.model, 2.0), mse_stderr=0.0) for job in jobs)
        return decision([table], kept(tmp_path / folder, *scored), claim)

    found = verdict("linux", "linux")  # where GMN-Match and ISONET are next in the paper, too
    assert (found.verdict, [check.holds for check in found.checks]) == ("open", [False, False])
    assert "2 not counted, since the paper's own numbers there do not say so" in found.because
    for dataset in ("mutagenicity", "molhiv"):
        found = verdict("others", dataset)
    assert (found.verdict, [check.holds for check in found.checks]) == ("contradicted", [False] * 4)


def test_a_verdict_needs_a_dataset_of_the_papers_own_graphs():
    checks = [Check("", True, 1.0, dataset=name) for name in ("code2", "code2", "code2", "linux")]
    assert decided(checks[:3], marked={"code2"}).verdict == "open"
    assert decided(checks, marked={"code2"}).verdict == "confirmed"


def test_all_pairs_beside_edges_only_have_the_same_terms(tmp_path):
    claim = about("edges only (ours: the same terms")
    tables = [experiments()["edge-only"], experiments()["combinations"]]
    jobs = [job for job in jobs_of(tables, ["linux"]) if isinstance(job, Train)]
    jobs += [job for job in jobs_of(tables, ["mutagenicity"]) if isinstance(job, Train)]

    def error(job):
        given = dict(job.settings)
        if "variant" in given:
            return 1.0
        return 2.0 if (given["edge_term"], given["node_term"]) == ("align_diff", "align_diff") else 0.1

    rows = kept(tmp_path, *(trained(job, error(job), mse_stderr=0.0) for job in jobs))
    found = decision(tables, rows, claim)
    assert [check.holds for check in found.checks] == [False] * 8  # though the best of nine is ahead
    assert found.checks[0].between == ("AlignDiff / AlignDiff", "Edge-only (edge-edge)")
    assert found.verdict == "contradicted"


def test_properties_are_decided_by_measurements(tmp_path):
    table = experiments()["properties"]
    jobs = [job for job in table.jobs if job.train.dataset == "linux"]
    outcome = {"plan_gap": 0.165, "estimate_gap": 1.38, "bound_excess": 0.4, "stochastic_bound_excess": 1e-7}
    outcome |= {"index_gap": 1e-6, "row_gap": 0.3, "validation": 1.0}
    rows = [trained(job.train, 1.0) for job in jobs] + [row_of(job, outcome) for job in jobs]
    found = {one.claim.sentence: one.ours.verdict for one in judged([table], kept(tmp_path, *rows))}
    words = ("P' = Pᵀ", "is symmetric", "soft permutations", "late interaction")
    verdicts = [next(found[sentence] for sentence in found if word in sentence) for word in words]
    assert verdicts == ["contradicted", "contradicted", "confirmed", "confirmed"]


def test_a_margin_is_more_than_being_ahead(tmp_path):
    claim, table = about("significant margin"), experiments()["baselines"]

    def holds(folder, ours):
        jobs = [job for job in jobs_of([table], ["linux"]) if isinstance(job, Train)]
        scored = (trained(job, ours if job.model == "graphedx" else 1.0, mse_stderr=0.0) for job in jobs)
        return [check.holds for check in decision([table], kept(tmp_path / folder, *scored), claim).checks]

    assert holds("ahead", 0.9) == [False, False]
    assert holds("clear", 0.8) == [True, True]


def test_a_method_has_the_better_of_its_bounds(tmp_path):
    models, table = baselines(), limited("branch")
    scored(tmp_path, {"GraphEdX": 1.0}, ["linux"])
    for mse in (9.0, 0.1):
        rows = kept(tmp_path, *(row_of(job, {"mse": mse}) for job in table.jobs))
        [check] = decision([models, table], rows, about(LIMITED)).checks
        assert check.unfinished  # its lower bound is not known
    rows = kept(tmp_path, *(row_of(job, {"mse": 9.0, "lower_mse": 0.5}) for job in table.jobs))
    [check] = decision([models, table], rows, about(LIMITED)).checks
    assert (check.holds, check.said) == (False, "linux, uniform: GraphEdX 1 > branch (lower bound) in 10 s 0.500")
    assert not check.unfinished


def test_rows_beyond_the_paper_are_no_part_of_its_claims(tmp_path):
    exact = Solve("linux", "uniform", "exact", None, None)
    own = Cell(row="exact", column="linux", panel="uniform", seeds=((exact,),))
    scored(tmp_path, dict.fromkeys(METHODS, 2.0) | {"GraphEdX": 1.0})
    rows = kept(tmp_path, row_of(exact, {"mse": 0.0}))
    table = baselines(own)
    assert any(point.method == "exact" for point in our_points([table], rows))
    assert not any("exact" in check.said for check in decision([table], rows).checks)


def test_a_number_that_two_tables_share_counts_once(tmp_path):
    rows = scored(tmp_path, dict.fromkeys(METHODS, 2.0) | {"GraphEdX": 1.0})
    again = baselines(name="again")
    assert len(decision([baselines(), again], rows).checks) == 6


def test_errors_that_grow_with_the_costs(tmp_path):
    table = baselines(costs=("uniform", "non-uniform"))
    scored(tmp_path, dict.fromkeys(METHODS, 1.0))
    rows = scored(tmp_path, {"GMN-Match": 9.0, "GREED": 9.0, "ERIC": 2.0, "GraphEdX": 2.25}, costs="non-uniform")
    claim = about("grow by a larger factor")
    found = decision([table], rows, claim)
    assert [check.holds for check in found.checks] == [True, True, False] * len(DATASETS)
    assert found.checks[0].said == "linux: GMN-Match × 9, GraphEdX × 2.250"
    apart = zip(cell("GREED", "linux").seeds, (0.1, 6.0), strict=True)
    rows = kept(tmp_path, *(trained(group[0], mse) for group, mse in apart))
    known = {check.said.split()[1]: check.holds for check in decision([table], rows, claim).checks[:3]}
    assert known == {"GMN-Match": True, "GREED": None, "ERIC": False}  # its seeds differ by more than that


def limited(*methods, metrics=("mse", "lower_mse")):
    """Methods at two limits, on Linux under both costs."""
    return Experiment(
        name="time-limit",
        title="",
        about="",
        cells=tuple(
            Cell(
                row=f"{method}, {metric}",
                column=f"{limit}",
                panel=costs,
                metric=metric,
                seeds=((Solve("linux", costs, method, limit),),),
            )
            for metric in metrics
            for costs in ("uniform", "non-uniform")
            for method in methods
            for limit in (1e-4, 10.0)
        ),
    )


def test_methods_have_the_time_that_the_claim_gives_them(tmp_path):
    six = ("anchor_aware", "branch_tight", "f2", "bipartite")
    table, models = limited("ipfp", "branch", "exact", *six), baselines(costs=("uniform", "non-uniform"))
    for costs in ("uniform", "non-uniform"):
        scored(tmp_path, {"GraphEdX": 1.0}, ["linux"], costs)
    errors = {("ipfp", 1e-4): 5.0, ("ipfp", 10.0): 0.0, ("branch", 1e-4): 9.0, ("branch", 10.0): 9.0}
    errors |= {("exact", 1e-4): 0.5, ("exact", 10.0): 0.0}
    errors |= {(name, limit): 9.0 if limit < 1 else 0.1 for name in six for limit in (1e-4, 10.0)}
    scores = {job: errors[job.method, job.limit] for job in table.jobs}
    rows = kept(tmp_path, *(row_of(job, {"mse": mse, "lower_mse": mse + 1}) for job, mse in scores.items()))
    quick, long = (decision([models, table], rows, about(words)) for words in ("a neural guess (0.1 ms)", LIMITED))
    assert (quick.verdict, [check.holds for check in quick.checks]) == ("confirmed", [True] * 12)
    assert long.verdict == "contradicted"
    ahead = [check.between[1] for check in long.checks if check.holds]
    assert (len(long.checks), ahead) == (12, ["branch in 10 s"] * 2)
    search = decision([models, table], rows, about("10 ms a pair"))
    assert [check.holds for check in search.checks] == [False, False]
    assert search.checks[0].said == "linux, uniform: GraphEdX 1 > exact in 0.0001 s 0.500"


def test_both_numbers_have_to_be_final(tmp_path):
    table, models = limited("exact"), baselines()
    scored(tmp_path, {"GraphEdX": 1.0}, ["linux"], stopped_early=False)
    rows = kept(tmp_path, *(row_of(job, {"mse": 0.0}) for job in table.jobs))
    [search] = decision([models, table], rows, about("10 ms a pair")).checks
    assert (search.holds, search.unfinished) == (False, True)  # or comparisons would count for one side only
    alone = trained(cell("GREED", "linux").seeds[0][0], 2.0)
    [check] = decision([models], kept(tmp_path, alone)).checks
    assert (check.holds, check.unfinished) == (True, True)  # the other seed may say something else
    both = trained(cell("GREED", "linux").seeds[1][0], 2.1)
    [check] = decision([models], kept(tmp_path, both)).checks
    assert (check.holds, check.unfinished) == (True, True)  # GraphEdX was cut short
    [check] = decision([models], scored(tmp_path, {"GraphEdX": 1.0}, ["linux"])).checks
    assert (check.holds, check.unfinished) == (True, False)


def test_a_claim_about_every_method_fails_with_one_of_them():
    def checks(**holds):
        return [Check("", k < n, 1.0, between=("ours", name)) for name, n in holds.items() for k in range(4)]

    good, mixed = checks(a=4, b=4, c=4), checks(a=4, b=4, c=4, d=1)
    assert decided(mixed).verdict == "confirmed"
    found = decided(mixed, each=True)
    assert (found.verdict, found.because) == (
        "contradicted",
        "Holds in 13 of 16 comparisons; not for ours and d (1 of 4).",
    )
    assert decided(good, each=True).verdict == "confirmed"
    assert decided(mixed[:14], each=True).verdict == "confirmed"  # two are too few


def test_a_claim_about_every_method_is_not_confirmed_while_one_is_missing():
    checks = [Check("", True, 1.0, between=("ours", name)) for name in ("a", "a", "b")]
    found = decided(checks, each=True, methods="abc")
    assert (found.verdict, found.because) == ("open", "Holds in 3 of 3 comparisons; nothing to count of c.")
    assert decided(checks, each=True, methods="ab").verdict == "confirmed"
    behind = [Check("", False, 1.0, between=("ours", "a in 10 s"))] * 3
    assert decided(behind, methods="ab").verdict == "open"  # one of two says nothing of most
    assert decided(behind, methods="a").verdict == decided(behind, each=True, methods="ab").verdict == "contradicted"


def test_a_number_near_a_threshold_is_too_close_to_tell():
    assert [within(2.0, error, 1.0, 2.5) for error in (0.0, 0.5, 0.6)] == [True, True, None]
    assert [within(3.0, error, 1.0, 2.5) for error in (0.0, 0.4, 0.5)] == [False, False, None]


def test_costs_that_baselines_do_not_see(tmp_path):
    seen = [cell(method, dataset, "non-uniform") for method in ("GREED", "ERIC") for dataset in DATASETS]
    unseen = [
        Cell(
            row=f"{one.row}, costs unseen",
            column=one.column,
            seeds=((Train(one.column, "non-uniform", METHODS[one.row], settings(cost_features=False)),),),
            paper=Reported("costs-unseen", one.row, "non-uniform", one.column, "mse"),
        )
        for one in seen
    ]
    table = Experiment(name="costs-unseen", title="", about="", cells=(*seen, *unseen))
    rows = kept(
        tmp_path,
        *(trained(group[0], 1.0) for one in seen for group in one.seeds),
        *(trained(one.seeds[0][0], 1.1, mse_stderr=0.0) for one in unseen),
    )
    found = decision([table], rows, about("in some cases only"))
    assert [(check.holds, check.unfinished) for check in found.checks] == [(True, False)] * 4
    assert found.checks[0].said == "linux, non-uniform: GREED 1, without costs 1.100"


def test_a_verdict_needs_a_share():
    def of(holds, fails, **how):
        return decided([Check("", True, 1.0)] * holds + [Check("", False, 1.0)] * fails, **how).verdict

    assert [of(8, 2), of(7, 3), of(5, 5), of(2, 0), of(3, 0)] == [
        "confirmed",
        "open",
        "contradicted",
        "open",
        "confirmed",
    ]
    assert of(7, 3, need=0.6) == "confirmed"


def test_a_verdict_says_on_which_datasets_it_rests():
    checks = [Check("", True, 1.0, dataset=name) for name in ("linux", "aids", "linux")]
    assert decided(checks).because == "Holds in 3 of 3 comparisons on linux, aids."
    assert decided(checks[:1]).because == "Holds in 1 of 1 comparison on linux only."
