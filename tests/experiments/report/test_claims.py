"""Claims: decided three ways, by numbers that can be told apart and are final; the paper agrees with itself."""

import pytest

from experiments.report.made_up import DATASETS, METHODS, baselines, cell, kept, scored, trained
from experiments.samples import row_of
from graphedx.experiments import Cell, Experiment, Reported, Solve, Statistics, Train, paper, settings
from graphedx.experiments.report.claims import CLAIMS, judged
from graphedx.experiments.report.evidence import Check, Point, decided, our_points, within

BEST, LIMITED = CLAIMS[0], "100,000 times"


def about(words):
    [claim] = [claim for claim in CLAIMS if words in claim.sentence]
    return claim


def decision(experiments, rows, claim=BEST):
    [found] = [one.ours for one in judged(experiments, rows) if one.claim is claim]
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
OF_TIME = ("time-limit", "inference-time")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.sentence[:40])
def test_the_paper_confirms_itself_where_it_has_numbers(claim):
    checks = claim.checks(POINTS)
    if set(claim.experiments) & set(OF_TIME):
        assert not checks  # the paper has figures only
    else:
        assert decided(checks, claim.about, claim.need).verdict == "confirmed"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.sentence[:40])
def test_without_rows_or_experiments_all_is_open(claim, tmp_path):
    assert decision([], kept(tmp_path), claim)[:2] == ("open", "Nothing of it has been computed.")
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
        "Holds in 2 of 2 comparisons on linux, code2 ‡; 2 too close to tell; "
        "2 with numbers that are not final (2 of them hold so far)."
    )
    rows = scored(tmp_path, {"ERIC": 0.5}, stopped_early=False)  # it wins even so
    assert [check.holds for check in decision([baselines()], rows).checks if "ERIC" in check.said] == [False, False]
    assert not any(check.unfinished for check in decision([baselines()], rows).checks)


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


def limited(*methods):
    """Methods at two limits, on Linux under both costs."""
    return Experiment(
        name="time-limit",
        title="",
        about="",
        cells=tuple(
            Cell(row=method, column=f"{limit}", panel=costs, seeds=((Solve("linux", costs, method, limit),),))
            for costs in ("uniform", "non-uniform")
            for method in methods
            for limit in (1e-4, 10.0)
        ),
    )


def test_methods_have_the_time_that_the_claim_gives_them(tmp_path):
    table, models = limited("ipfp", "branch", "exact"), baselines(costs=("uniform", "non-uniform"))
    for costs in ("uniform", "non-uniform"):
        scored(tmp_path, {"GraphEdX": 1.0}, ["linux"], costs)
    errors = {("ipfp", 1e-4): 5.0, ("ipfp", 10.0): 0.0, ("branch", 1e-4): 9.0, ("branch", 10.0): 9.0}
    errors |= {("exact", 1e-4): 0.5, ("exact", 10.0): 0.0}
    jobs = [cell.seeds[0][0] for cell in table.cells]
    rows = kept(tmp_path, *(row_of(job, {"mse": errors[job.method, job.limit]}) for job in jobs))
    quick, long = (decision([models, table], rows, about(words)) for words in ("a neural guess (0.1 ms)", LIMITED))
    assert (quick.verdict, [check.holds for check in quick.checks]) == ("confirmed", [True] * 4)
    assert (long.verdict, [check.holds for check in long.checks]) == ("contradicted", [False, True] * 2)
    search = decision([models, table], rows, about("10 ms a pair"))
    assert [check.holds for check in search.checks] == [False, False]
    assert search.checks[0].said == "linux, uniform: GraphEdX 1 > exact in 0.0001 s 0.500"


def test_no_error_is_final_and_missing_seeds_are_not(tmp_path):
    table, models = limited("exact"), baselines()
    scored(tmp_path, {"GraphEdX": 1.0}, ["linux"], stopped_early=False)
    rows = kept(tmp_path, *(row_of(cell.seeds[0][0], {"mse": 0.0}) for cell in table.cells))
    [search] = decision([models, table], rows, about("10 ms a pair")).checks
    assert (search.holds, search.unfinished) == (False, False)  # whatever else is trained
    alone = trained(cell("GREED", "linux").seeds[0][0], 2.0)
    [check] = decision([models], kept(tmp_path, alone)).checks
    assert (check.holds, check.unfinished) == (True, True)  # the other seed may say something else
    both = trained(cell("GREED", "linux").seeds[1][0], 2.1)
    [check] = decision([models], kept(tmp_path, both)).checks
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
        *(row_of(one.seeds[0][0], {"mse": 1.1}) for one in unseen),
    )
    found = decision([table], rows, about("in some cases only"))
    assert (found.verdict, len(found.checks)) == ("confirmed", 4)
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
