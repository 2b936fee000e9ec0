"""Models on disk: a description in JSON and weights in safetensors; nothing in them is ever unpickled."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import Tensor, nn

from graphedx._files import AnyPath, as_path, atomic_write
from graphedx.costs import EditCosts
from graphedx.errors import GraphEdXError, MissingExtraError, ModelError
from graphedx.graph import Label
from graphedx.models.base import IN_THE_BOX, PairModel, make, version_of
from graphedx.models.layers.backend import on_the_cpu
from graphedx.models.predicting import Estimator

DESCRIPTION, BEST = "run.json", "best.safetensors"
FORMAT = 2
BOX = Path(__file__).parent / "weights"
"""The models that come with the package; docs/methods has a page for each."""
_drawing = Lock()
"""Whoever draws random numbers and puts the state back must be alone with it."""


def shipped_models() -> tuple[str, ...]:
    """The names of the models that come with the package."""
    return tuple(sorted(path.parent.name for path in BOX.glob(f"*/{DESCRIPTION}")))


def shipped_model(name: str) -> Estimator:
    """One of those, whatever folders are called so."""
    return load_model(BOX / name)


def load_model(folder: AnyPath) -> Estimator:
    """The model that ``graphedx train`` has left in a folder, with its best weights, or one that is shipped, by name.

    Raises:
        ModelError: there is none, a file is damaged, or the weights are of another model; the message names the file.
    """
    folder = as_path(folder)
    if str(folder) in shipped_models() and not (folder / DESCRIPTION).exists():
        return shipped_model(str(folder))
    description = read_description(folder / DESCRIPTION)
    path = folder / BEST
    tensors, about = load_tensors(path)
    require_same_run(about, description, path)
    try:
        with on_the_cpu():
            model = _model_of(description, tensors, path)
        node_del, node_ins, edge_del, edge_ins, node_sub, edge_sub = map(float, description["costs"])
        vocabulary = tuple(map(_as_label, description["vocabulary"]))
        if model.config.features != model.features(vocabulary):
            raise ValueError(f"{len(vocabulary)} labels are not {model.config.features} features")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, GraphEdXError):
            raise
        raise ModelError(f"{folder / DESCRIPTION}: is damaged: {error}") from None
    return Estimator(model.eval(), EditCosts(node_del, node_ins, edge_del, edge_ins, node_sub, edge_sub), vocabulary)


def read_description(path: Path) -> dict[str, Any]:
    """What a run is, as JSON says."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        shipped = ", ".join(shipped_models()) or "none"
        raise ModelError(
            f"{path}: no such file; `graphedx train` makes folders with models, shipped: {shipped}"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: is damaged or no description of a model: {error}") from None
    if not isinstance(found, dict) or "format" not in found:
        raise ModelError(f"{path}: is no description of a model")
    if found["format"] != FORMAT:
        raise ModelError(
            f"{path}: was written by another version of graphedx (format {found['format']}, this one has {FORMAT})"
        )
    return found


def fingerprint(description: dict[str, Any]) -> str:
    """SHA-256 of what a run is; each of its checkpoints carries it."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


def require_same_run(about: dict[str, Any], description: dict[str, Any], path: Path) -> None:
    """Refuse weights that were put beside the description of another run."""
    if about.get("run") != fingerprint(description):
        raise ModelError(f"{path}: these weights are of another run than {DESCRIPTION} beside them describes")


def save_tensors(path: Path, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors and plain values, whole or not at all; the same ones give the same bytes."""
    library = safetensors_library()
    plain = {name: tensor.contiguous() for name, tensor in tensors.items()}
    header, data = _parts(library.save(plain))
    # One entry only: safetensors writes several in an order that changes from call to call.
    notes = {"graphedx": json.dumps({**about, "digest": _digest(header, about, data)}, sort_keys=True)}
    content = library.save(plain, notes)
    with atomic_write(path, overwrite=True) as file:
        file.write(content)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What ``save_tensors`` wrote; whatever is wrong with the file is a ModelError that names it."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_tensors(content, path)


def parse_tensors(content: bytes, path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Likewise, from the content of the file."""
    library = safetensors_library()
    try:
        with on_the_cpu():
            tensors = library.load(content)
        header, data = _parts(content)
        about = json.loads(header.pop("__metadata__")["graphedx"])
        expected = about.pop("digest", None)  # older files have none
        if expected is not None and expected != _digest(header, about, data):
            raise ValueError("its content does not match its digest")
        # The library's tensors lie wherever they lay in the file; copies are aligned, as those of a run are.
        return {name: tensor.clone() for name, tensor in tensors.items()}, dict(about)
    except Exception as error:  # the library has errors of its own for damaged files
        raise ModelError(f"{path}: is damaged or holds no weights of graphedx: {error}") from None


def _parts(content: bytes) -> tuple[dict[str, Any], memoryview]:
    """The header and the data of a safetensors file."""
    end = 8 + int.from_bytes(content[:8], "little")
    return dict(json.loads(content[8:end])), memoryview(content)[end:]


def _digest(header: dict[str, Any], about: dict[str, Any], data: memoryview) -> str:
    """SHA-256 of names, types, shapes and bytes of tensors, and of the plain values beside them."""
    digest = hashlib.sha256(json.dumps([header, about], sort_keys=True).encode())
    digest.update(data)
    return digest.hexdigest()


def load_weights(model: nn.Module, tensors: dict[str, Tensor], path: Path) -> None:
    """Put weights into a model that they fit."""
    require_fitting(model, tensors, path)
    model.load_state_dict(tensors)


def require_fitting(model: nn.Module, tensors: dict[str, Tensor], path: Path) -> None:
    """Refuse weights of other names, shapes or types than the model's, and weights that are no numbers."""
    wanted = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in model.state_dict().items()}
    there = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in tensors.items()}
    if wanted != there:
        name = next(name for name in sorted(wanted | there) if wanted.get(name) != there.get(name))
        raise ModelError(f"{path}: these weights are of another model: {name} does not fit")
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise ModelError(f"{path}: is damaged: some weights are not finite")


