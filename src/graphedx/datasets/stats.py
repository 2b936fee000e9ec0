"""The numbers of a dataset: sizes, averages and what is labelled, beside those of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphedx._files import AnyPath
from graphedx.costs import EditCosts
from graphedx.datasets import catalog
from graphedx.datasets.dataset import SPLITS, Dataset, as_dataset
from graphedx.datasets.labels import PAPER, Regime, labels
from graphedx.datasets.labels.regime import STRUCTURE
from graphedx.datasets.labels.store import Store, regimes_on_disk


def stats(dataset: Dataset | AnyPath) -> dict[str, Any]:
    """Plain values for JSON: graphs, train, val, test, avg_nodes, avg_edges, avg_ged and what lies behind them.

    ``avg_ged`` is the mean of the proven distances of all pairs of all splits under uniform costs, as the paper has it;
    ``None`` while no split is labelled. ``ged`` has the same by costs and split, with the number of pairs that resist.
    """
    dataset = as_dataset(dataset)
    nodes = [graph.num_nodes for graph in dataset.graphs]
    edges = [graph.num_edges for graph in dataset.graphs]
    ged = {name: _by_split(dataset, costs) for name, costs in _labelled_costs(dataset).items()}
    entry = catalog.CATALOG.get(dataset.name)
    return {
        "name": dataset.name,
        "graphs": len(dataset),
        **dict(zip(SPLITS, dataset.sizes, strict=True)),
        "avg_nodes": _mean(nodes),
        "avg_edges": _mean(edges),
        "max_nodes": max(nodes, default=0),
        "pairs": {split: dataset.pair_count(split) for split in SPLITS},
        "avg_ged": ged.get("uniform", {}).get("all", {}).get("avg_ged"),
        "ged": ged,
        "paper": entry.paper._asdict() if entry and entry.paper else None,
        "fingerprint": dataset.fingerprint,
        "provenance": dict(dataset.provenance),
    }


def _labelled_costs(dataset: Dataset) -> dict[str, EditCosts]:
    """The paper's regimes and any others, as far as labels of them were begun."""
    if dataset.folder is None:
        return {}
    on_disk = {regime.key: regime.costs for regime in regimes_on_disk(dataset)}
    found = {name: costs for name, costs in PAPER.items() if Regime.of(costs, dataset).key in on_disk}
    known = {Regime.of(costs, dataset).key for costs in found.values()} | {STRUCTURE}
    return found | {key: costs for key, costs in on_disk.items() if key not in known}


def _by_split(dataset: Dataset, costs: EditCosts) -> dict[str, dict[str, Any]]:
    tables = {}
    for split in SPLITS:
        if Store(dataset, Regime.of(costs, dataset)).is_complete(split):
            tables[split] = labels(dataset, split, costs)
    found = {split: _summary(table.upper, table.proven) for split, table in tables.items()}
    if tables:
        upper = np.concatenate([table.upper for table in tables.values()])
        proven = np.concatenate([table.proven for table in tables.values()])
        found["all"] = _summary(upper, proven)
    return found


def _summary(upper: NDArray[np.float64], proven: NDArray[np.bool_]) -> dict[str, Any]:
    known = upper[proven]
    return {
        "pairs": len(upper),
        "proven": len(known),
        "avg_ged": _mean(known),
        "max_ged": float(known.max()) if len(known) else None,
    }


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None
