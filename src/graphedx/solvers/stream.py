"""A search that can be watched: intervals as they tighten, and the last word at the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue

from graphedx import _kernels
from graphedx.costs import EditCosts
from graphedx.graph import Graph
from graphedx.result import GedResult

_PATIENCE = 5.0  # seconds for the search to notice that nobody watches any more


def stream(source: Graph, target: Graph, costs: EditCosts, request: _kernels.Request) -> Iterator[GedResult]:
    """Every better interval as it is found, ``RUNNING``, and then the final result.

    The search runs in a thread of its own, without the GIL. Closing the generator, or Ctrl-C, stops it.
    """
    found: SimpleQueue[GedResult | BaseException] = SimpleQueue()
    cancel = _kernels.CancelFlag()

    def work() -> None:
        try:
            found.put(_kernels.watch(source, target, costs, request, cancel, found.put))
        except BaseException as error:  # raised again where it can be seen, in the caller's thread
            found.put(error)

    thread = threading.Thread(target=work, daemon=True, name="graphedx-stream")
    thread.start()
    try:
        yield from _until_the_last(found)
    finally:
        cancel.set()
        _see_off(thread)


def _see_off(thread: threading.Thread) -> None:
    """Wait for the thread to end; a second Ctrl-C must not leave it running into the end of the interpreter."""
    try:
        thread.join(_PATIENCE)
    except KeyboardInterrupt:
        thread.join(_PATIENCE)
        raise


def _until_the_last(found: SimpleQueue[GedResult | BaseException]) -> Iterator[GedResult]:
    while True:
        try:
            item = found.get(timeout=0.5)  # a wait without end would not hear Ctrl-C on every system
        except Empty:
            continue
        if isinstance(item, BaseException):
            raise item
        yield item
        if not item.running:
            return
