"""EditCosts: what each edit costs, as numbers, per-label tables or callables; and the presets that have a meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from graphedx.errors import CostError, GraphError
from graphedx.graph import Graph, Label, same_label

T = TypeVar("T")
Matrix = NDArray[np.float64]
MOST = 1e290
"""No cost may be larger: sums of many of them must stay finite."""
LEAST = 1e-280
"""No cost above 0 may be smaller: a double could not hold the unit in which proofs count."""
_MOST_KEPT = 10_000  # entries of a table: 256 of them stay below 50 MB


def amount(value: float) -> str:
    """A cost or a distance for people: all digits that a double is sure of, and none of the noise of sums.

    >>> amount(1234569.0), amount(0.1 + 0.2)
    ('1234569', '0.3')
    """
    return f"{value:.15g}"


class LabelTable(Mapping[Any, float]):
    """A frozen, hashable copy of a per-label cost table; keeps the default of a ``defaultdict``."""

    __slots__ = ("_costs", "_default")

    def __init__(self, costs: Mapping[Any, float], default: float | None = None) -> None:
        self._costs: dict[Any, float] = dict(costs)
        self._default = default

    def __getitem__(self, label: Any) -> float:
        if self._default is None:
            return self._costs[label]
        return self._costs.get(label, self._default)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._costs)

    def __len__(self) -> int:
        return len(self._costs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelTable) and (self._costs, self._default) == (other._costs, other._default)

    def __hash__(self) -> int:
        return hash((frozenset(self._costs.items()), self._default))

    def __repr__(self) -> str:
        default = "" if self._default is None else f", default={amount(self._default)}"
        return f"LabelTable({self._costs}{default})"

    def listed(self, label: Any, otherwise: float) -> float:
        """Return the cost that is listed for this label; the table's default does not count."""
        return self._costs.get(label, otherwise)

    def transposed(self) -> LabelTable:
        """The table of a substitution read from the other side: (b, a) instead of (a, b)."""
        return LabelTable({(b, a): cost for (a, b), cost in self._costs.items()}, self._default)


@dataclass(frozen=True, slots=True)
class SwappedArguments:
    """A substitution callable seen from the other side; swapping it again gives the original back."""

    function: Callable[[Any, Any], float]

    def __call__(self, a: Any, b: Any) -> float:
        return self.function(b, a)


Cost = float | Mapping[Any, float] | Callable[..., float]


class CostTables(NamedTuple):
    """The costs of one pair of graphs by label class (see ``Graph.node_classes``): plain matrices, all checked."""

    node_del: Matrix  # (source node classes,)
    node_ins: Matrix  # (target node classes,)
    node_sub: Matrix  # (source node classes, target node classes)
    edge_del: Matrix  # (source edge classes,)
    edge_ins: Matrix  # (target edge classes,)
    edge_sub: Matrix  # (source edge classes, target edge classes)


