"""The native core's threads, which are kept for the next who asks."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from graphedx._collection import CountTable, SizeTable, nearest_counts


def nearest(workers: int) -> list[int]:
    """Enough rows for several threads to have a part of them."""
    counts = np.random.default_rng(0).integers(0, 9, (20_000, 16)).astype(np.uint8)
    sizes = SizeTable(np.ones((20_000, 2), np.float32), np.ones(2, np.float32), 1, 1, 0, 0)
    return nearest_counts(sizes, [CountTable(counts, counts[3], 1.0)], 50, workers=workers)[0].tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    wanted = nearest(4)  # now there are threads, which the child will not have
    child = os.fork()
    if child == 0:
        os._exit(0 if nearest(4) == wanted else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_many_may_ask_at_once() -> None:
    wanted, found = nearest(1), []
    callers = [threading.Thread(target=lambda: found.append(nearest(3))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [wanted] * 8
