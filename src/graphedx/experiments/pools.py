"""Where jobs are done: in processes of this machine, or on a Ray cluster that shares its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, Protocol

from graphedx.engine import ray_cluster
from graphedx.engine.local import worker_count
from graphedx.errors import EngineError, MethodError
from graphedx.experiments.job import Job

Request = dict[str, Any]


class Back(NamedTuple):
    """A job that has come back: with an answer, or lost with the process that did it."""

    job: Job
    answer: dict[str, Any] | None
    lost: str = ""


class Pool(Protocol):
    """So many jobs at a time."""

    size: int

    def start(self, job: Job, request: Request) -> None:
        """Begin a job; there are never more than ``size``."""

    def wait(self, seconds: float) -> list[Back]:
        """Those that have come back, as soon as there are any; none if it takes longer."""


@contextmanager
def opened(engine: str, *, workers: int | None, address: str | None) -> Iterator[Pool]:
    """The pool of this name: "local" processes, or a "ray" cluster at an address. When it ends, so do its jobs."""
    if engine == "local":
        if address is not None:
            raise MethodError("an address is for engine='ray'; the local engine runs on this machine")
        local = LocalPool(worker_count(workers))
        try:
            yield local
        finally:
            local.close()
    elif engine == "ray":
        with ExitStack() as stack:
            yield RayPool(stack, address, workers)
    else:
        raise MethodError(f"there is no engine {engine!r}; there are local and ray")


class LocalPool:
    """Processes that are started when they are needed, and do one job after the other."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._idle: list[_Process] = []
        self._busy: dict[_Process, Job] = {}
        self._news: SimpleQueue[tuple[_Process, str | None]] = SimpleQueue()

    def start(self, job: Job, request: Request) -> None:
        process = self._idle.pop() if self._idle else _Process(self._news)
        self._busy[process] = job
        process.ask(request)

    def wait(self, seconds: float) -> list[Back]:
        found: list[Back] = []
        with suppress(Empty):
            found += self._taken(*self._news.get(timeout=seconds))
            while not self._news.empty():
                found += self._taken(*self._news.get())
        return found

    def close(self) -> None:
        for process in (*self._idle, *self._busy):
            process.kill()

    def _taken(self, process: _Process, line: str | None) -> list[Back]:
        job = self._busy.pop(process, None)
        if line is None:
            if process in self._idle:
                self._idle.remove(process)
            return [] if job is None else [Back(job, None, process.death())]
        self._idle.append(process)
        return [] if job is None else [Back(job, json.loads(line))]


class _Process:
    def __init__(self, news: SimpleQueue[tuple[_Process, str | None]]) -> None:
        paths = os.pathsep.join(str(Path(part).resolve()) for part in sys.path if part)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "graphedx.experiments.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C is for us to hear
        )
        Thread(target=self._listen, args=(news,), daemon=True).start()

    def ask(self, request: Request) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # one that is dead will be heard of in the other direction
            print(json.dumps(request), file=self._process.stdin, flush=True)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def death(self) -> str:
        code = self._process.wait()
        return f"its process was killed by signal {-code}" if code < 0 else f"its process ended with code {code}"

    def _listen(self, news: SimpleQueue[tuple[_Process, str | None]]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            news.put((self, line))
        news.put((self, None))


class RayPool:
    """Tasks of a Ray cluster, each on a CPU; all of its machines must have the folder of the experiments."""

    def __init__(self, stack: ExitStack, address: str | None, workers: int | None) -> None:
        self._ray = ray_cluster.library()
        ours = stack.enter_context(ray_cluster.connected(self._ray, address, workers))
        stack.enter_context(ray_cluster.failures(self._ray))
        cpus = int(self._ray.cluster_resources().get("CPU", 0))
        self.size = max(1, cpus if workers is None else min(cpus, workers))
        self._out: dict[Any, Job] = {}
        self._task = _task(self._ray)
        if not ours:
            stack.callback(self._cancel)  # our own connection ends with all that it runs

    def start(self, job: Job, request: Request) -> None:
        self._out[self._task.remote(import_module("graphedx").__version__, request)] = job

    def wait(self, seconds: float) -> list[Back]:
        arrived, _ = self._ray.wait([*self._out], num_returns=1, timeout=seconds)
        return [self._taken(task) for task in arrived]

    def _taken(self, task: Any) -> Back:
        job = self._out.pop(task)
        try:
            answer = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            return Back(job, None, f"Ray has lost it: {ray_cluster.line_of(error)}")
        if isinstance(answer, str):
            raise EngineError(answer)
        return Back(job, answer)

    def _cancel(self) -> None:
        for task in self._out:
            self._ray.cancel(task, force=True)


def _task(ray: Any) -> Any:
    """What Ray runs: the answer to a request, or a complaint."""

    # A function inside a function travels by value: it can say what is wrong where graphedx is not, or is another one.
    def do(version: str, request: Request) -> Request | str:
        import platform
        from importlib import import_module

        try:
            found = import_module("graphedx").__version__
            if found != version:
                return f"{platform.node()} of the Ray cluster has graphedx {found}, but this is {version}"
            answer: Request = import_module("graphedx.experiments.work").answered(request)
        except ImportError as error:
            return f"graphedx cannot be used on {platform.node()} of the Ray cluster: {error}; install the same as here"
        return answer

    return ray.remote(num_cpus=1, max_retries=0)(do)
