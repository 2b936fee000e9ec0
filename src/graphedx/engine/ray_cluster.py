"""The Ray engine: the same errands as the local one's, solved by processes on the machines of a cluster.

The work is put into the cluster's store once, and each worker process fetches it once; after that a task is a few
numbers of pairs, and its result a block of columns. Ray itself retries nothing: what is lost with a process or a
machine goes back to the schedule, which knows how to find a pair that kills its worker. Tasks of a machine without
network are sent again (see ``outstanding``).
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from graphedx.engine.answers import Block, Ids
from graphedx.engine.local import worker_count
from graphedx.engine.outstanding import Outstanding
from graphedx.engine.schedule import Schedule
from graphedx.engine.work import Cancel, Desk, Question, Work
from graphedx.errors import EngineError, GraphEdXError, MissingExtraError

_SECONDS_A_TASK = 0.5
_TASKS_A_CPU = 2  # one being solved, one waiting: no CPU has to wait for this process
_SECONDS_BETWEEN_LOOKS = 2.0  # at the cluster: machines come and go
_PATIENCE = 30.0  # seconds without any CPU before a warning
_SECONDS_TO_ANSWER = 5.0  # that the head of a cluster has at first
_HOW_TO_START = "start one with `ray start --head`, and `ray start --address=HEAD:6379` on the other machines"
_HOW_TO_REPAIR = "install it again: pip install --force-reinstall 'graphedx[cluster]'"

# An HTTP/2 client's first words (RFC 9113, 3.4): its preface and empty settings.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))


class RayEngine:
    """Solves pairs on a Ray cluster: the one this process is connected to, that of the address, or one of its own.

    ``address`` is ``HOST:PORT`` of the cluster's head, or "auto" for the one that runs on this machine; by default what
    ``RAY_ADDRESS`` says, else a Ray of its own is started on this machine. ``workers`` is the most CPUs to use at once.
    """

    def __init__(self, address: str | None = None, *, workers: int | None = None) -> None:
        self._address = address
        self._workers = None if workers is None else worker_count(workers)
        self._kept: ExitStack | None = None
        self._ours = False  # the connection

    def __enter__(self) -> RayEngine:
        """Stay connected from the first work on, so that the next need not wait for a Ray to start."""
        self._kept = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept is not None:
            self._kept.close()
        self._kept, self._ours = None, False

    def solve(self, work: Work, ids: Ids, collect: Callable[[Block], None]) -> None:
        """Solve the pairs of these numbers; ``collect`` is called in the caller's thread, in no promised order.

        Workers and machines may die and join meanwhile. On Ctrl-C or an error what has arrived by then is still
        collected, and the workers are stopped.
        """
        ray = library()
        if not len(ids):
            return
        with ExitStack() as brief:
            made = (self._kept or brief).enter_context(connected(ray, self._address, self._workers))
            self._ours = made or (self._ours and self._kept is not None)
            with failures(ray):
                run = _Run(ray, work, ids, self._workers)
                try:
                    run.collect(collect)
                except BaseException:
                    run.stop(collect, cancel=not self._ours)  # our own connection ends with all that it runs
                    raise


class _Run:
    def __init__(self, ray: Any, work: Work, ids: Ids, workers: int | None) -> None:
        self._ray, self._workers = ray, workers
        self._schedule = Schedule(work, ids, workers=1, seconds=_SECONDS_A_TASK)
        self._out = Outstanding()
        self._nodes: set[str] = set()  # that were alive at the last look
        self._generation = 0  # the number of times that nodes were lost
        self._task = _task(ray, self._generation)
        # Inside something else, a reference is not fetched before a task asks for it.
        self._origin = import_module("graphedx").__version__, uuid.uuid4().hex, ray.put(_packed(ray, work))
        self._had_cpus = time.monotonic()
        self._warned = False
        self._look()

    def collect(self, collect: Callable[[Block], None]) -> None:
        while not self._schedule.finished:
            if time.monotonic() - self._looked > _SECONDS_BETWEEN_LOOKS:
                self._look()
            self._send()
            self._receive(collect)
        self._schedule.require_answers()

    def stop(self, collect: Callable[[Block], None], *, cancel: bool) -> None:
        """Collect what has arrived; then end the processes that are at pairs without a near end.

        The others soon end by themselves. They are left alone, since Ray (2.60) may abort this whole process when it
        cancels a task at the moment that a worker becomes free for it.
        """
        arrived, running = self._ray.wait(self._out.tasks, num_returns=max(1, len(self._out)), timeout=0)
        try:
            for task in arrived:
                with suppress(
                    self._ray.exceptions.RayError, GraphEdXError
                ):  # one trouble is enough: the first is raised
                    if task in self._out:
                        self._take_in(task, collect)
        finally:
            for task in running if cancel else ():
                if task in self._out and not self._schedule.hurries(self._out.errand_of(task)):
                    self._ray.cancel(task, force=True)

    def _look(self) -> None:
        """How many CPUs are there now?"""
        self._looked = time.monotonic()
        nodes = {node["NodeID"] for node in self._ray.nodes() if node["Alive"]}
        if self._nodes - nodes:
            self._out.node_lost(self._looked)
            # Ray asks for one worker at a time and node for the same function. If it asked the lost node, it waits for
            # about another minute before it asks again; a function of its own does not wait behind that request.
            self._generation += 1
            self._task = _task(self._ray, self._generation)
        self._nodes = nodes
        self._out.expire(self._looked)
        cpus = int(self._ray.cluster_resources().get("CPU", 0))
        if self._workers is not None and self._workers < cpus:
            self._schedule.workers = self._most = self._workers
        else:  # without any, tasks still go out: they ask an autoscaler for machines
            self._schedule.workers, self._most = max(1, cpus), _TASKS_A_CPU * max(1, cpus)
        # Hundreds of CPUs get longer tasks, since this process has to hand out all of them.
        self._schedule.seconds = _SECONDS_A_TASK * max(1.0, self._schedule.workers / 100)
        if cpus:
            self._had_cpus, self._warned = self._looked, False
        elif self._looked - self._had_cpus > _PATIENCE and not self._warned:
            self._warned = True
            warnings.warn(
                f"no machine of the Ray cluster has had a CPU for {_PATIENCE:g} s; waiting for one to join",
                RuntimeWarning,
                stacklevel=5,
            )

    def _send(self) -> None:
        while self._out.expected < self._most:
            errand = self._schedule.take() or self._out.next_copy()
            if errand is None:
                return
            task = self._task.remote(self._origin, errand.ids.tobytes(), errand.question.time_limit)
            self._out.send(task, errand, time.monotonic())

    def _receive(self, collect: Callable[[Block], None]) -> None:
        tasks = self._out.tasks
        arrived, _ = self._ray.wait(tasks, num_returns=1, timeout=_SECONDS_BETWEEN_LOOKS)
        if arrived:  # then all that have: looking at them one by one would take long where there are many CPUs
            arrived, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        for task in arrived:
            if task in self._out:  # unless a copy has arrived before it
                self._take_in(task, collect)

    def _take_in(self, task: Any, collect: Callable[[Block], None]) -> None:
        try:
            found = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, Exception) and not isinstance(cause, self._ray.exceptions.RayError):
                self._out.answered(task)
                raise cause from None  # the work's own error; else it is the process, the machine, or the way to it
            if (errand := self._out.failed(task)) is not None:
                self._schedule.lost(errand, line_of(error))
            return
        errand = self._out.answered(task)
        if isinstance(found, str):
            raise EngineError(found)
        content, seconds = found
        block = self._schedule.done(errand, Block.from_bytes(content), seconds)
        if len(block):
            collect(block)


# -- in the worker ----------------------------------------------------------------------------------------------------


def _task(ray: Any, generation: int = 0) -> Any:
    """What Ray runs: the answers of ``solve_errand``, or a complaint. Ray keeps generations apart."""

    # A function inside a function travels by value: it can say what is wrong where graphedx is not, or is another one.
    def solve(origin: tuple[str, str, Any], ids: bytes, time_limit: float | None) -> tuple[bytes, float] | str:
        import platform
        from importlib import import_module

        version, token, work = origin
        _ = generation  # part of what is pickled, and so of what Ray takes for the identity of the function
        where = f"{platform.node()} of the Ray cluster"
        try:
            found = import_module("graphedx").__version__
            if found != version:
                return f"{where} has graphedx {found}, but this is {version}; install the same"
            worker = import_module("graphedx.engine.ray_cluster")
        except ImportError as error:
            return f"graphedx cannot be used on {where}: {error}; install the same as here"
        answers: tuple[bytes, float] = worker.solve_errand(token, work, ids, time_limit)
        return answers

    return ray.remote(num_cpus=1, max_retries=0)(solve)


def solve_errand(token: str, reference: Any, ids: bytes, time_limit: float | None) -> tuple[bytes, float]:
    """A block of answers as bytes, and the seconds that they took; ``token`` is the name of the run."""
    if token not in _desks:
        _desks.clear()  # an earlier run's
        work = _unpacked(reference)
        _desks[token] = work.question, Desk(work)
    question, desk = _desks[token]
    start = time.monotonic()
    block = desk.solve(np.frombuffer(ids, dtype=np.int64), question._replace(time_limit=time_limit), Cancel())
    return block.to_bytes(), time.monotonic() - start


_desks: dict[str, tuple[Question, Desk]] = {}
"""This process's desk, by the name of the run; at most one."""


