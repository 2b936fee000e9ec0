"""A part whose process is lost is asked again as soon as it is open elsewhere; a stand-in for Ray loses processes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from graphedx.errors import EngineError, FormatError
from graphedx.search import shards
from graphedx.search.shards import ShardedIndex


class RayError(Exception):
    """The base of all errors of Ray."""


class RayActorError(RayError):
    """A process that is gone for now."""


class ActorDiedError(RayActorError):
    """A process that is gone for good."""


class TaskError(RayError):
    """An error of the code that ran in the process."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


class LosingRay:
    """A call is a list of what happens: an exception is raised, anything else is the answer."""

    exceptions = SimpleNamespace(RayError=RayError, RayActorError=RayActorError, ActorDiedError=ActorDiedError)

    def get(self, reference: Any, timeout: float | None = None) -> Any:
        if isinstance(reference, Exception):
            raise reference
        return reference


@pytest.fixture
def index_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ShardedIndex]:
    """An index of one part, whose calls and pings meet these events in turn."""
    monkeypatch.setattr(shards, "_SECONDS_BETWEEN_PINGS", 0.0)

    def make(calls: list[Any], pings: list[Any]) -> ShardedIndex:
        index = ShardedIndex([Path("part-0000.gxi")])
        waiting = {"ids": calls, "ping": pings}
        methods = {name: SimpleNamespace(remote=partial(waiting[name].pop, 0)) for name in waiting}
        index._ray, index._shards = LosingRay(), [SimpleNamespace(**methods)]
        return index

    return make


def gone() -> RayActorError:
    return RayActorError("connection refused")


def test_a_part_is_asked_again_when_it_is_open_again(index_of: Callable[..., ShardedIndex]) -> None:
    index = index_of([gone(), gone(), "answer"], [gone(), gone(), gone(), gone(), gone(), None, None])
    assert index._ask([0], "ids") == ["answer"]


def test_a_call_that_kills_its_process_is_given_up(index_of: Callable[..., ShardedIndex]) -> None:
    index = index_of([gone() for _ in range(9)], [None] * 9)
    with pytest.raises(EngineError, match=r"part-0000\.gxi was lost with its process, attempt 4: connection refused"):
        index._ask([0], "ids")


def test_a_process_that_never_comes_back_is_an_error(
    index_of: Callable[..., ShardedIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_RECOVERY_TIMEOUT", 0.0)
    with pytest.raises(EngineError, match=r"part-0000\.gxi was lost"):
        index_of([gone()], [gone()])._ask([0], "ids")


def test_a_process_that_was_ended_for_good_is_an_error_at_once(index_of: Callable[..., ShardedIndex]) -> None:
    with pytest.raises(EngineError, match="killed") as raised:
        index_of([gone()], [ActorDiedError("killed")])._ask([0], "ids")
    assert raised.value.__suppress_context__


def test_errors_of_the_part_itself_are_not_repeated(index_of: Callable[..., ShardedIndex]) -> None:
    with pytest.raises(FormatError, match="damaged"):
        index_of([TaskError(FormatError("damaged"))], [])._ask([0], "ids")
    with pytest.raises(EngineError, match="out of memory"):
        index_of([RayError("out of memory")], [])._ask([0], "ids")