def safetensors_library() -> Any:
    """safetensors.torch, or an error that says how to get it."""
    try:
        import safetensors.torch
    except ImportError:
        raise MissingExtraError("safetensors", "neural") from None
    return safetensors.torch


def _model_of(description: dict[str, Any], tensors: dict[str, Tensor], path: Path) -> PairModel:
    """Compared as shapes first, so that a description cannot ask for more memory than its weights take."""
    name, settings = description["model"], description["settings"]
    _require_version(name, settings, description.get("model_version", 1), path.parent / DESCRIPTION)
    try:
        with torch.device("meta"):
            outline = make(name, settings)
    except ModelError as error:
        raise ModelError(f"{path.parent / DESCRIPTION}: is damaged: {error}") from None
    require_fitting(outline, tensors, path)
    if name in IN_THE_BOX:  # all their numbers are weights: nothing need be drawn, and no other thread sees that it was
        outline.load_state_dict(tensors, assign=True)
        return outline
    with _drawing, torch.random.fork_rng(devices=[]):  # whoever loads a model keeps their random numbers
        model = make(name, settings)
    load_weights(model, tensors, path)
    return model


def _require_version(name: str, settings: dict[str, Any], found: Any, path: Path) -> None:
    """Refuse weights of a model whose equations have changed since."""
    try:
        wanted = version_of(name, settings)
    except ModelError as error:
        raise ModelError(f"{path}: is damaged: {error}") from None
    if found != wanted:
        raise ModelError(
            f"{path}: these weights are for version {found} of {name}, this graphedx has version {wanted} with other "
            "equations; train the model again"
        )


def _as_label(value: Any) -> Label:
    if isinstance(value, dict):
        raise ValueError("labels are text, numbers or lists of those")
    return tuple(map(_as_label, value)) if isinstance(value, list) else value
