"""The number of a cell: the best of alternatives by validation, the mean over seeds, and what is missing."""

from dataclasses import replace

import pytest

from experiments.samples import row_of
from graphedx.errors import ExperimentError
from graphedx.experiments import Cell, Experiment, Reported, Rows, Train, Transfer, measured, settings

GROUPS = tuple(
    tuple(Train("linux", "uniform", "graphedx", settings(node_weight=w), seed) for w in (0.1, 1)) for seed in (0, 1)
)
CELL = Cell(row="ours", column="linux", seeds=GROUPS, paper=Reported("baselines", "GREED", "uniform", "linux", "mse"))


def found(folder, *rows):
    with Rows.opened(folder) as there:
        for row in rows:
            there.put(row)
    return measured(CELL, Rows(folder))


def scored(job, mse, validation, **more):
    outcome = {"mse": mse, "mse_stderr": mse / 10, "validation": validation, "epochs": 50, "stopped_early": True}
    return row_of(job, outcome | more)


def test_validation_chooses_and_seeds_are_averaged(tmp_path):
    (a, b), (c, d) = GROUPS
    rows = scored(a, 9.0, 0.5), scored(b, 1.0, 0.4), scored(c, 2.0, 0.3), scored(d, 1.0, 0.6)
    cell = found(tmp_path, *rows)
    assert (cell.value, cell.seeds, cell.of, cell.status) == (1.5, 2, 2, "final")
    assert cell.spread == pytest.approx(0.5**0.5)
    assert cell.stderr == 0.2  # of the seed with the least validation error
    assert cell.cut_short is None
    assert cell.budget == "final"


def test_nothing_is_silently_missing(tmp_path):
    (a, b), (c, _) = GROUPS
    assert found(tmp_path).status == "not run"
    cell = found(tmp_path, row_of(a, error="diverged"))
    assert (cell.status, cell.failures) == ("not run", ("diverged",))
    cell = found(tmp_path, scored(b, 1.0, 0.4))
    assert (cell.value, cell.spread, cell.seeds, cell.of, cell.status) == (1.0, None, 1, 2, "cut short")
    assert cell.failures == ("diverged",)
    assert not cell.partial  # the other alternative was tried
    cell = found(tmp_path, scored(c, 3.0, 0.4, stopped_early=False))
    assert (cell.partial, cell.cut_short, cell.status) == (True, 50, "cut short")
    assert cell.budget is None


def test_numbers_are_shown_in_their_unit(tmp_path):
    (a, _), _ = GROUPS
    found(tmp_path, scored(a, 2e-6, 0.4))
    cell = measured(replace(CELL, unit=1e-6), Rows(tmp_path))
    assert (cell.value, cell.stderr, cell.error) == pytest.approx((2.0, 0.2, 0.2))


def test_a_cell_is_final_only_if_every_training_behind_it_is(tmp_path):
    (a, b), (c, d) = GROUPS
    rows = [scored(job, 1.0, 0.4) for job in (a, b, c)]
    cell = found(tmp_path, *rows, scored(d, 9.0, 0.9, stopped_early=False, epochs=20))
    assert (cell.status, cell.cut_short, cell.budget) == ("cut short", 20, None)  # though validation chose others
    assert found(tmp_path, scored(d, 9.0, 0.9)).status == "final"
    assert found(tmp_path, row_of(d, error="diverged")).status == "final"  # it was tried


def test_cells_cut_short_after_as_many_epochs_have_the_same_budget(tmp_path):
    jobs = [job for group in GROUPS for job in group]
    cell = found(tmp_path, *(scored(job, 1.0, 0.4, stopped_early=False, epochs=20) for job in jobs))
    assert (cell.status, cell.budget) == ("cut short", 20)
    cell = found(tmp_path, scored(jobs[0], 1.0, 0.4, stopped_early=False, epochs=25))
    assert (cell.status, cell.budget) == ("cut short", None)


def test_stale_rows_do_not_count_and_are_counted(tmp_path):
    (a, b), (c, d) = GROUPS
    cell = found(tmp_path, *(replace(scored(job, 1.0, 0.4), version=0) for job in (a, b, c, d)))
    assert (cell.value, cell.status, cell.stale) == (None, "not run", 4)


def test_a_table_under_another_protocol_has_its_trainings_alone():
    table = Experiment(name="t", title="", about="", cells=(CELL,)).under("equal-budget")
    assert table.protocol == "equal-budget"
    assert {(job.protocol, dict(job.settings)["node_weight"]) for job in table.jobs} == {("equal-budget", 1)}
    assert [len(group) for group in table.cells[0].seeds] == [1, 1]  # one λ
    with pytest.raises(ExperimentError, match="t has no equal-budget protocol; it has published"):
        Experiment(name="t", title="", about="", cells=(CELL,), protocols=("published",)).under("equal-budget")


def test_a_row_without_validation_is_not_chosen(tmp_path):
    (a, b), _ = GROUPS
    assert found(tmp_path, row_of(a, {"mse": 99.0, "validation": None}), scored(b, 1.0, 0.4)).value == 1.0


def test_a_number_that_rests_on_a_training_is_cut_off_with_it(tmp_path):
    train = GROUPS[0][0]
    job = Transfer(train, "aids")
    with Rows.opened(tmp_path) as rows:
        rows.put(scored(train, 1.0, 0.4, stopped_early=False))
        rows.put(row_of(job, {"mse": 2.0, "validation": 0.4}))
    cell = measured(Cell(row="ours", column="aids", seeds=((job,),)), Rows(tmp_path))
    assert (cell.value, cell.cut_short, cell.status) == (2.0, 50, "cut short")


def test_later_seeds_are_worth_less_and_shared_jobs_more():
    table = Experiment(name="t", title="", about="", cells=(CELL,))
    assert [table.jobs[group[0]] for group in GROUPS] == [1.0, 0.5]
    other = Cell(row="again", column="linux", metric="kendall_tau", seeds=GROUPS)
    table = Experiment(name="t", title="", about="", cells=(CELL, other))
    assert len(table.jobs) == 4
    assert table.jobs[GROUPS[0][0]] == 2.0


def test_the_paper_stands_beside_it():
    assert CELL.reported().value == 1.331
    assert Cell(row="ours", column="linux", seeds=GROUPS).reported() is None


def test_bad_declarations_are_refused():
    with pytest.raises(ExperimentError, match="no jobs"):
        Cell(row="a", column="b", seeds=((),))
    with pytest.raises(ExperimentError, match="same place"):
        Experiment(name="t", title="", about="", cells=(CELL, CELL))
