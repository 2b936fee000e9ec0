"""LabelTable: the labels of one split under any costs, as arrays; and everything else that a label stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from graphedx._files import AnyPath
from graphedx.costs import EditCosts, require_costs
from graphedx.datasets.dataset import Dataset, as_dataset
from graphedx.datasets.labels.regime import Regime, Sizes, costs_text
from graphedx.datasets.labels.store import Store, shard_count
from graphedx.engine import Answers
from graphedx.engine.answers import Bounded
from graphedx.errors import DatasetError
from graphedx.result import GedResult, StopReason

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelTable(Bounded):
    """The labels of all pairs of a split, in the order of ``Dataset.pairs``; arrays are read-only.

    ``source`` and ``target`` are places in ``dataset.graphs``; ``lower <= distance <= upper``, and where they meet the
    distance is ``proven``.
    """

    remedy: ClassVar[str] = "label with a longer limit"

    dataset: Dataset = field(repr=False)
    split: str
    costs: EditCosts
    source: NDArray[np.int32] = field(repr=False)
    target: NDArray[np.int32] = field(repr=False)
    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)
    method: str
    _answers: Answers = field(repr=False)

    def __post_init__(self) -> None:
        for array in (self.source, self.target, self.lower, self.upper):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.lower)

    def result(self, k: int) -> GedResult:
        """The result of pair ``k``, with its mapping and edit path; nothing is solved again."""
        k = range(len(self))[k]
        answer = self._answers.get(k)
        source, target = self.dataset.graphs[self.source[k]], self.dataset.graphs[self.target[k]]
        bounds = float(self.lower[k]), float(self.upper[k])
        # Where edges cost nothing the distance is known although the search for common edges did not end.
        stop = StopReason.PROVED if self.proven[k] else answer.stopped_by
        images = tuple(answer.images)
        return GedResult(source, target, self.costs, self.method, *bounds, stop, images, answer.nodes)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each pair: source, target, lower, upper, proven."""
        try:
            import pandas
        except ImportError:
            from graphedx.errors import MissingExtraError

            raise MissingExtraError("pandas", "data") from None
        names = ("source", "target", "lower", "upper", "proven")
        return pandas.DataFrame({name: getattr(self, name) for name in names})


def labels(dataset: Dataset | AnyPath, split: str, costs: EditCosts) -> LabelTable:
    """The labels of a split under these costs, as ``label`` has left them on disk.

    Raises:
        DatasetError: the split is not labelled (yet) under these costs, or a file is damaged.
    """
    dataset = as_dataset(dataset)
    require_costs(costs)
    regime = Regime.of(costs, dataset)
    store, pairs = Store(dataset, regime), dataset.pairs(split)
    manifest = store.manifest()
    if manifest is None or not store.is_complete(split):
        asked = costs_text(costs)
        state = "labelled" if manifest is None else "labelled to the end"
        raise DatasetError(
            f"{dataset.folder}: {split} is not {state} for costs {asked}; "
            f"run: graphedx label {dataset.folder} --costs {asked} --split {split}"
        )
    sizes = Sizes.of(dataset, pairs)
    answers = Answers(sizes.source_nodes)
    for number in range(shard_count(len(pairs))):
        digest = manifest.shards.get(store.shard_path(split, number).name)
        answers.put(store.read_shard(split, number, digest).block)
    lower, upper = answers.lower, answers.upper
    if regime.is_structural:
        lower, upper = (sizes.distance(sizes.common_edges(bound), costs) for bound in (lower, upper))
    return LabelTable(
        dataset, split, costs, pairs[:, 0].copy(), pairs[:, 1].copy(), lower, upper, manifest.method, answers
    )
