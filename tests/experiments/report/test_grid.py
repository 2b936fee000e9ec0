"""Tables of a report: what stands in a cell, and which are the best of a column."""

import pytest

from experiments.report.made_up import METHODS, baselines, cell, kept, scored, trained
from experiments.samples import row_of
from graphedx.experiments import Cell, Experiment, Solve, Statistics, Train
from graphedx.experiments.report.grid import grids
from graphedx.experiments.report.summary import Part, facts, rows_of
from graphedx.experiments.report.words import notes, number, paper, paper_error, spread, staleness, state


def entry(table, rows, row, column="linux"):
    [grid] = grids(table, rows)
    return grid.entries[row, column]


def ranks(table, rows, column="linux"):
    [grid] = grids(table, rows)
    return {row: grid.entries[row, column].rank for row in grid.rows if (row, column) in grid.entries}


def test_best_and_second_best_of_a_column(tmp_path):
    rows = scored(tmp_path, {"GMN-Match": 3.0, "GREED": 2.0, "ERIC": 2.0, "GraphEdX": 1.0}, ["linux"])
    assert ranks(baselines(), rows) == {"GMN-Match": "", "GREED": "second", "ERIC": "second", "GraphEdX": "best"}
    assert set(ranks(baselines(), rows, "code2").values()) == {""}
    higher = baselines(better="higher")
    assert ranks(higher, rows) == {"GMN-Match": "best", "GREED": "second", "ERIC": "second", "GraphEdX": ""}
    assert set(ranks(baselines(better="none"), rows).values()) == {""}
    assert entry(baselines(), rows, "GraphEdX").paper_rank == "best"  # the paper's own, among these rows
    assert entry(baselines(), rows, "GMN-Match").paper_rank == "second"


def test_of_two_there_is_no_second_and_one_alone_is_not_the_best(tmp_path):
    rows = scored(tmp_path, {"GREED": 2.0}, ["linux"])
    assert set(ranks(baselines(), rows).values()) == {""}
    rows = scored(tmp_path, {"ERIC": 3.0}, ["linux"])
    assert ranks(baselines(), rows) == {"GMN-Match": "", "GREED": "best", "ERIC": "", "GraphEdX": ""}


def test_what_the_paper_lacks_stands_below_and_outside_the_ranking(tmp_path):
    exact = Solve("linux", "uniform", "exact", None, None)
    own = Cell(row="exact", column="linux", panel="uniform", seeds=((exact,),))
    table = baselines(cells=(own, *baselines().cells))
    scored(tmp_path, dict.fromkeys(METHODS, 2.0) | {"GREED": 1.0}, ["linux"])
    rows = kept(tmp_path, row_of(exact, {"mse": 0.0}))
    [grid] = grids(table, rows)
    assert grid.rows[-1] == "exact" and grid.beyond == {"exact"}
    assert ranks(table, rows)["GREED"] == "best" and ranks(table, rows)["exact"] == ""
    alone = Experiment(name="t", title="", about="", cells=(own, cell("GREED", "linux")))
    assert ranks(alone, rows) == {"exact": "best", "GREED": ""}  # a table of ours, with one row for comparison


def test_nothing_is_silently_missing(tmp_path):
    first, second = (group[0] for group in cell("GREED", "linux").seeds)
    diverged = row_of(cell("ERIC", "linux").seeds[0][0], error="diverged " + "x" * 100)
    rows = kept(tmp_path, trained(first, 1.2345, epochs=200, stopped_early=False), diverged)
    found = entry(baselines(), rows, "GREED")
    assert (spread(found), notes(found)) == ("± 0.012", ["1 of 2 seeds", "✂ 200 epochs"])
    assert (state(entry(baselines(), rows, "GMN-Match")), notes(entry(baselines(), rows, "ERIC"))) == ("not run", [])
    assert state(entry(baselines(), rows, "ERIC")).startswith("failed: diverged xxx")
    assert len(state(entry(baselines(), rows, "ERIC"))) < 70
    found = entry(baselines(), kept(tmp_path, trained(second, 1.0)), "GREED")
    assert (spread(found), notes(found)) == ("± 0.117, 2 seeds", ["✂ 200 epochs"])


def test_the_papers_number_and_whether_it_is_of_other_graphs(tmp_path):
    rows = kept(tmp_path)
    found = entry(baselines(), rows, "GREED")
    assert (paper(found), paper_error(found)[:2]) == ("1.331", "± ")
    assert not found.substitutes
    assert entry(baselines(), rows, "GREED", "code2").substitutes == {"code2"}
    assert paper(entry(baselines(), rows, "GREED", "code2")) == "1.869"  # its column says what it is
    elsewhere = baselines(cells=(cell("ERIC", "code2", column="from there"),))
    assert paper(entry(elsewhere, rows, "ERIC", "from there")) == "1.363 ‡"


def test_marks_are_never_across_budgets(tmp_path):
    final = {"GMN-Match": 3.0, "GREED": 2.0}
    scored(tmp_path, final, ["linux"])
    rows = scored(tmp_path, {"ERIC": 1.0, "GraphEdX": 0.5}, ["linux"], stopped_early=False)
    assert ranks(baselines(), rows) == {"GMN-Match": "", "GREED": "best", "ERIC": "", "GraphEdX": ""}
    assert entry(baselines(), rows, "GraphEdX").found.status == "cut short"
    for folder, epochs, best in (("same", 20, "best"), ("other", 25, "")):
        scored(tmp_path / folder, {"GREED": 2.0, "ERIC": 1.0}, ["linux"], stopped_early=False, epochs=20)
        rows = scored(tmp_path / folder, {"GraphEdX": 0.5}, ["linux"], stopped_early=False, epochs=epochs)
        assert ranks(baselines(), rows)["GraphEdX"] == best


def test_stale_rows_are_said_and_counted(tmp_path):
    jobs = [Train("linux", "uniform", "greed", (), seed) for seed in range(3)]
    same = [trained(job, 1.0) for job in jobs]
    assert staleness(same) == ""
    old = [trained(Train("linux", "uniform", "gmn_match", (), seed), 1.0, version=1) for seed in range(2)]
    assert staleness([*same, *old]) == "2 rows of an older results version do not count: gmn_match 2."
    rows = kept(tmp_path, *old)
    found = entry(baselines(), rows, "GMN-Match")
    assert (state(found), found.found.status, found.rank) == ("not run (stale)", "not run", "")


def test_the_summary_counts(tmp_path):
    scored(tmp_path, {"GREED": 1.0, "ERIC": 2.0}, ["linux"])
    first = cell("GraphEdX", "linux").seeds[0][0]
    rows = kept(
        tmp_path, trained(first, 1.0, machine="other", date="2025-02-01"), row_of(Statistics("aids"), error="x")
    )
    table = baselines()
    part = Part(table, grids(table, rows), rows_of(table, rows))
    assert part.tally == (2, 1, 5, 0, 0)
    assert part.substitutes == ["code2"]
    told = dict(facts([part]))
    assert told["cells, published protocol"] == "2 of 8 final, 1 cut short, 5 not run"
    assert told["jobs"] == "5 with a row"
    assert told["dates"] == "2025-01-01 to 2025-02-01"
    assert told["machine"] == "this (4 jobs), other (1 job)"


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (0.41649, "0.416"), (29.0, "29"), (12345.6, "12,346"), (123.45, "123.5"), (0.000031, "3.1e-05")],
)
def test_numbers_are_as_long_as_they_need_to_be(value, said):
    assert number(value) == said
