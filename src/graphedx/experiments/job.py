"""Jobs: the units of work that tables ask for; plain frozen values, so that two tables can ask for the same one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from graphedx.costs import UNIFORM, EditCosts
from graphedx.datasets.dataset import require_name
from graphedx.errors import ExperimentError
from graphedx.experiments import protocols
from graphedx.experiments.protocols import PUBLISHED

Value = bool | int | float | str
Settings = tuple[tuple[str, Value], ...]

_WORD = re.compile(r"[A-Za-z0-9_.+-]{1,100}")  # what may stand in a key, which is a path too
_HOUR, _TEST_PAIRS = 3600.0, 20_000

LOWER_BOUNDS = ("branch", "branch_tight", "anchor_aware", "f2")
"""What the paper calls lower-bound methods: under a time limit, both of their bounds are reported."""


def settings(**values: Value) -> Settings:
    """Settings of a model as a job takes them: sorted by name, numbers that are whole written one way.

    >>> settings(node_weight=1.0, edge_term="xor")
    (('edge_term', 'xor'), ('node_weight', 1))
    """
    return tuple((name, _plain(values[name])) for name in sorted(values))


class Job(ABC):
    """One unit of work: what it is says its ``key``, which is unique, readable and good for a path."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def key(self) -> str:
        """Its name among all jobs, with slashes between its parts."""

    @property
    @abstractmethod
    def guess(self) -> float:
        """How many seconds it may take where nothing like it was done before."""

    @property
    def needs(self) -> tuple[Job, ...]:
        """What has to be done before."""
        return ()

    @property
    def likeness(self) -> tuple[tuple[str, ...], ...]:
        """What tells how long it takes: jobs that are alike in the first take as long, else those in the second."""
        parts = tuple(self.key.split("/"))
        return (parts[:-1], parts[:2])

    def under(self, protocol: str) -> Job:
        """Return the same job with the training that it is, or rests on, under another protocol."""
        train = getattr(self, "train", None)
        return replace(self, train=train.under(protocol)) if isinstance(train, Train) else self  # type: ignore[type-var]

    def is_complete(self, outcome: Mapping[str, object]) -> bool:
        """Return whether an outcome has every number that the job gives now; older rows may lack some."""
        return True

    def to_json(self) -> dict[str, Any]:
        """Plain values, as ``job_from_json`` reads them."""
        return {"kind": self.kind} | {field.name: _json(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Prepare(Job):
    """A dataset with the exact distances of all its pairs; it leaves files and no row."""

    kind: ClassVar[str] = "prepare"

    dataset: str
    costs: str = "uniform"

    def __post_init__(self) -> None:
        _require_dataset(self.dataset)
        _require_costs(self.costs)

    @classmethod
    def of(cls, dataset: str, costs: str) -> Prepare:
        """That one for these costs; all costs without substitutions share their labels."""
        prices = EditCosts.parse(costs)
        return cls(dataset, costs if prices.node_sub or prices.edge_sub else "uniform")

    @property
    def key(self) -> str:
        return f"prepare/{self.dataset}/{self.costs}"

    @property
    def guess(self) -> float:
        return 60.0

    @property
    def needs(self) -> tuple[Job, ...]:
        """Two must not make the same folder at the same time."""
        return () if EditCosts.parse(self.costs) == UNIFORM else (Prepare(self.dataset),)


@dataclass(frozen=True, slots=True)
class Train(Job):
    """A model, trained by a protocol and tested on the test pairs of its dataset.

    Graphs are structure only, unless relabelling nodes costs something. What is not set is chosen as ``graphedx train``
    does. A cut after some epochs is no part of the job: the row says how many epochs the training had.
    """

    kind: ClassVar[str] = "train"

    dataset: str
    costs: str
    model: str
    settings: Settings = ()
    seed: int = 0
    protocol: str = PUBLISHED

    def __post_init__(self) -> None:
        _require_dataset(self.dataset)
        _require_costs(self.costs)
        _require_word("model", self.model)
        protocols.get(self.protocol)
        for name, value in self.settings:
            _require_word("setting", name)
            _require_word(name, _text(value))
        if self.settings != settings(**dict(self.settings)):
            raise ExperimentError(f"settings of a job are made by `settings(name=value)`, got {self.settings!r}")
        if type(self.seed) is not int or self.seed < 0:
            raise ExperimentError(f"seed must be a whole number >= 0, got {self.seed!r}")

    @property
    def key(self) -> str:
        chosen = ",".join(f"{name}={_text(value)}" for name, value in self.settings)
        parts = [self.kind, self.dataset, self.costs, self.model, *([chosen] if chosen else [])]
        parts += [] if self.protocol == PUBLISHED else [self.protocol]
        return "/".join([*parts, f"seed={self.seed}"])

    @property
    def guess(self) -> float:
        return _HOUR

    @property
    def needs(self) -> tuple[Job, ...]:
        return (Prepare.of(self.dataset, self.costs),)

    @property
    def likeness(self) -> tuple[tuple[str, ...], ...]:
        of_set = (self.kind, self.dataset)
        own = (*of_set, self.model, self._variant) if self._variant else (*of_set, self.model, "", self.costs)
        return (own, (*of_set, self.model), of_set)

    def under(self, protocol: str) -> Train:
        """Return the training under another protocol, with its λ if the protocol declares one."""
        given, weight = dict(self.settings), protocols.get(protocol).node_weight
        if weight is not None and "node_weight" in given:
            given["node_weight"] = weight
        return replace(self, settings=settings(**given), protocol=protocol)

    @property
    def _variant(self) -> str:
        """Of a model, such as an ablation: up to a few times as slow as the model itself, and then known by its own."""
        return str(dict(self.settings).get("variant", ""))


@dataclass(frozen=True, slots=True)
class Transfer(Job):
    """The model of a training on the test pairs of another dataset."""

    kind: ClassVar[str] = "transfer"

    train: Train
    dataset: str

    def __post_init__(self) -> None:
        _require_dataset(self.dataset)

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.dataset}/{self.train.key}"

    @property
    def guess(self) -> float:
        return 10.0

    @property
    def needs(self) -> tuple[Job, ...]:
        return (self.train, Prepare.of(self.dataset, self.train.costs))


@dataclass(frozen=True, slots=True)
class CostTransfer(Job):
    """The model of a training on its own test pairs, under so many random costs that it was not trained for."""

    kind: ClassVar[str] = "cost_transfer"

    train: Train
    draws: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        _require_count("draws", self.draws)

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.train.key}/draws={self.draws},seed={self.seed}"

    @property
    def guess(self) -> float:
        return 60.0

    @property
    def needs(self) -> tuple[Job, ...]:
        return (self.train, *self.train.needs)


