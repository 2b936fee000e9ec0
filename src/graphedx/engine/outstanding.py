"""Tasks that are out on a cluster, and which errand each of them solves.

A host that loses its network does not answer, and does not refuse either. Ray marks its node as dead within about a
minute, but a task that ran there fails only when a keepalive of gRPC expires, after seven minutes by default. Ray does
not say which node runs a task. So when a node is lost, every errand that does not come back within a grace period goes
out once more; the first copy that comes back counts, and the other copies are ignored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from graphedx.engine.schedule import Errand

GRACE = 5.0
"""Seconds after the loss of a node until its tasks are sent again; tasks of a host that was killed fail before."""
COPIES = 3
"""An errand goes out at most so many times at once; long tasks of healthy nodes are copied as well."""


class _Entry:
    """An errand and the tasks that solve it."""

    def __init__(self, errand: Errand) -> None:
        self.errand, self.tasks, self.waits = errand, set[Hashable](), False


class Outstanding:
    """The tasks of one run; times are those of a monotonic clock."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}  # by task
        self._sent: dict[Hashable, float] = {}
        self._doubtful: set[Hashable] = set()
        self._again: deque[_Entry] = deque()
        self._losses: deque[float] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, task: Hashable) -> bool:
        return task in self._entries

    @property
    def tasks(self) -> list[Hashable]:
        """All tasks that may still bring a result."""
        return [*self._entries]

    @property
    def expected(self) -> int:
        """Return how many tasks are out and not in doubt."""
        return len(self._entries) - len(self._doubtful)

    def errand_of(self, task: Hashable) -> Errand:
        """Return the errand that a task solves."""
        return self._entries[task].errand

    def send(self, task: Hashable, errand: Errand, now: float) -> None:
        """Add a task; it is a copy if its errand is that of ``next_copy``."""
        if self._again and self._again[0].errand is errand:
            entry = self._again.popleft()
            entry.waits = False
        else:
            entry = _Entry(errand)
        entry.tasks.add(task)
        self._entries[task], self._sent[task] = entry, now

    def next_copy(self) -> Errand | None:
        """Return an errand to send once more; ``None`` if there is none."""
        return self._again[0].errand if self._again else None

    def answered(self, task: Hashable) -> Errand:
        """Remove a task that has brought a result, together with all copies of its errand."""
        entry = self._entries[task]
        if entry.waits:
            self._again.remove(entry)
        for copy in entry.tasks:
            self._forget(copy)
        return entry.errand

    def failed(self, task: Hashable) -> Errand | None:
        """Remove a task that was lost; returns its errand unless a copy is out or is about to go out."""
        entry = self._entries[task]
        entry.tasks.remove(task)
        self._forget(task)
        return None if entry.tasks or entry.waits else entry.errand

    def node_lost(self, now: float) -> None:
        """Take note that the cluster has lost a node."""
        self._losses.append(now)

    def expire(self, now: float) -> None:
        """Doubt every task that was out when a node was lost and has had its grace period."""
        while self._losses and now >= self._losses[0] + GRACE:
            lost_at = self._losses.popleft()
            self._doubtful.update(task for task, sent in self._sent.items() if sent <= lost_at)
        for task in self._doubtful:
            entry = self._entries[task]
            if not entry.waits and entry.tasks <= self._doubtful and len(entry.tasks) < COPIES:
                entry.waits = True
                self._again.append(entry)

    def _forget(self, task: Hashable) -> None:
        del self._entries[task], self._sent[task]
        self._doubtful.discard(task)
