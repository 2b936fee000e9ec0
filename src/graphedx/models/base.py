"""What every model is: graphs and pairs of them in, a guess of each pair's distance out; made from a config by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, ClassVar, Literal, TypeVar

import torch
from torch import Tensor, nn

from graphedx.errors import MissingExtraError, ModelError
from graphedx.graph import Graph, Label
from graphedx.models.batching import GraphBatch, graph_batch

Choice = TypeVar("Choice", bound=Enum)

MOST_WEIGHTS = 10**8
"""Of a model: those of the models that are trained here are thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """What a model is made from; plain values, so that it can be kept beside the weights as JSON."""

    features: int = 1  # of a node

    @classmethod
    def version(cls, settings: Mapping[str, Any]) -> int:
        """The version of the equations under these settings, which older code may have written.

        It rises when a model changes. Weights of another version are refused.
        """
        return 1

    def to_json(self) -> dict[str, Any]:
        return {key: value.value if isinstance(value, Enum) else value for key, value in asdict(self).items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ModelConfig:
        known = {field.name: field.default for field in fields(cls)}
        checked = {}
        for key, value in values.items():
            if key not in known:
                raise ModelError(f"{cls.__name__} has no setting {key!r}; it has {', '.join(sorted(known))}")
            checked[key] = _like(known[key], value, key)
        return cls(**checked)


def member(kind: type[Choice], value: Choice | str) -> Choice:
    """The member of an enum that a setting names."""
    try:
        return kind(value)
    except ValueError:
        raise ModelError(f"there is no {value!r}; take one of {', '.join(one.value for one in kind)}") from None


def require_counts(config: ModelConfig, most: int, *names: str) -> None:
    """Refuse settings that are no counts from 1 to ``most``."""
    for name in names:
        if not 1 <= getattr(config, name) <= most:
            raise ModelError(f"{name} must be between 1 and {most:,}, got {getattr(config, name):,}")


class PairModel(nn.Module, ABC):
    """A guess of the distance of pairs of graphs."""

    name: ClassVar[str]
    any_costs: ClassVar[bool] = False  # whether it can guess for costs that it was not trained with
    any_labels: ClassVar[bool] = False  # whether it needs no vocabulary
    aligns: ClassVar[bool] = False  # whether it has ``soft_alignment``
    # Late: graphs meet only after each was encoded. Early: they look at each other all the way, which is work a pair.
    interaction: ClassVar[Literal["early", "late"]] = "late"
    output: ClassVar[Literal["distance", "similarity"]] = "distance"  # of the network; similarities are mapped back
    config: ModelConfig

    @abstractmethod
    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> Any:
        """What of each graph does not depend on what it is compared with: tensors, graph after graph, in tuples.

        With costs, (6,) or (K, 6), it is going to be compared under those only; models that take no others need them.

        Raises:
            ModelError: the model cannot take such graphs.
        """

    @abstractmethod
    def compare(self, graphs: GraphBatch, encoded: Any, pairs: Tensor, costs: Tensor) -> Tensor:
        """(K,) distances of the pairs (K, 2) of graphs of the batch, source first, under costs (6,)."""

    def forward(self, graphs: GraphBatch, pairs: Tensor, costs: Tensor, evidence: Tensor | None = None) -> Tensor:
        return self.compare_given(graphs, self.encode(graphs, costs), pairs, costs, evidence)

    def evidence(self, graphs: GraphBatch, pairs: Tensor, costs: Tensor) -> Tensor | None:
        """(K, E) what is known of the pairs whatever the weights are, so that training asks for it only once."""
        return None

    def compare_given(
        self, graphs: GraphBatch, encoded: Any, pairs: Tensor, costs: Tensor, evidence: Tensor | None
    ) -> Tensor:
        """As ``compare``, with the evidence at hand; models that need none override nothing."""
        return self.compare(graphs, encoded, pairs, costs)

    def distances_and_penalty(
        self, graphs: GraphBatch, pairs: Tensor, costs: Tensor, evidence: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As ``forward``, and what training adds to its loss besides the error: (K,) and (); 0 for most models."""
        distances: Tensor = self(graphs, pairs, costs, evidence)
        return distances, distances.new_zeros(())

    def joined(self, encoded: Sequence[Any]) -> Any:
        """What ``encode`` would have given for all graphs at once; models whose rows are no rows of graphs override."""
        first = encoded[0]
        if isinstance(first, Tensor):
            return torch.cat(list(encoded))
        parts = [self.joined(part) for part in zip(*encoded, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)

    @classmethod
    def batch(cls, graphs: Sequence[Graph], vocabulary: Sequence[Label]) -> GraphBatch:
        """Graphs as the model takes them."""
        return graph_batch(graphs, vocabulary)

    @classmethod
    def features(cls, vocabulary: Sequence[Label]) -> int:
        """How many features of a node there are in such a batch."""
        return max(1, len(vocabulary))

    def require_features(self, graphs: GraphBatch) -> None:
        """Refuse nodes that are described otherwise than those that the model was made for."""
        if graphs.x.shape[1] != self.config.features:
            raise ModelError(
                f"this model takes {self.config.features} features a node, got {graphs.x.shape[1]}; "
                "make the batch with the labels that the model was trained with"
            )

    def require_size(self, nodes: int) -> None:
        """Refuse graphs of more nodes than the model was made for, if it was made for so many."""
        most = getattr(self.config, "max_nodes", None)
        if isinstance(most, int) and nodes > most:
            raise ModelError(
                f"this model takes graphs of at most {most} nodes, got one of {nodes}; "
                "train one with a larger max_nodes"
            )

    def soft_alignment(self, encoded: Any, source: int, target: int) -> Tensor:
        """The alignment (N, N) by which two encoded graphs are compared, both padded to N nodes, padding last.

        Raises:
            ModelError: this model does not align nodes.
        """
        raise ModelError(f"{self.name} does not align nodes; these models do: {', '.join(aligning_models())}")

    def soft_pair_alignment(self, encoded: Any, source: int, target: int) -> Tensor:
        """The alignment (M, M) of the node pairs u < v of two encoded graphs, both padded to N nodes.

        M is N (N - 1) / 2, in the order (0, 1), (0, 2), ... of ``itertools.combinations``. By default it follows from
        that of the nodes: ``S[(u, v), (u', v')] = P[u, u'] P[v, v'] + P[u, v'] P[v, u']``.

        Raises:
            ModelError: this model does not align nodes.
        """
        plan = self.soft_alignment(encoded, source, target)
        low, high = torch.triu_indices(len(plan), len(plan), 1, device=plan.device)
        straight = plan[low][:, low] * plan[high][:, high]
        return straight + plan[low][:, high] * plan[high][:, low]


def _like(default: Any, value: Any, key: str) -> Any:
    """The value as the type of the setting's default; JSON and the command line do not tell 1 from 1.0."""
    if isinstance(default, Enum):
        choices = [choice.value for choice in type(default)]
        if value not in choices and not isinstance(value, type(default)):
            raise ModelError(f"{key} must be one of {', '.join(map(str, choices))}, got {value!r}")
        return type(default)(value)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if default is not None and type(value) is not type(default):
        raise ModelError(f"{key} must be of type {type(default).__name__}, got {value!r}")
    return value


IN_THE_BOX = (
    "bracket",
    "egsc",
    "eric",
    "gmn_embed",
    "gmn_match",
    "graphedx",
    "graphsim",
    "greed",
    "h2mn",
    "isonet",
    "simgnn",
)
"""The models of this package, each in the module of its name, which is imported when the model is asked for."""
ENTRY_POINTS = "graphedx.models"
"""The group in which other packages say which module registers a model; read where a name is not known otherwise."""
_MODELS: dict[str, tuple[type[ModelConfig], type[PairModel]]] = {}
Model = TypeVar("Model", bound=type[PairModel])


def register(name: str, config: type[ModelConfig]) -> Callable[[Model], Model]:
    """Make a class known by a name.

    Raises:
        ModelError: a model of this package has that name.
    """

    def known(model: Model) -> Model:
        if name in IN_THE_BOX and model.__module__ != f"{__package__}.{name}":
            raise ModelError(f"{name} is a model of graphedx itself; register {model.__name__} by another name")
        model.name = name
        _MODELS[name] = config, model
        return model

    return known


def models() -> tuple[str, ...]:
    """The names of all models: those of this package, and those that were registered."""
    return tuple(sorted({*IN_THE_BOX, *_MODELS}))


def installed_models() -> tuple[str, ...]:
    """The names of the models that other installed packages bring; none of them is imported."""
    return tuple(sorted(set(entry_points(group=ENTRY_POINTS).names) - set(IN_THE_BOX)))


def aligning_models() -> tuple[str, ...]:
    """The names of those that align nodes."""
    return tuple(name for name in models() if kind_of(name).aligns)


def make(name: str, settings: dict[str, Any]) -> PairModel:
    """A new model of this name; its weights are float32, as graphs are, whatever the caller's default is."""
    config, model = _known(name)
    weights = weights_of(name, settings)
    if weights > MOST_WEIGHTS:
        raise ModelError(f"with these settings {name} has {weights:,} weights; at most {MOST_WEIGHTS:,} are allowed")
    made = model(config.from_json(settings))
    return made if torch.get_default_dtype() == torch.float32 else made.float()


def weights_of(name: str, settings: dict[str, Any]) -> int:
    """How many weights the model of this name has; by their shapes, so that they need not fit into memory."""
    config, model = _known(name)
    with torch.device("meta"):
        return sum(weight.numel() for weight in model(config.from_json(settings)).parameters())


def version_of(name: str, settings: Mapping[str, Any]) -> int:
    """The version of the equations of this model under these settings."""
    return _known(name)[0].version(settings)


def kind_of(name: str) -> type[PairModel]:
    """The class of the model of this name."""
    return _known(name)[1]


def setting_names(name: str) -> frozenset[str]:
    """What can be set for the model of this name."""
    return frozenset(field.name for field in fields(_known(name)[0]))


def _known(name: str) -> tuple[type[ModelConfig], type[PairModel]]:
    if name not in _MODELS:
        if name in IN_THE_BOX:
            _import_own(name)
        else:
            _import_installed(name)
    return _MODELS[name]


def _import_own(name: str) -> None:
    try:
        import_module(f"{__package__}.{name}")
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] != "torch_geometric":
            raise
        raise MissingExtraError("torch_geometric", "neural") from None


def _import_installed(name: str) -> None:
    found = {point.value: point for point in entry_points(group=ENTRY_POINTS, name=name)}
    if not found:
        known = sorted({*models(), *installed_models()})
        raise ModelError(f"there is no model {name!r}; there are {', '.join(known)}")
    if len(found) > 1:
        raise ModelError(f"several packages bring a model {name!r} ({', '.join(sorted(found))}); keep one of them")
    [(where, point)] = found.items()
    try:
        point.load()
    except Exception as error:  # whatever a module of somebody else may raise when it is imported
        raise ModelError(f"the model {name!r} cannot be imported from {where}: {error}") from error
    if name not in _MODELS:
        raise ModelError(f"{where} has no model {name!r}; its class needs @register({name!r}, ...)")
