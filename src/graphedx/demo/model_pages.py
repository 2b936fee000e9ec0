"""What the tour's page says of the model: how it learned, how it compares, and how it aligns two graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphedx.demo.measured import EXACT, MODEL, MODEL_EDITS, Contest, Measured
from graphedx.demo.trained import Training
from graphedx.drawing import Section, curves_svg, edit_path_svg, heatmap_svg, histogram_svg, scatter_svg
from graphedx.drawing.text import counted
from graphedx.graph import Graph

if TYPE_CHECKING:
    from graphedx.models.alignment import Alignment

HEADS = ("method", "says", "MSE", "MAE", "Kendall's tau", "hits", "µs a pair")


def model_sections(found: Contest, training: Training | None) -> list[Section]:
    """The part of the page between the labels and the functions; without a model only what was measured."""
    sections = [_comparison(found, training), _scatter(found), _errors(found)]
    if training is None:
        return sections
    return [_training(found, training), *sections, *_alignment(found, training)]


def table_row(row: Measured) -> list[str]:
    """A row under ``HEADS``."""
    off = row.errors
    numbers = f"{off.mse:.2f}", f"{off.mae:.2f}", f"{off.kendall_tau:.3f}", f"{off.hits:.1%}"
    return [row.name, row.says, *numbers, f"{row.microseconds:,.0f}"]


def _training(found: Contest, training: Training) -> Section:
    loss, validation = (list(errors) for errors in zip(*training.history, strict=True))
    weights = sum(weight.numel() for weight in training.model.model.parameters())
    epochs = counted(len(loss), "epoch")
    if training.new_epochs == len(loss):
        time = f"It took {training.seconds:.0f} s with one thread."
    elif training.new_epochs:
        time = f"The last {training.new_epochs} of them are of this run, the others of one that was stopped."
    else:
        time = "It was trained by an earlier run of the demo and kept."
    return Section(
        "A model that learns from the labels",
        [
            f"GraphEdX, the neural estimator of the paper, has {weights:,} weights. It gives every node a vector, "
            "aligns the nodes of two graphs softly, and adds up what of nodes and edges is left over, at the costs of "
            f"the edits ({_said_costs(found)} here).",
            f"It saw the pairs of the training split for {epochs}. {time} Below, the error on those pairs and on the "
            f"validation split by epoch; the weights of epoch {training.best_epoch} are kept (validation "
            f"{training.validation:.2f}). The dashed line is what always guessing the mean distance would give on the "
            f"test split, {found.constant:.2f}. Equal steps upwards are equal factors.",
        ],
        curves_svg(
            {"training": loss, "validation": validation, "the mean as a guess": [found.constant] * len(loss)},
            captions=("epoch", "mean squared error"),
            log=True,
            dashed=["the mean as a guess"],
            dark=None,
        ),
    )


def _comparison(found: Contest, training: Training | None) -> Section:
    model = found.row(MODEL)
    if model is not None and training is not None:
        better = [
            f"{row.name} ({row.says})" for row in found.rows if row.name != EXACT and row.errors.mse < model.errors.mse
        ]
        than = f"; nearer on average are {', '.join(better)}" if better else ", nearest of all but the exact search"
        verdict = [
            f"The model's mean squared error is {model.errors.mse:.2f}, that "
            f"of always saying the training's mean distance {found.constant:.2f}{than}. What it says is an estimate, "
            "which may lie on either side of the distance. So is what bracket says, which came trained with the "
            "package; it has learned from functions of the standard library, maybe from some of these. The other rows "
            "are proven, also the cost of the edits that follow from the model's alignment.",
        ]
    else:
        verdict = ["PyTorch is not installed, so no model was trained: pip install 'graphedx[neural]' adds its rows."]
    return Section(
        "All methods on the test split" if training is None else "The model on graphs that it has never seen",
        [
            f"All {len(found.pairs):,} pairs of the test split, each row against the proven distances: mean squared "
            "and mean absolute error, rank correlation, the share of numbers less than a half off, and what a pair "
            "took of one core, all measured in this run.",
            *verdict,
        ],
        table=[HEADS, *(table_row(row) for row in found.rows)],
    )


def _shown(found: Contest) -> list[Measured]:
    return [row for row in found.rows if row.name != EXACT]


def _scatter(found: Contest) -> Section:
    truth = found.table.distances
    return Section(
        "What they say against what is true",
        "A mark is a number of pairs, the darker the more. On the dashed diagonal a number is right; lower bounds stay "
        "below it, upper bounds above, and estimates may lie on either side.",
        scatter_svg(
            {f"{row.name} ({row.says})": (truth, row.numbers) for row in _shown(found)},
            captions=("exact distance", "what the method says"),
            dark=None,
        ),
    )


def _errors(found: Contest) -> Section:
    truth = found.table.distances
    return Section(
        "How far off they are",
        "The number minus the exact distance, for every pair: a single column at 0 is a method that is always right. "
        "The dashed line is the mean.",
        histogram_svg(
            {f"{row.name} ({row.says})": row.numbers - truth for row in _shown(found)},
            caption="error",
            centred=True,
            dark=None,
        ),
    )


def _alignment(found: Contest, training: Training) -> list[Section]:
    k = typical_pair(found)
    best = found.table.result(k)
    best = replace(best, source=_renamed(best.source), target=_renamed(best.target))
    learned = training.model.align(best.source, best.target)
    path, optimal = learned.edit_path(), best.edit_path()
    guess = float(training.model.predict([(best.source, best.target)])[0])
    median = float(np.median(_gap(found)))
    names = f"{best.source.name} and {best.target.name}"
    optimum = "which is optimal" if path.cost == optimal.cost else f"{path.cost - optimal.cost:g} more than needed"
    return [
        Section(
            "How the model aligns two functions",
            f"{names}: how much of each node on the left becomes each node above, the darker the more. What is left of "
            "a node goes to the last column (it is deleted), or comes from the last row (it is inserted). Relabelling "
            "costs nothing here, so the model does not look at labels: it knows nodes by what is around them.",
            _soft(learned),
        ),
        Section(
            "The edits that follow from it",
            f"The nearest one-to-one alignment gives these {len(path)} edits at a cost of {path.cost:g}, {optimum}; "
            f"that is a proven upper bound. The pair was chosen to be typical: of all pairs of the test split the "
            f"median is {median:g} more than needed. The model's estimate of the distance, {guess:.2f}, is not read "
            "off these edits: it adds up the soft alignment.",
            edit_path_svg(path, dark=None),
        ),
        Section(
            "The optimal edits",
            f"The label of the same pair: {len(optimal)} edits at a cost of {optimal.cost:g}; none are cheaper.",
            edit_path_svg(optimal, dark=None),
        ),
    ]


def typical_pair(found: Contest) -> int:
    """A pair of middling size, the edits of whose learned alignment are as far from optimal as in the median pair."""
    gap = _gap(found)
    far = np.abs(gap - np.median(gap))
    sizes = np.array([len(a) + len(b) for a, b in found.pairs])
    apart = np.array([a is not b for a, b in found.pairs])
    order = np.lexsort((np.abs(sizes - 20), far, ~apart))
    return int(order[0])


def _gap(found: Contest) -> NDArray[np.float64]:
    """How much more than needed the edits of the learned alignment cost, for every pair."""
    edits = found.row(MODEL_EDITS)
    assert edits is not None
    return edits.numbers - found.table.distances


def _soft(learned: Alignment) -> str:
    corner = np.full((1, 1), np.nan)
    shares = np.block([[learned.soft, learned.source_left[:, None]], [learned.target_left[None, :], corner]])
    return heatmap_svg(
        np.clip(shares, 0.0, 1.0),
        [*_node_names(learned.source), "inserted"],
        [*_node_names(learned.target), "deleted"],
        captions=(learned.source.name, learned.target.name),
        scale="share of the node",
        apart=(1, 1),
        dark=None,
    )


def _node_names(graph: Graph) -> Sequence[str]:
    return [f"{k} {label}" if label is not None else str(k) for k, label in enumerate(graph.node_labels)]


def _renamed(graph: Graph) -> Graph:
    """By its file and function only, without the folders before them."""
    return graph.renamed(graph.name.rpartition("/")[2].replace(".py:", "."))


def _said_costs(found: Contest) -> str:
    costs = found.table.costs
    return (
        f"{costs.node_del:g} and {costs.node_ins:g} for a node, {costs.edge_del:g} and {costs.edge_ins:g} for an edge"
    )
