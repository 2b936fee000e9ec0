"""Errands of lost nodes go out again, and each is answered once."""

from __future__ import annotations

import numpy as np
import pytest

from graphedx import EditCosts
from graphedx.engine import Question
from graphedx.engine.outstanding import COPIES, GRACE, Outstanding
from graphedx.engine.schedule import Errand


def errand(*ids: int) -> Errand:
    return Errand(np.array(ids, dtype=np.int64), Question("exact", EditCosts()))


@pytest.fixture
def out() -> Outstanding:
    return Outstanding()


def test_an_answer_removes_the_task(out: Outstanding) -> None:
    one, other = errand(1), errand(2)
    out.send("a", one, 0.0)
    out.send("b", other, 0.0)
    assert out.tasks == ["a", "b"] and out.expected == 2
    assert out.errand_of("b") is other
    assert out.answered("a") is one
    assert out.tasks == ["b"] and "a" not in out


def test_a_lost_task_gives_its_errand_back(out: Outstanding) -> None:
    one = errand(1)
    out.send("a", one, 0.0)
    assert out.failed("a") is one
    assert len(out) == 0


def test_nothing_is_doubted_before_the_grace_period_ends(out: Outstanding) -> None:
    out.send("a", errand(1), 0.0)
    out.expire(1000.0)  # no node was lost
    out.node_lost(1000.0)
    out.expire(1000.0 + GRACE - 0.1)
    assert out.next_copy() is None and out.expected == 1


def test_tasks_that_were_out_when_a_node_was_lost_go_out_again(out: Outstanding) -> None:
    before, after = errand(1), errand(2)
    out.send("a", before, 0.0)
    out.node_lost(1.0)
    out.send("b", after, 2.0)
    out.expire(1.0 + GRACE)
    assert out.next_copy() is before
    assert out.expected == 1, "the task in doubt must not keep others from being sent"
    out.send("c", before, 10.0)
    assert out.next_copy() is None and out.expected == 2


@pytest.mark.parametrize("first", ["original", "copy"])
def test_the_first_copy_counts(out: Outstanding, first: str) -> None:
    one = errand(1)
    out.send("original", one, 0.0)
    out.node_lost(1.0)
    out.expire(1.0 + GRACE)
    out.send("copy", one, 10.0)
    assert out.answered(first) is one
    assert len(out) == 0 and out.expected == 0 and out.next_copy() is None


def test_an_answer_that_comes_before_the_copy_is_sent_makes_it_needless(out: Outstanding) -> None:
    one = errand(1)
    out.send("original", one, 0.0)
    out.node_lost(1.0)
    out.expire(1.0 + GRACE)
    assert out.answered("original") is one
    assert out.next_copy() is None


def test_the_loss_of_one_copy_is_no_loss(out: Outstanding) -> None:
    one = errand(1)
    out.send("original", one, 0.0)
    out.node_lost(1.0)
    out.expire(1.0 + GRACE)
    assert out.failed("original") is None, "it is about to go out again"
    out.send("copy", out.next_copy() or errand(), 10.0)
    assert out.failed("copy") is one


def test_copies_are_bounded(out: Outstanding) -> None:
    one, now = errand(1), 0.0
    out.send(0, one, now)
    for number in range(1, COPIES):
        now += 100.0
        out.node_lost(now)
        out.expire(now + GRACE)
        assert out.next_copy() is one
        out.send(number, one, now + GRACE)
    now += 100.0
    out.node_lost(now)
    out.expire(now + GRACE)
    assert out.next_copy() is None and len(out) == COPIES


def test_a_copy_on_a_second_lost_node_is_replaced(out: Outstanding) -> None:
    one, other = errand(1), errand(2)
    out.send("a", one, 0.0)
    out.node_lost(1.0)
    out.node_lost(2.0)
    out.send("b", other, 1.5)  # after the first loss, before the second
    out.expire(1.0 + GRACE)
    assert out.next_copy() is one and out.expected == 1
    out.send("c", one, 1.0 + GRACE)
    out.expire(2.0 + GRACE)
    assert out.next_copy() is other
