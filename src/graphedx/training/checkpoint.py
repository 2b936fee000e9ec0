"""A run on disk: what it was made from, its best weights, and all that it needs to go on after a kill.

``run.json`` holds the model, its settings and how it is trained; ``best.safetensors`` the best weights so far;
``last.safetensors`` weights, best weights, optimizer and errors after the last whole epoch; ``history.csv`` a line an
epoch. The state of a run is ``last.safetensors`` alone: the files beside it are made from it, and made again where a
kill came between.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from graphedx._files import atomic_write, locked_folder, sweep
from graphedx.errors import ModelError, OutputError
from graphedx.models.saving import (
    BEST,
    DESCRIPTION,
    fingerprint,
    load_weights,
    parse_tensors,
    read_description,
    require_fitting,
    require_same_run,
    save_tensors,
)

LAST, HISTORY = "last.safetensors", "history.csv"


@dataclass(slots=True)
class Progress:
    """How far a run is: training and validation error of every epoch."""

    history: list[tuple[float, float]] = field(default_factory=list)

    @property
    def epoch(self) -> int:
        return len(self.history)

    @property
    def best(self) -> float:
        return min((validation for _, validation in self.history), default=float("inf"))

    @property
    def best_epoch(self) -> int:
        """The first that had the best validation error; 0 before there is one."""
        errors = [validation for _, validation in self.history]
        return errors.index(min(errors)) + 1 if errors else 0


@dataclass(slots=True)
class State:
    """All that changes while a run goes on."""

    model: nn.Module
    optimizer: torch.optim.Adam
    progress: Progress
    best: dict[str, Tensor]


def only_run(folder: Path | None) -> AbstractContextManager[None]:
    """While this lasts nobody else trains into the folder; one that is killed leaves it free.

    Raises:
        OutputError: somebody does, or it cannot be used as a folder.
    """
    if folder is None:
        return nullcontext()
    return locked_folder(folder, "another run is training into this folder; wait for it or choose another folder")


def begin(folder: Path, description: dict[str, Any]) -> bytes:
    """Begin a run in its folder, or take up the one that is there; returns its last checkpoint, empty if there is none.

    Raises:
        ModelError: the folder is of another run, or of something else.
    """
    path = folder / DESCRIPTION
    try:
        sweep(folder / name for name in (DESCRIPTION, BEST, LAST, HISTORY))
        others = [there.name for there in folder.iterdir() if not there.name.startswith(".")]
        if others and not path.exists():
            raise ModelError(f"{folder}: is not empty and holds no run (there is {min(others)}); choose another folder")
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used as a folder: {error.strerror or error}") from None
    if path.exists():
        _require_same(folder, read_description(path), description)
    else:
        with atomic_write(path, mode="w") as file:
            file.write(json.dumps(description, indent=1, sort_keys=True) + "\n")
    with suppress(FileNotFoundError):
        return (folder / LAST).read_bytes()
    return b""


def write(folder: Path, state: State, description: dict[str, Any], *, all_files: bool = False) -> None:
    """Keep the state after an epoch; the best weights too if they are new."""
    at, run = state.progress, fingerprint(description)
    if all_files or at.best_epoch == at.epoch:
        about = {"run": run, "epoch": at.best_epoch, "validation": at.best}
        save_tensors(folder / BEST, state.best, about)
    tensors = {f"model/{name}": tensor for name, tensor in state.model.state_dict().items()}
    tensors |= {f"best/{name}": tensor for name, tensor in state.best.items()}
    for name, weight in state.model.named_parameters():
        tensors |= {f"adam/{name}/{key}": value for key, value in state.optimizer.state.get(weight, {}).items()}
    tensors["history"] = torch.tensor(at.history, dtype=torch.float64).reshape(-1, 2)
    save_tensors(folder / LAST, tensors, {"run": run})
    with atomic_write(folder / HISTORY, overwrite=True, mode="w") as file:
        file.write("epoch,training,validation\n")
        file.writelines(f"{epoch},{loss!r},{error!r}\n" for epoch, (loss, error) in enumerate(at.history, 1))


def restore(content: bytes, state: State, description: dict[str, Any], path: Path) -> None:
    """Put a checkpoint's content into model, optimizer and progress."""
    tensors, about = parse_tensors(content, path)
    require_same_run(about, description, path)
    state.progress.history[:] = _history(tensors, path)
    best = _below("best/", tensors)
    require_fitting(state.model, best, path)
    state.best = best
    load_weights(state.model, _below("model/", tensors), path)
    for name, weight in state.model.named_parameters():
        memory = _below(f"adam/{name}/", tensors)
        shapes = {key: tuple(value.shape) for key, value in memory.items()}
        if shapes != {"step": (), "exp_avg": tuple(weight.shape), "exp_avg_sq": tuple(weight.shape)}:
            raise ModelError(f"{path}: is damaged: what Adam remembers of {name} is not there")
        state.optimizer.state[weight] = memory


def _history(tensors: dict[str, Tensor], path: Path) -> list[tuple[float, float]]:
    found = tensors.get("history")
    if found is None or found.dim() != 2 or found.shape[1] != 2 or not len(found) or not bool(found.isfinite().all()):
        raise ModelError(f"{path}: is damaged: its history is not there")
    return [(loss, error) for loss, error in found.tolist()]


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _require_same(folder: Path, there: dict[str, Any], ours: dict[str, Any]) -> None:
    found, wanted = _flat(there), _flat(ours)
    differing = [name for name in sorted(found | wanted) if found.get(name) != wanted.get(name)]
    if differing:
        name = differing[0]
        raise ModelError(
            f"{folder}: holds another run ({name} is {_short(found.get(name))} there and {_short(wanted.get(name))} "
            "here); choose another folder"
        )


def _flat(description: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Values by dotted name, as JSON has them."""
    found: dict[str, str] = {}
    for name, value in description.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = json.dumps(value)
    return found


def _short(text: str | None) -> str:
    return "not set" if text is None else text if len(text) <= 60 else f"{text[:57]}..."