@dataclass(frozen=True, slots=True)
class AnyCosts(Job):
    """A model that is shipped, which takes any costs, on test pairs under the costs that ``CostTransfer`` draws."""

    kind: ClassVar[str] = "any_costs"

    dataset: str
    model: str
    draws: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        _require_dataset(self.dataset)
        _require_word("model", self.model)
        _require_count("draws", self.draws)

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.dataset}/{self.model}/draws={self.draws},seed={self.seed}"

    @property
    def guess(self) -> float:
        return 60.0

    @property
    def needs(self) -> tuple[Job, ...]:
        return (Prepare(self.dataset),)


@dataclass(frozen=True, slots=True)
class _OfSomePairs(Job):
    """A measurement of a trained model on a random sample of its test pairs."""

    train: Train
    pairs: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        _require_count("pairs", self.pairs)

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.train.key}/pairs={self.pairs},seed={self.seed}"

    @property
    def guess(self) -> float:
        return 10.0

    @property
    def needs(self) -> tuple[Job, ...]:
        return (self.train, *self.train.needs)


@dataclass(frozen=True, slots=True)
class Example(_OfSomePairs):
    """How a trained model aligns edges, as their ends are aligned and by themselves; some test pairs, one in full."""

    kind: ClassVar[str] = "example"


@dataclass(frozen=True, slots=True)
class Properties(_OfSomePairs):
    """What the paper says of GraphEdX by design, measured: symmetry, the bound between its terms, late interaction."""

    kind: ClassVar[str] = "properties"


