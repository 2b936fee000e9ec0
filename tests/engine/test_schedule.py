"""Every pair is answered exactly once, whatever happens to those who solve them; and long ones keep nobody waiting."""

import random

import numpy as np
import pytest

from engine.samples import work_of
from graphedx import EditCosts, Graph
from graphedx.engine import Answer, Block
from graphedx.engine.schedule import MOMENT, Schedule
from graphedx.errors import EngineError
from graphedx.result import StopReason


def paths(count, *, least=2, most=9):
    """Graphs of every size between the two, in turn."""
    sizes = [least + k % (most - least + 1) for k in range(count)]
    return [Graph(n, [(i, i + 1) for i in range(n - 1)], name=f"path{k}") for k, n in enumerate(sizes)]


def schedule_of(work, *, workers=2, seconds=0.05):
    order = np.argsort(work.difficulty, kind="stable").astype(np.int64)
    return Schedule(work, order, workers=workers, seconds=seconds)


def answered(schedule, errand, work, *, resisting=(), seconds=0.01):
    """The final answers among those to an errand; pairs that resist are not proven when they are in a hurry."""
    hurried = errand.question.time_limit == MOMENT
    stops = [StopReason.TIME if hurried and k in resisting else StopReason.PROVED for k in errand.ids.tolist()]
    sizes = work.source_sizes[errand.ids].tolist()
    found = [Answer(k, k, [0] * n, stop) for k, n, stop in zip(errand.ids.tolist(), sizes, stops, strict=True)]
    block = schedule.done(errand, Block.of(errand.ids, found), seconds)
    assert len(block.images) == work.source_sizes[block.ids].sum()
    assert block.upper.tolist() == block.ids.tolist()
    return block.ids.tolist()


def test_pairs_that_resist_come_last_and_alone():
    work = work_of(paths(12), EditCosts())
    schedule, resisting = schedule_of(work), {3, 17, 40}
    found = []
    while (errand := schedule.take()) is not None:
        found += answered(schedule, errand, work, resisting=resisting)
        if errand.question is work.question:
            assert len(errand.ids) == 1 and errand.ids[0] in resisting
            assert len(found) > len(work) - len(resisting)
    assert schedule.finished
    assert sorted(found) == [*range(len(work))]
    assert set(found[-3:]) == resisting


def test_a_limit_within_the_moment_and_methods_in_python_are_not_asked_twice():
    for work in (work_of(paths(8), EditCosts(), time_limit=MOMENT / 2), work_of(paths(8), EditCosts(), method="f2")):
        schedule, found = schedule_of(work), []
        while (errand := schedule.take()) is not None:
            assert errand.question is work.question
            found += answered(schedule, errand, work, resisting=range(len(work)))
        assert sorted(found) == [*range(len(work))]