def _packed(ray: Any, work: Work) -> bytes:
    try:
        packed: bytes = ray.cloudpickle.dumps(replace(work))  # a copy without what it has computed and kept
    except Exception as error:
        raise EngineError(f"these costs or labels cannot be sent to other processes: {line_of(error)}") from error
    return packed


def _unpacked(reference: Any) -> Work:
    import ray

    content = ray.get(reference)
    try:
        work: Work = ray.cloudpickle.loads(content)
    except Exception as error:
        raise EngineError(
            f"a worker cannot read the costs or labels: {line_of(error)}; install the same there"
        ) from error
    return work


# -- the connection ---------------------------------------------------------------------------------------------------


def library() -> Any:
    """Ray, or an error that says how to get it."""
    try:
        import ray
        import ray.cloudpickle
        import ray.exceptions
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "ray":
            raise MissingExtraError("ray", "cluster") from None
        raise EngineError(f"Ray cannot be imported: {line_of(error)}; {_HOW_TO_REPAIR}") from None
    except Exception as error:  # an installation that is broken fails in many ways
        raise EngineError(f"Ray cannot be imported: {line_of(error)}; {_HOW_TO_REPAIR}") from None
    return ray


@contextmanager
def connected(ray: Any, address: str | None, workers: int | None) -> Iterator[bool]:
    """Connected for as long as this lasts, and whether by us; a connection that was there before stays."""
    if ray.is_initialized():
        yield False
        return
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if address == "local":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers
        settings |= {"num_cpus": worker_count(workers), "include_dashboard": False}
    elif address != "auto":
        _require_answer(address)
    try:
        try:
            ray.init(address, **settings)
        except Exception as error:  # Ray raises plain exceptions here as well
            raise EngineError(_connection_failure(ray, address, error)) from None
        with _silenced():
            yield True
    finally:
        ray.shutdown()