@dataclass(frozen=True, slots=True)
class Solve(Job):
    """A method, or a model that is shipped, on test pairs, with ``limit`` seconds a pair; on all if ``pairs`` is None.

    Some pairs are a random sample, the same for all methods.
    """

    kind: ClassVar[str] = "solve"

    dataset: str
    costs: str
    method: str
    limit: float | None = None
    pairs: int | None = 100
    seed: int = 0

    def __post_init__(self) -> None:
        _require_dataset(self.dataset)
        _require_costs(self.costs)
        _require_word("method", self.method)
        if self.limit is not None and not 0 <= self.limit < float("inf"):
            raise ExperimentError(f"limit must be a number of seconds >= 0 or None, got {self.limit!r}")
        if self.pairs is not None:
            _require_count("pairs", self.pairs)

    @property
    def key(self) -> str:
        limit = "none" if self.limit is None else f"{self.limit:g}s"
        pairs = "all" if self.pairs is None else f"{self.pairs},seed={self.seed}"
        return f"{self.kind}/{self.dataset}/{self.costs}/{self.method}/limit={limit}/pairs={pairs}"

    @property
    def guess(self) -> float:
        return 1.0 + (self.pairs or _TEST_PAIRS) * min(1.0, 1e-3 if self.limit is None else self.limit)

    @property
    def likeness(self) -> tuple[tuple[str, ...], ...]:
        return ((self.kind, self.dataset, self.method, str(self.limit), str(self.pairs)),)

    def is_complete(self, outcome: Mapping[str, object]) -> bool:
        return self.method not in LOWER_BOUNDS or self.limit is None or "lower_mse" in outcome

    @property
    def needs(self) -> tuple[Job, ...]:
        return (Prepare.of(self.dataset, self.costs),)


@dataclass(frozen=True, slots=True)
class _OfDataset(Job):
    """What there is one of for a dataset."""

    dataset: str

    def __post_init__(self) -> None:
        _require_dataset(self.dataset)

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.dataset}"

    @property
    def needs(self) -> tuple[Job, ...]:
        return (Prepare(self.dataset),)


@dataclass(frozen=True, slots=True)
class Statistics(_OfDataset):
    """The numbers of a dataset: sizes, pairs, and the mean distance under both of the paper's costs."""

    kind: ClassVar[str] = "statistics"

    @property
    def guess(self) -> float:
        return 5.0


@dataclass(frozen=True, slots=True)
class Timing(_OfDataset):
    """How long every model of this package takes for a test pair of a dataset, and for a step of training.

    All in one job: what they take beside each other is to be compared, and machines differ.
    """

    kind: ClassVar[str] = "timing"

    @property
    def guess(self) -> float:
        return 60.0


KINDS: Mapping[str, type[Job]] = {
    kind.kind: kind
    for kind in (Prepare, Train, Transfer, CostTransfer, AnyCosts, Example, Properties, Solve, Statistics, Timing)
}


def job_from_json(values: Mapping[str, Any]) -> Job:
    """What ``Job.to_json`` wrote; anything else is an ExperimentError."""
    try:
        kind = KINDS[values["kind"]]
        given = {name: value for name, value in values.items() if name != "kind"}
        if isinstance(given.get("settings"), dict):
            given["settings"] = settings(**given["settings"])
        if isinstance(given.get("train"), dict):
            given["train"] = job_from_json(given["train"])
        return kind(**given)
    except (KeyError, TypeError, AttributeError) as error:
        raise ExperimentError(f"this is no job: {str(values)[:200]} ({error})") from None


def _json(value: Any) -> Any:
    if isinstance(value, Job):
        return value.to_json()
    return dict(value) if isinstance(value, tuple) else value


def _plain(value: Value) -> Value:
    """1 and 1.0 are the same setting, and must not be two jobs."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _require_word(what: str, value: object) -> None:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        raise ExperimentError(f"{what} must be made of letters, digits and any of _.+-, got {value!r}")


def _require_count(what: str, value: object) -> None:
    if type(value) is not int or value < 1:
        raise ExperimentError(f"{what} must be a whole number >= 1, got {value!r}")


def _require_dataset(name: str) -> None:
    require_name(name)


def _require_costs(costs: object) -> None:
    if not isinstance(costs, str):
        raise ExperimentError(f"costs of a job are text, as EditCosts.parse reads it, got {costs!r}")
    EditCosts.parse(costs)