@pytest.mark.parametrize("seed", range(30))
def test_every_pair_is_answered_once_in_any_order_of_luck(seed):
    rng = random.Random(seed)
    work = work_of(paths(rng.randint(2, 40)), EditCosts())
    schedule = schedule_of(work, workers=rng.randint(1, 8), seconds=rng.choice([0.001, 0.05, 10]))
    resisting = set(rng.sample(range(len(work)), len(work) // 10))
    out, found, most = [], [], rng.randint(1, 10)
    losses = dict.fromkeys(range(len(work)), 0)
    while not schedule.finished:
        if len(out) < most and rng.random() < 0.7 and (errand := schedule.take()) is not None:
            out.append(errand)
        elif out:
            errand = out.pop(rng.randrange(len(out)))
            unlucky = rng.random() < 0.3 and max(losses[k] for k in errand.ids.tolist()) < 4
            if unlucky:
                for k in errand.ids.tolist():
                    losses[k] += 1
                schedule.lost(errand, "bad luck")
            else:
                found += answered(schedule, errand, work, resisting=resisting, seconds=rng.random() / 10)
        assert schedule.out == len(out)
    assert sorted(found) == [*range(len(work))]
    schedule.require_answers()


def test_batches_shrink_with_difficulty_and_near_the_end():
    work = work_of(paths(200, least=2, most=20), EditCosts())
    schedule = schedule_of(work, workers=2, seconds=0.05)
    sizes, difficulty = [], []
    while (errand := schedule.take()) is not None:
        sizes.append(len(errand.ids))
        difficulty.append(work.difficulty[errand.ids].mean())
        answered(schedule, errand, work, seconds=1e-6 * float((work.difficulty[errand.ids] ** 1.5).sum()))
    assert sum(sizes) == len(work)
    settled = len(sizes) // 10
    middle = len(sizes) // 2
    assert np.mean(sizes[settled : settled + 5]) > 2 * np.mean(sizes[middle : middle + 5])
    assert sizes[-1] == 1 and sizes[-4] <= 3
    assert difficulty == sorted(difficulty)


def test_batches_take_about_as_long_as_they_should():
    work = work_of(paths(200, least=2, most=20), EditCosts())
    schedule = schedule_of(work, workers=1, seconds=0.05)
    took = []
    while (errand := schedule.take()) is not None:
        took.append(1e-6 * float((work.difficulty[errand.ids] ** 1.5).sum()))
        answered(schedule, errand, work, seconds=took[-1])
    typical = np.array(took[5:-10])
    assert 0.025 < np.median(typical) < 0.1
    assert typical.max() < 0.2


def test_more_workers_get_smaller_batches():
    work = work_of(paths(40), EditCosts())
    few, many = schedule_of(work, workers=1, seconds=10), schedule_of(work, workers=1, seconds=10)
    many.workers = 50
    assert len(many.take().ids) < len(few.take().ids) / 10


def lose_until_answered(schedule, work, deadly):
    """Workers die over the deadly pairs only; what is found, and how many died."""
    found, died = [], 0
    while not schedule.finished:
        errand = schedule.take()
        if deadly & set(errand.ids.tolist()):
            schedule.lost(errand, "killed")
            died += 1
        else:
            found += answered(schedule, errand, work)
    return found, died


def test_a_deadly_pair_is_given_up_when_all_others_are_solved():
    work = work_of(paths(60), EditCosts())
    schedule = schedule_of(work)
    found, died = lose_until_answered(schedule, work, {100})
    assert sorted([*found, 100]) == [*range(len(work))]
    assert died == 5
    i, j = work.ends[100]
    with pytest.raises(EngineError, match=rf"5 workers in a row died over the pair {i}, {j} \(Graph\('path{i}', "):
        schedule.require_answers()


def test_several_deadly_pairs_are_counted():
    work = work_of(paths(60), EditCosts())
    schedule = schedule_of(work)
    found, _ = lose_until_answered(schedule, work, {100, 700, 1500})
    assert len(found) == len(work) - 3
    with pytest.raises(EngineError, match=r"\(and over 2 other pairs\); all others are solved"):
        schedule.require_answers()


def test_a_lost_batch_costs_few_workers_and_its_suspects_wait():
    work = work_of(paths(100), EditCosts())
    schedule = schedule_of(work, seconds=5)
    first = schedule.take()
    assert len(first.ids) > 500
    schedule.lost(first, "killed")
    pieces = [schedule.take() for _ in range(16)]
    assert sorted(k for piece in pieces for k in piece.ids.tolist()) == sorted(first.ids.tolist())
    schedule.lost(pieces[0], "killed again")
    suspects = set(pieces[0].ids.tolist())
    for piece in pieces[1:]:
        answered(schedule, piece, work)
    rest = []
    while (errand := schedule.take()) is not None:
        rest.append(errand.ids.tolist())
        answered(schedule, errand, work)
    assert {k for batch in rest[-16:] for k in batch} == suspects
    assert schedule.finished


def test_workers_that_die_whatever_they_do_end_the_run():
    work = work_of(paths(100), EditCosts())
    schedule = schedule_of(work, workers=2)
    with pytest.raises(EngineError, match=r"workers in a row died, the last over the pair .*: no such library"):
        for _ in range(100):
            schedule.lost(schedule.take(), "no such library")
