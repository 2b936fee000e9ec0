"""``train``: a model from a labelled dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from graphedx.costs import EditCosts
from graphedx.errors import ModelError
from graphedx.graph import Graph, Label
from graphedx.models.base import PairModel, kind_of, make, setting_names
from graphedx.models.predicting import cost_tensor
from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData, pair_data
from graphedx.training.loop import Report, Trained, fit


class Table(Protocol):
    """Distances of pairs: what ``datasets.LabelTable`` is."""

    @property
    def source(self) -> Any: ...
    @property
    def target(self) -> Any: ...
    @property
    def upper(self) -> Any: ...
    @property
    def proven(self) -> Any: ...


class LabelledGraphs(Protocol):
    """Graphs in splits, with distances: what ``datasets.Dataset`` is."""

    @property
    def name(self) -> str: ...
    @property
    def graphs(self) -> tuple[Graph, ...]: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...
    @property
    def fingerprint(self) -> str: ...
    def labels(self, split: str, costs: EditCosts) -> Table: ...


def train(
    dataset: LabelledGraphs,
    costs: EditCosts,
    *,
    model: str = "graphedx",
    settings: Mapping[str, Any] | None = None,
    config: TrainConfig = TrainConfig(),  # noqa: B008 (frozen)
    folder: Path | None = None,
    threads: int | None = None,
    report: Report = lambda _: None,
) -> Trained:
    """Train a model on the splits ``train`` and ``val`` of a dataset that is labelled for these costs.

    Nodes are told apart by their labels only where relabelling costs something. ``settings`` are those of the model;
    sizes that are not set are taken from the dataset, and models that know nothing of costs are told them as features
    where deleting and inserting nodes and edges do not all cost the same. With a folder the run is kept there, as
    ``fit`` says. ``threads`` are torch's, as many as it likes by default.

    Raises:
        DatasetError: a split is not labelled; the message says what to run.
        ModelError: a split is empty or not all proven, and whatever ``fit`` raises.
    """
    prices = cost_tensor(costs)
    kind = kind_of(model)
    vocabulary = vocabulary_for(dataset.graphs, costs, kind)
    chosen = chosen_settings(dataset, costs, model, settings, vocabulary)
    pairs, validation = (split_data(dataset, split, costs, vocabulary, kind) for split in ("train", "val"))
    made = seeded_model(model, chosen, config.seed)
    about = {
        "costs": list(astuple(costs)),
        "vocabulary": list(vocabulary),
        "dataset": {"name": dataset.name, "fingerprint": dataset.fingerprint},
    }
    with torch_threads(threads):
        return fit(made, pairs, validation, prices, config, folder=folder, about=about, report=report)


def chosen_settings(
    dataset: LabelledGraphs,
    costs: EditCosts,
    model: str,
    settings: Mapping[str, Any] | None = None,
    vocabulary: Sequence[Label] = (),
) -> dict[str, Any]:
    """The settings of a model for a dataset: those that are given, and what follows from dataset and costs.

    Raises:
        ModelError: other features are given than the labels of the dataset have, or fewer nodes than its graphs.
    """
    given, features = dict(settings or {}), kind_of(model).features(vocabulary)
    largest, most = _largest(dataset), given.get("max_nodes")
    if isinstance(most, int) and most < largest:
        raise ModelError(f"max_nodes must be at least {largest}, as the largest graph of the dataset has, got {most}")
    if given.get("features", features) != features:
        raise ModelError(
            f"features must be {features}, as the dataset's labels have under these costs, got {given['features']}; "
            "leave it out"
        )
    found: dict[str, Any] = {"max_nodes": most_nodes(dataset), "features": features}
    found["max_edges"] = max(1, max((graph.num_edges for graph in dataset.graphs), default=0))
    found["cost_features"] = len(set(astuple(costs)[:4])) > 1
    return {name: value for name, value in found.items() if name in setting_names(model)} | given


def seeded_model(name: str, settings: Mapping[str, Any], seed: int) -> PairModel:
    """A new model whose first weights follow from the seed; whoever draws random numbers keeps theirs."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make(name, dict(settings))


@contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Torch has so many threads for as long as this lasts, or as many as it likes."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if number is None else number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def most_nodes(dataset: LabelledGraphs) -> int:
    """The most nodes that a graph of the dataset may have by its rules; where there is no such rule, that it has."""
    rules = dataset.provenance.get("rules")
    rule = rules.get("max_nodes") if isinstance(rules, Mapping) else None
    return max(1, _largest(dataset), rule if isinstance(rule, int) else 0)


def _largest(dataset: LabelledGraphs) -> int:
    return max((len(graph) for graph in dataset.graphs), default=0)


def vocabulary_for(graphs: Sequence[Graph], costs: EditCosts, kind: type[PairModel]) -> tuple[Label, ...]:
    """All node labels in the order in which they occur; nothing if they tell no two nodes apart, or cost nothing."""
    if not costs.node_sub or kind.any_labels:
        return ()
    found = tuple(dict.fromkeys(label for graph in graphs for label in graph.node_labels))
    return found if len(found) > 1 else ()


def split_data(
    dataset: LabelledGraphs, split: str, costs: EditCosts, vocabulary: tuple[Label, ...], kind: type[PairModel]
) -> PairData:
    """The pairs of a split with their proven distances, as this kind of model takes them."""
    table = dataset.labels(split, costs)
    unproven = int(np.count_nonzero(~table.proven))
    if unproven:
        raise ModelError(
            f"{split}: {unproven} of {len(table.proven)} distances are not proven, and a model must not learn from "
            "bounds; label the split with a longer limit"
        )
    return pair_data(dataset.graphs, np.stack([table.source, table.target], axis=1), table.upper, vocabulary, kind=kind)
