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
    assert (cell.value, cell.seeds, cell.of, cell.state) == (1.5, 2, 2, "done")
    assert cell.spread == pytest.approx(0.5**0.5)
    assert cell.stderr == 0.2  # of the seed with the least validation error
    assert cell.cut_off is None
    assert cell.codes == {"1"}


def test_nothing_is_silently_missing(tmp_path):
    (a, b), (c, _) = GROUPS
    assert found(tmp_path).state == "not run"
    assert found(tmp_path, row_of(a, error="diverged")).state == "failed"
    cell = found(tmp_path, scored(b, 1.0, 0.4))
    assert (cell.value, cell.spread, cell.seeds, cell.of, cell.state) == (1.0, None, 1, 2, "partly")
    assert cell.failures == ("diverged",)
    assert not cell.partial  # the other alternative was tried
    cell = found(tmp_path, scored(c, 3.0, 0.4, stopped_early=False))
    assert (cell.partial, cell.cut_off, cell.state) == (True, 50, "partly")


def test_numbers_are_shown_in_their_unit(tmp_path):
    (a, _), _ = GROUPS
    found(tmp_path, scored(a, 2e-6, 0.4))
    cell = measured(replace(CELL, unit=1e-6), Rows(tmp_path))
    assert (cell.value, cell.stderr, cell.error) == pytest.approx((2.0, 0.2, 0.2))


def test_a_mixture_of_codes_is_seen(tmp_path):
    (a, _), (c, _) = GROUPS
    cell = found(tmp_path, scored(a, 1.0, 0.4), row_of(c, {"mse": 1.0, "validation": 0.1}, code="2"))
    assert cell.codes == {"1", "2"}


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
    assert (cell.value, cell.cut_off) == (2.0, 50)


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