@contextmanager
def failures(ray: Any) -> Iterator[None]:
    """Turn an error of Ray itself into one line."""
    try:
        yield
    except ray.exceptions.RayError as error:
        raise EngineError(f"the Ray cluster failed: {line_of(error)}; what was solved before is kept") from None


def _connection_failure(ray: Any, address: str, error: Exception) -> str:
    """Return one line that says why Ray could not be started or reached, and what to do."""
    why = line_of(error)
    if "version mismatch" in why.lower():
        return f"the Ray cluster at {address} has other versions: {why}; install the same Ray and Python here"
    if isinstance(error, getattr(ray.exceptions, "AuthenticationError", ())) or "authentication token" in why.lower():
        return (
            f"the Ray cluster at {address} requires its token: {why}; copy the head's ~/.ray/auth_token to this machine"
        )
    if address == "local":
        return (
            f"Ray cannot start on this machine: {why}; free its ports and memory, "
            "give the address of a running cluster, or use the engine 'local'"
        )
    return f"no Ray cluster at {address}: {why}; {_HOW_TO_START}"


@contextmanager
def _silenced() -> Iterator[None]:
    """Ray prints of dead workers to standard output, whatever it is told; that is where results belong."""
    printer = sys.modules.get("ray._private.worker")
    if printer is None or not hasattr(printer, "print_to_stdstream"):
        yield  # another Ray: then it prints
        return
    original = printer.print_to_stdstream
    printer.print_to_stdstream = lambda *_, **__: None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        printer.print_to_stdstream = original  # type: ignore[attr-defined]


def _require_answer(address: str) -> None:
    """Ray tries for minutes to reach a cluster that is not there; the port knows at once."""
    host, _, port = address.rpartition(":")
    if "/" in host or not host or not port.isdecimal():
        raise EngineError(
            f"a Ray cluster's address is HOST:PORT of its head or 'auto', got {address!r}; "
            "this process has to run on a machine of the cluster"
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_ANSWER) as connection:
            if os.environ.get("RAY_USE_TLS", "0") == "1":
                return  # whoever listens would want to talk in secret
            connection.settimeout(_SECONDS_TO_ANSWER)
            connection.sendall(_HELLO)
            answer = connection.recv(9)
    except (OSError, OverflowError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise EngineError(f"no Ray cluster answers at {address}: {why}; {_HOW_TO_START}") from None
    if answer[3:4] != b"\x04":  # the settings that an HTTP/2 server begins with
        raise EngineError(f"what answers at {address} is no Ray cluster; the head's own port is 6379 by default")


def line_of(error: BaseException) -> str:
    """What it says, as one line of bearable length."""
    text = " ".join(str(error).split()) or type(error).__name__
    return (text if len(text) <= 300 else text[:297] + "...").rstrip(".")
