"""A run on disk: what it was made from, its best weights, and all that it needs to go on after a kill.

``run.json`` holds the model, its settings and how it is trained; ``best.safetensors`` the best weights so far;
``last.safetensors`` weights and optimizer after the last whole epoch; ``history.csv`` a line an epoch. Tensors and
plain values only: nothing in them is ever unpickled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from graphedx._files import atomic_write
from graphedx.errors import MissingExtraError, ModelError

DESCRIPTION, BEST, LAST, HISTORY = "run.json", "best.safetensors", "last.safetensors", "history.csv"
FORMAT = 1


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    epoch: int = 0
    best_epoch: int = 0
    best: float = float("inf")
    history: list[tuple[int, float, float]] = None  # type: ignore[assignment]  # epoch, training and validation error

    def __post_init__(self) -> None:
        if self.history is None:
            self.history = []


def save_tensors(path: Path, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors and plain values, whole or not at all."""
    content = _safetensors().save({name: tensor.contiguous() for name, tensor in tensors.items()}, _texts(about))
    with atomic_write(path, overwrite=True) as file:
        file.write(content)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What ``save_tensors`` wrote; whatever is wrong with the file is a ModelError that names it."""
    library = _safetensors()
    try:
        content = path.read_bytes()
        tensors: dict[str, Tensor] = library.load(content)
        length = int.from_bytes(content[:8], "little")
        about = json.loads(content[8 : 8 + length]).get("__metadata__", {})
        return tensors, {name: json.loads(text) for name, text in about.items()}
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file") from None
    except Exception as error:  # the library has errors of its own for damaged files
        raise ModelError(f"{path}: is damaged or holds no weights: {error}") from None


def optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """The optimizer's memory of each weight, by the weight's name."""
    found = {}
    for name, weight in model.named_parameters():
        for key, value in optimizer.state.get(weight, {}).items():
            found[f"{name}/{key}"] = value
    return found


def restore_optimizer(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Undo ``optimizer_tensors``."""
    for name, weight in model.named_parameters():
        memory = {key.rpartition("/")[2]: value for key, value in tensors.items() if key.startswith(f"{name}/")}
        if memory:
            optimizer.state[weight] = memory


def load_weights(model: nn.Module, tensors: dict[str, Tensor], where: Path) -> None:
    """Put weights into a model that they fit."""
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise ModelError(f"{where}: these weights are of another model: {' '.join(str(error).split())[:200]}") from None


def _texts(about: dict[str, Any]) -> dict[str, str]:
    return {name: json.dumps(value) for name, value in about.items()}


def _safetensors() -> Any:
    try:
        import safetensors.torch
    except ImportError:
        raise MissingExtraError("safetensors", "neural") from None
    return safetensors.torch
