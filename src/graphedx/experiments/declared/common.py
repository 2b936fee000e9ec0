"""What declarations share: the paper's datasets and costs, its seeds, and the groups of jobs that a number takes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, product

from graphedx.experiments.job import Train, Value, settings

DATASETS = ("mutagenicity", "code2", "molhiv", "molpcba", "aids", "linux", "yeast")
"""In the order of the paper's columns."""
COSTS = ("uniform", "non-uniform")
COMPLETE = frozenset({"linux", "code2"})
"""Small enough for everything, with three seeds; of the others there is one seed, as in the paper."""
NODE_WEIGHTS = (0.1, 1)
"""Of GraphEdX's node term; the paper takes the one with the lower validation error."""
TERMS = {"diff_align": "DiffAlign", "align_diff": "AlignDiff", "xor": "XOR-DiffAlign"}
"""GraphEdX's surrogates, as the paper calls them."""
WORTH = {
    "linux": 100.0,
    "code2": 100.0,
    "aids": 1.0,
    "mutagenicity": 1.0,
    "molhiv": 1.0,
    "molpcba": 0.05,
    "yeast": 0.05,
}
"""What a number of a dataset is worth beside the others: those first that can be had completely, substitutes last.

The steps are so large that the least wanted training of one comes before the most wanted of the next.
"""

Groups = tuple[tuple[Train, ...], ...]


def seeds(dataset: str) -> tuple[int, ...]:
    """With which each model is trained."""
    return (0, 1, 2) if dataset in COMPLETE else (0,)


def trained(dataset: str, costs: str, model: str, **given: Value) -> Groups:
    """A model with these settings, once a seed."""
    return tuple((Train(dataset, costs, model, settings(**given), seed),) for seed in seeds(dataset))


def tuned(dataset: str, costs: str, **given: Value) -> Groups:
    """GraphEdX with these settings, once a seed and weight of its node term."""
    return best_of(trained(dataset, costs, "graphedx", node_weight=weight, **given) for weight in NODE_WEIGHTS)


def best_of(many: Iterable[Groups]) -> Groups:
    """Whatever of these validation likes best, seed by seed."""
    return tuple(tuple(chain.from_iterable(of_seed)) for of_seed in zip(*many, strict=True))


def best_of_nine(dataset: str, costs: str) -> Groups:
    """GraphEdX as it stands beside other methods: the best of its combinations of terms."""
    return best_of(tuned(dataset, costs, edge_term=edge, node_term=node) for edge, node in product(TERMS, TERMS))
