"""What holds for all tests: examples are the same in every run, and those that share a Ray cluster stay together."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from hypothesis import settings

TOGETHER = "test_ray.py"

settings.register_profile("same every time", derandomize=True)
settings.load_profile("same every time")

# What a shell runs in the background is deaf to Ctrl-C, and so are its children: tests of Ctrl-C would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One by one, but for the file whose tests share a cluster; that goes first, since it takes longest."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            path, _, _ = nodeid.partition("::")
            return path if path.endswith(TOGETHER) else nodeid

    return Scheduling(config, log)