@dataclass(frozen=True, slots=True)
class EditCosts:
    """What each edit costs: a number >= 0, a table by label, or a callable on labels.

    Deletion and insertion take one label, substitution takes two (a table is keyed by the pair, source first). A table
    that should cover unlisted labels is a ``defaultdict``. A substitution dearer than deleting and inserting is legal;
    the optimum then deletes and inserts. Costs above 0 lie between ``LEAST`` and ``MOST``.

    Equal labels: a substitution cost that is a number applies to unequal labels only. A table applies to equal labels
    where it lists them (its default does not), and otherwise they cost nothing. A callable is evaluated for equal
    labels, too: ``lambda a, b: 5`` makes every substitution cost 5. The distance of a graph to itself is 0 only where
    equal labels cost nothing.

    A callable is evaluated anew in every call of a solver, once per pair of distinct labels. It must not distinguish
    labels that compare equal, such as 1, 1.0 and True: the value for the first one serves all of them.

    >>> EditCosts(3, 1, 2, 1, 0, 0)
    EditCosts(3,1,2,1,0,0)
    >>> EditCosts(node_del=3).swapped()
    EditCosts(1,3,1,1,1,1)
    """

    node_del: Cost = 1.0
    node_ins: Cost = 1.0
    edge_del: Cost = 1.0
    edge_ins: Cost = 1.0
    node_sub: Cost = 1.0
    edge_sub: Cost = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _checked(field.name, getattr(self, field.name)))

    def __repr__(self) -> str:
        parts = (getattr(self, field.name) for field in fields(self))
        return f"EditCosts({','.join(amount(p) if isinstance(p, float) else repr(p) for p in parts)})"

    def swapped(self) -> EditCosts:
        """The costs of going the other way: ``ged(a, b, costs) == ged(b, a, costs.swapped())``."""
        return EditCosts(
            node_del=self.node_ins,
            node_ins=self.node_del,
            edge_del=self.edge_ins,
            edge_ins=self.edge_del,
            node_sub=_transposed(self.node_sub),
            edge_sub=_transposed(self.edge_sub),
        )

    @property
    def all_numbers(self) -> bool:
        """Whether no cost is a table or a callable."""
        return all(isinstance(getattr(self, field.name), float) for field in fields(self))

    @property
    def has_callables(self) -> bool:
        """Whether a cost is a callable, whose values may differ from call to call."""
        return any(not isinstance(getattr(self, field.name), float | LabelTable) for field in fields(self))

    def free_on_equal_labels(self, node_labels: Iterable[Label], edge_labels: Iterable[Label]) -> bool:
        """Return whether every one of these labels is substituted by itself at no cost.

        >>> EditCosts(node_sub=lambda a, b: 5).free_on_equal_labels(["C"], [])
        False
        """
        return all(
            isinstance(cost, float) or all(substitution_cost(name, cost, label, label) == 0 for label in labels)
            for name, cost, labels in (
                ("node_sub", self.node_sub, node_labels),
                ("edge_sub", self.edge_sub, edge_labels),
            )
        )

    def tables(self, source: Graph, target: Graph) -> CostTables:
        """Evaluate the costs once for every label class of the two graphs."""
        require_comparable(source, target)
        return tables_for_labels(
            self, source.node_classes[0], target.node_classes[0], source.edge_classes[0], target.edge_classes[0]
        )

    @classmethod
    def parse(cls, text: str) -> EditCosts:
        """From a preset's name, or ``node_del,node_ins,edge_del,edge_ins[,node_sub[,edge_sub]]`` (subs default 0).

        >>> EditCosts.parse("3,1,2,1")
        EditCosts(3,1,2,1,0,0)
        """
        if not isinstance(text, str):
            raise CostError(f"costs are parsed from a preset's name or numbers in a text, got {type(text).__name__}")
        if text.strip().lower().replace("_", "-") in PRESETS:
            return PRESETS[text.strip().lower().replace("_", "-")]
        parts = text.split(",")
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            numbers = []
        if not 4 <= len(numbers) <= 6:
            raise CostError(
                f"costs {text!r} are neither node_del,node_ins,edge_del,edge_ins[,node_sub[,edge_sub]] "
                f"nor one of {', '.join(PRESETS)}"
            )
        return cls(*numbers, *[0.0] * (6 - len(numbers)))


def require_costs(costs: object) -> None:
    """Refuse what is no EditCosts, such as a preset's name or a bare tuple."""
    if not isinstance(costs, EditCosts):
        hint = "; for text use EditCosts.parse" if isinstance(costs, str) else ""
        raise CostError(f"costs must be an EditCosts, got {costs!r}{hint}")


def require_comparable(source: Graph, target: Graph) -> None:
    """Refuse a directed graph paired with an undirected one."""
    if source.directed != target.directed:
        one, other = ("directed", "undirected") if source.directed else ("undirected", "directed")
        raise GraphError(f"the source is {one} but the target is {other}: convert one of them first")


def kept_if_few(made: Callable[..., T]) -> Callable[..., T]:
    """Cache what is made of costs and four lists of labels, unless it is large or depends on a callable.

    The values of a callable may change between two calls, so nothing that was computed from one is reused.
    """
    kept = lru_cache(maxsize=256)(made)

    @wraps(made)
    def tables(costs: EditCosts, *labels: tuple[Label, ...]) -> T:
        a, b, c, d = labels
        few = (len(a) + 1) * (len(b) + 1) <= _MOST_KEPT and (len(c) + 1) * (len(d) + 1) <= _MOST_KEPT
        return (kept if few and not costs.has_callables else made)(costs, *labels)

    return tables


@kept_if_few
def tables_for_labels(
    costs: EditCosts,
    source_nodes: tuple[Label, ...],
    target_nodes: tuple[Label, ...],
    source_edges: tuple[Label, ...],
    target_edges: tuple[Label, ...],
) -> CostTables:
    """The checked cost matrices for these distinct labels."""
    return CostTables(
        node_del=_vector("node_del", costs.node_del, source_nodes),
        node_ins=_vector("node_ins", costs.node_ins, target_nodes),
        node_sub=_matrix("node_sub", costs.node_sub, source_nodes, target_nodes),
        edge_del=_vector("edge_del", costs.edge_del, source_edges),
        edge_ins=_vector("edge_ins", costs.edge_ins, target_edges),
        edge_sub=_matrix("edge_sub", costs.edge_sub, source_edges, target_edges),
    )


def _checked(name: str, cost: Any) -> Cost:
    if isinstance(cost, Mapping):
        for key in cost:
            if name.endswith("_sub") and not (isinstance(key, tuple) and len(key) == 2):
                raise CostError(f"{name} is keyed by pairs of labels (source, target), got {key!r}")
        if isinstance(cost, LabelTable):
            return cost
        factory = getattr(cost, "default_factory", None)
        default = None if factory is None else _number(f"the default of {name}", factory())
        return LabelTable({key: _number(f"{name}[{key!r}]", value) for key, value in cost.items()}, default)
    if callable(cost):
        return cast("Callable[..., float]", cost)
    return _number(name, cost)


