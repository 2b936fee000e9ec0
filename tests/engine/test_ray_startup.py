"""A Ray that cannot be started, reached or imported is one line with a remedy, wherever Ray is used.

Ray itself is replaced by a stand-in: no process is started.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx.cli.app import app
from graphedx.engine import ray_cluster
from graphedx.engine.ray_cluster import RayEngine
from graphedx.errors import EngineError, MissingExtraError
from graphedx.experiments import pools
from graphedx.search import shards
from graphedx.search.shards import ShardedIndex, split
from matrix.samples import some_graphs

STARTUP = "The current node timed out during startup. This could happen because some of the raylet failed to startup."
VERSIONS = "Version mismatch: The cluster was started with:\n    Ray: 2.9.0\n    Python: 3.10.1\nThis one: 2.60.0"


class RayError(Exception):
    """The base of all errors of Ray."""


class AuthenticationError(RayError):
    """A token that is missing or wrong."""


def stand_in(error: Exception) -> Any:
    """Return a Ray whose start fails."""

    def init(*_: object, **__: object) -> None:
        raise error

    exceptions = SimpleNamespace(RayError=RayError, AuthenticationError=AuthenticationError)
    return SimpleNamespace(
        init=init, is_initialized=lambda: False, shutdown=lambda: None, exceptions=exceptions, __version__="2.60.0"
    )


def use_engine(folder: Path, address: str | None) -> None:
    gx.distance_matrix(some_graphs(3), engine=RayEngine(address))


def use_shards(folder: Path, address: str | None) -> None:
    with ShardedIndex(split(gx.GraphIndex.build(some_graphs(3)), folder / "parts", 1), address=address):
        pass


def use_pool(folder: Path, address: str | None) -> None:
    with pools.opened("ray", workers=1, address=address):
        pass


DOORS = {"engine": use_engine, "shards": use_shards, "experiments": use_pool}


@pytest.fixture(params=DOORS, ids=str)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    return lambda address=None: DOORS[request.param](tmp_path, address)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Let every start of Ray fail with an error."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray_cluster, "_require_answer", lambda address: None)

    def fail(error: Exception) -> None:
        for module in (ray_cluster, shards):
            monkeypatch.setattr(module, "library", lambda: stand_in(error))

    return fail


@pytest.mark.parametrize(
    ("address", "error", "parts"),
    [
        (None, Exception(STARTUP), ["Ray cannot start on this machine", "timed out", "free its ports", "'local'"]),
        (None, OSError(98, "Address already in use"), ["Ray cannot start on this machine", "Address already in use"]),
        ("auto", ConnectionError("Could not find any running Ray instance."), ["no Ray cluster at auto", "ray start"]),
        ("h:1", RuntimeError(VERSIONS), ["the Ray cluster at h:1 has other versions", "2.9.0", "install the same"]),
        ("h:1", AuthenticationError("no token"), ["the Ray cluster at h:1 requires its token", "auth_token"]),
        ("h:1", RayError("timed out"), ["no Ray cluster at h:1: timed out", "ray start --head"]),
    ],
    ids=["start-up", "port taken", "none here", "versions", "token", "timeout"],
)
def test_a_failure_is_one_line_with_a_remedy(
    door: Callable[..., None],
    failing: Callable[[Exception], None],
    address: str | None,
    error: Exception,
    parts: list[str],
) -> None:
    failing(error)
    with pytest.raises(EngineError) as raised:
        door(address)
    message = str(raised.value)
    assert "\n" not in message and all(part in message for part in parts), message
    assert raised.value.__suppress_context__, "the traceback of Ray must not be shown"


def test_ray_that_is_not_installed(door: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'graphedx\[cluster\]'"):
        door()


@pytest.mark.parametrize("error", [TypeError("Descriptors cannot be created"), ModuleNotFoundError("no", name="yaml")])
def test_ray_that_is_broken(door: Callable[..., None], monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    class Broken:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "ray":
                raise error

    for name in [name for name in sys.modules if name.partition(".")[0] == "ray"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    with pytest.raises(EngineError, match=r"Ray cannot be imported: .*; install it again: pip install") as raised:
        door()
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("command", ["label", "matrix", "experiment"])
def test_the_command_line_shows_the_line_and_nothing_else(
    command: str, failing: Callable[[Exception], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small_dataset(tmp_path / "small", 9)
    gx.write(some_graphs(3), "graphs.jsonl")
    arguments = {
        "label": ["label", "small"],
        "matrix": ["matrix", "graphs.jsonl", "-o", "matrix.csv"],
        "experiment": ["experiment", "run", "datasets"],
    }[command]
    failing(Exception(STARTUP))
    done = CliRunner().invoke(app, [*arguments, "--engine", "ray"])
    assert done.exit_code == 1, done.output
    lines = done.stderr.splitlines()
    assert lines[-1].startswith("graphedx: Ray cannot start on this machine: The current node timed out")
    assert "Traceback" not in done.output


def test_a_cluster_that_fails_later_is_one_line() -> None:
    message = "the Ray cluster failed: gone; what was solved before is kept"
    with pytest.raises(EngineError, match=message) as raised, ray_cluster.failures(stand_in(Exception())):
        raise RayError("gone")
    assert raised.value.__suppress_context__
