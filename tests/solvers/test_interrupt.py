"""Ctrl-C reaches a search that is deep in native code, and other Python threads run meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

from graphedx import Graph, ged
from matrix.samples import hard_graphs

# The search of two such graphs takes practically for ever: it ends only if the signal is heard.
ENDLESS = """
import os, signal, threading
from graphedx import ged
from matrix.samples import hard_graphs
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
ged(*hard_graphs(2))
"""


def test_ctrl_c_ends_a_search_without_a_limit() -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{ENDLESS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_other_threads_run_while_a_search_does() -> None:
    source, target = hard_graphs(2)
    result = []
    search = threading.Thread(target=lambda: result.append(ged(source, target, time_limit=1)))
    search.start()
    beats = 0
    while search.is_alive():
        ged(Graph(1), Graph(2))
        beats += 1
    search.join()
    assert not result[0].proven
    assert beats > 10  # if the search held the GIL, this thread would come through once or twice
