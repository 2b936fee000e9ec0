"""How tests are dealt out to processes: those that share a Ray cluster stay together, so that there is only one."""

from __future__ import annotations

from typing import Any

import pytest

TOGETHER = "test_ray.py"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One by one, but for the file whose tests share a cluster; that goes first, since it takes longest."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            path, _, _ = nodeid.partition("::")
            return path if path.endswith(TOGETHER) else nodeid

    return Scheduling(config, log)
