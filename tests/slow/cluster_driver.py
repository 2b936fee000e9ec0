"""The process of the user: ``cluster_driver.py SCENARIO FOLDER ADDRESS`` runs on the head of the cluster.

Its events go to ``FOLDER/events``, a line each; what it prints is what a user would see.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphedx as gx
from graphedx.costs import UNIFORM
from graphedx.engine.ray_cluster import RayEngine
from graphedx.engine.schedule import Schedule
from graphedx.search.shards import ShardedIndex

QUERIES = 20


def dense_graphs(count: int, nodes: int, edges: int, seed: int = 5) -> list[gx.Graph]:
    """Random graphs without labels, whose pairs take some milliseconds each."""
    rng = random.Random(seed)
    ends = [(i, j) for i in range(nodes) for j in range(i)]
    return [gx.Graph(nodes, rng.sample(ends, edges), name=f"g{k}") for k in range(count)]


def matrix_graphs() -> list[gx.Graph]:
    return dense_graphs(40, 13, 26)


def answers(index: Any, watch: Callable[[int], None] = lambda number: None) -> str:
    """Return the hits of all queries as JSON lines, with everything that does not depend on time."""
    lines = []
    for number, query in enumerate(dense_graphs(QUERIES, 12, 22, seed=9)):
        found = index.search(query, 5, costs=UNIFORM).to_dict()
        lines.append(json.dumps({key: found[key] for key in ("hits", "ties", "complete")}))
        watch(number)
    return "\n".join(lines)


def label(folder: Path, address: str) -> None:
    """Call the command line, as a user would."""
    from graphedx.cli import main

    sys.argv = ["graphedx", "label", str(folder / "there"), "--costs", "1,1,1,1"]
    sys.argv += ["--engine", "ray", "--address", address]
    main()


def matrix(folder: Path, address: str) -> None:
    gx.distance_matrix(matrix_graphs(), engine=RayEngine(address)).save(folder / "there.csv")


def search(folder: Path, address: str) -> None:
    with ShardedIndex(sorted((folder / "parts").iterdir()), address=address) as index:
        found = answers(index, lambda number: event(folder, "done", f"query {number}"))
    (folder / "there.json").write_text(found)


def event(folder: Path, *words: str) -> None:
    with (folder / "events").open("a") as file:
        file.write(json.dumps([time.time(), *words]) + "\n")


def watch_schedule(folder: Path) -> None:
    """Write down each errand that comes back or is lost."""
    done, lost = Schedule.done, Schedule.lost

    def watched_done(self: Schedule, errand: Any, *rest: Any) -> Any:
        event(folder, "done", f"{len(errand.ids)} pairs")
        return done(self, errand, *rest)

    def watched_lost(self: Schedule, errand: Any, why: str) -> None:
        event(folder, "lost", f"{len(errand.ids)} pairs: {why}")
        lost(self, errand, why)

    Schedule.done, Schedule.lost = watched_done, watched_lost  # type: ignore[method-assign]


if __name__ == "__main__":
    scenario, place, head = sys.argv[1:]
    watch_schedule(Path(place))
    {"label": label, "matrix": matrix, "search": search}[scenario](Path(place), head)
