"""The local engine keeps what was found when something goes wrong. (What it computes: tests/matrix.)"""

import threading

import pytest

from engine.samples import assert_same, dots, solved, work_of
from graphedx import EditCosts
from graphedx.engine import LocalEngine, opened
from graphedx.errors import CostError, MethodError
from matrix.samples import hard_graphs, some_graphs


def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("graphedx-")]


@pytest.mark.parametrize("workers", [1, 4])
def test_an_error_in_a_thread_arrives_and_what_was_found_is_kept(workers):
    def wrong(a, b):
        return -1.0 if (a, b) == (20, 21) else 0.5

    found = []
    with pytest.raises(CostError, match="-1"):
        solved(LocalEngine(workers), dots(wrong), lambda block: found.extend(block.ids.tolist()))
    assert found
    assert not threads()


def test_ctrl_c_stops_native_code_and_keeps_what_was_found():
    work, found = work_of(some_graphs(8, most_nodes=4) + hard_graphs(2), EditCosts()), []

    def interrupted(block):
        found.extend(block.ids.tolist())
        if len(found) == len(work) - 1:  # the last pair would take a lifetime
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(LocalEngine(2), work, interrupted)
    assert len(found) == len(set(found)) == len(work) - 1
    assert not threads()


def test_an_error_while_collecting_ends_the_threads():
    def full(block):
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        solved(LocalEngine(2), work_of(some_graphs(30), EditCosts()), full)
    assert not threads()


def test_the_number_of_workers_changes_nothing():
    work = work_of(some_graphs(20) + hard_graphs(2, nodes=13), EditCosts(3, 1, 2, 1, 0.5, 1.5))
    assert_same(solved(LocalEngine(1), work), solved(LocalEngine(7), work))


def test_nothing_to_do():
    assert len(solved(LocalEngine(), work_of([], EditCosts()))) == 0


def test_engines_by_name():
    mine = LocalEngine(1)
    with opened(mine) as engine:
        assert engine is mine
    with opened("local", workers=2) as engine:
        assert isinstance(engine, LocalEngine)
    with pytest.raises(MethodError, match="there is no engine 'spark'; there are local and ray"), opened("spark"):
        pass
    with pytest.raises(MethodError, match="an address is for engine='ray'"), opened("local", address="head:6379"):
        pass
    with pytest.raises(MethodError, match="workers must be a whole number >= 1"), opened("local", workers=True):
        pass