def _number(what: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, str | bytes | bytearray) else float(value)
    except OverflowError:
        raise CostError(f"{what} must be finite and >= 0, got a whole number beyond all floats") from None
    except (TypeError, ValueError):
        raise CostError(f"{what} must be a number >= 0, got {value!r}") from None
    if not (math.isfinite(number) and number >= 0):
        raise CostError(f"{what} must be finite and >= 0, got {value!r}")
    if number > MOST:
        raise CostError(f"{what} must be at most {MOST:g}, since sums of costs must stay finite, got {value!r}")
    if 0 < number < LEAST:
        raise CostError(f"{what} must be 0 or at least {LEAST:g}, since less cannot be proven, got {value!r}")
    return number + 0.0  # -0.0 becomes 0.0


def label_cost(name: str, cost: Cost, *labels: Hashable) -> float:
    """Return a cost for these labels, one or two of them.

    Raises:
        CostError: a table does not list the labels, a callable fails, or the value is no cost.
    """
    shown = labels[0] if len(labels) == 1 else labels
    if isinstance(cost, float):
        return cost
    if isinstance(cost, Mapping):
        try:
            return cost[shown]
        except KeyError:
            raise CostError(f"{name} has no cost for {shown!r}; add it, or use a defaultdict") from None
    call = f"{name}({', '.join(map(repr, labels))})"
    try:
        value = cost(*labels)
    except Exception as error:
        raise CostError(f"{call} failed: {type(error).__name__}: {error}") from error
    return _number(call, value)


def substitution_cost(name: str, cost: Cost, old: Label, new: Label) -> float:
    """Return the cost of a substitution; equal labels are free unless a table lists them or a callable has a cost."""
    if same_label(old, new) and isinstance(cost, float | LabelTable):
        return 0.0 if isinstance(cost, float) else cost.listed((old, new), 0.0)
    return label_cost(name, cost, old, new)


def _vector(name: str, cost: Cost, labels: tuple[Label, ...]) -> Matrix:
    vector = np.array([label_cost(name, cost, label) for label in labels], dtype=np.float64)
    vector.flags.writeable = False
    return vector


def _matrix(name: str, cost: Cost, rows: tuple[Label, ...], columns: tuple[Label, ...]) -> Matrix:
    values = [[substitution_cost(name, cost, a, b) for b in columns] for a in rows]
    matrix = np.array(values, dtype=np.float64).reshape(len(rows), len(columns))
    matrix.flags.writeable = False
    return matrix


def _transposed(cost: Cost) -> Cost:
    if isinstance(cost, float):
        return cost
    if isinstance(cost, LabelTable):
        return cost.transposed()
    if isinstance(cost, SwappedArguments):
        return cost.function
    return cast("Cost", SwappedArguments(cast("Callable[[Any, Any], float]", cost)))


UNIT = EditCosts()
"""Every edit costs 1, relabelling too."""
UNIFORM = EditCosts(1, 1, 1, 1, 0, 0)
"""The paper's uniform regime: structure only."""
NON_UNIFORM = EditCosts(3, 1, 2, 1, 0, 0)
"""The paper's non-uniform regime: structure only."""
EDGE_ONLY = EditCosts(0, 0, 2, 1, 0, 0)
"""The paper's regime in which nodes are free."""
LABELLED = EditCosts(1, 1, 1, 1, 1, 0)
"""The paper's uniform regime with node substitution."""
ISOMORPHISM = UNIT
"""The distance is 0 exactly if the graphs are isomorphic, labels included."""
SUBGRAPH_ISOMORPHISM = EditCosts(node_del=1, node_ins=0, edge_del=1, edge_ins=0, node_sub=1, edge_sub=1)
"""The distance is 0 exactly if the source is a (not necessarily induced) subgraph of the target, labels included."""
MAX_COMMON_EDGE_SUBGRAPH = EditCosts(node_del=0, node_ins=0, edge_del=1, edge_ins=1, node_sub=1e6, edge_sub=2)
"""The distance is ``m + m' - 2c`` with c the most edges, labels included, that a subgraph of both can have."""
MAX_COMMON_SUBGRAPH = EditCosts(node_del=1, node_ins=1, edge_del=1, edge_ins=1, node_sub=1e6, edge_sub=2)
"""The distance is ``n + m + n' + m' - 2s`` with s the most nodes plus edges that a subgraph of both can have."""

PRESETS: Mapping[str, EditCosts] = {
    "unit": UNIT,
    "uniform": UNIFORM,
    "non-uniform": NON_UNIFORM,
    "edge-only": EDGE_ONLY,
    "labelled": LABELLED,
    "isomorphism": ISOMORPHISM,
    "subgraph-isomorphism": SUBGRAPH_ISOMORPHISM,
    "max-common-edge-subgraph": MAX_COMMON_EDGE_SUBGRAPH,
    "max-common-subgraph": MAX_COMMON_SUBGRAPH,
}
