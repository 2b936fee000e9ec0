"""What declarations share: the paper's datasets and costs, its seeds, and the groups of jobs that a number takes."""

from __future__ import annotations

from graphedx.experiments.job import Job, Train, Value, settings

DATASETS = ("mutagenicity", "code2", "molhiv", "molpcba", "aids", "linux", "yeast")
"""In the order of the paper's columns."""
COSTS = ("uniform", "non-uniform")
SEEDS = (0, 1, 2)
NODE_WEIGHTS = (0.1, 1)
"""Of GraphEdX's node term; the paper takes the one with the lower validation error."""
WORTH = {"linux": 1.0, "code2": 1.0, "aids": 0.7, "mutagenicity": 0.7, "molhiv": 0.7, "molpcba": 0.4, "yeast": 0.4}
"""What a number of a dataset is worth beside the others: those first that can be had completely, substitutes last."""

Groups = tuple[tuple[Job, ...], ...]


def trained(dataset: str, costs: str, model: str, **given: Value) -> Groups:
    """A model with these settings, once a seed."""
    return tuple((Train(dataset, costs, model, settings(**given), seed),) for seed in SEEDS)


def tuned(dataset: str, costs: str, **given: Value) -> Groups:
    """GraphEdX with these settings, once a seed and weight of its node term."""
    return tuple(
        tuple(Train(dataset, costs, "graphedx", settings(node_weight=weight, **given), seed) for weight in NODE_WEIGHTS)
        for seed in SEEDS
    )
