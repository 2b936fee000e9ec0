"""The pages of the tour: what was found, in words, tables and pictures."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import astuple
from typing import NamedTuple

import numpy as np

from graphedx.datasets import SPLITS, Dataset
from graphedx.datasets.labels import PAPER
from graphedx.demo import functions as library
from graphedx.demo.functions import Comparison
from graphedx.demo.labelled import Check, Search, distances, pairs_of
from graphedx.demo.measured import Contest
from graphedx.demo.model_pages import model_sections
from graphedx.demo.searched import Searched, search_sections
from graphedx.demo.trained import Training
from graphedx.drawing import (
    Section,
    clustered_heatmap_svg,
    edit_path_html,
    edit_path_svg,
    histogram_svg,
    report_page,
)
from graphedx.graph import Graph
from graphedx.result import GedResult

PAGE, PATH_PAGE, MATRIX = "index.html", "path.html", "matrix.csv"
_NEAREST = 12


class Findings(NamedTuple):
    """All that the pages tell."""

    dataset: Dataset
    searches: Sequence[Search]
    check: Check
    contest: Contest
    training: Training | None
    comparison: Comparison
    searched: Searched


def pages(found: Findings) -> dict[str, str]:
    """The content of every page, by its file name."""
    comparison = found.comparison
    pair = library.interesting_pair(comparison.matrix, comparison.graphs)
    sections = [
        *_dataset_sections(found),
        *model_sections(found.contest, found.training),
        *_comparison_sections(comparison, pair),
        *search_sections(found.searched),
    ]
    return {
        PAGE: report_page("Edit distances of Python's own functions: proven, bounded, learned", sections),
        PATH_PAGE: edit_path_html(pair.edit_path(), title=_title(pair)),
    }


def _dataset_sections(found: Findings) -> list[Section]:
    dataset = found.dataset
    return [
        Section(
            text="Every function is a graph here: its abstract syntax tree, a node for each piece of syntax, labelled "
            "by its kind; names and constants do not count. The graph edit distance of two of them is the least total "
            "cost of edits (delete, insert or relabel nodes, delete or insert edges) that turn one into the other. "
            "All numbers below are of the run that wrote this page, unless they say otherwise."
        ),
        Section("A dataset, made and split", _making(dataset), table=_splits(dataset)),
        Section("Exact labels under four costs", _labelling(found), table=_labels(found)),
        Section(
            "How far apart they are",
            "The distances of all pairs of the dataset, by costs; the dashed line is the mean. Hover over a column for "
            "its count.",
            histogram_svg({_said(name): distances(dataset, name) for name in PAPER}, dark=None),
        ),
    ]


def _making(dataset: Dataset) -> str:
    counts, rules = dataset.provenance["counts"], dataset.provenance["rules"]
    shared = dataset.provenance["isomorphic_between_splits"]
    leaks = "No graph of one split has the structure of a graph of another." if not shared else ""
    return (
        f"Python {platform.python_version()} has {counts['read']:,} functions of at most {rules['max_nodes']} nodes in "
        f"its standard library, and they have {counts['distinct']:,} different structures. The first "
        f"{counts['kept']:,} are kept, shuffled and split 60/20/20. Every two graphs of a split are a pair, and every "
        f"graph with itself. {leaks}"
    )


def _splits(dataset: Dataset) -> list[list[object]]:
    spans = {split: dataset.split(split) for split in SPLITS}
    rows: list[list[object]] = [
        [split, *_sizes(graphs, len(dataset.pairs(split)))] for split, graphs in spans.items() if graphs
    ]
    heads: list[object] = ["split", "graphs", "pairs", "average nodes", "average edges"]
    return [heads, *rows, ["all", *_sizes(dataset.graphs, pairs_of(dataset))]]


def _sizes(graphs: Sequence[Graph], pairs: int) -> list[object]:
    nodes = float(np.mean([graph.num_nodes for graph in graphs]))
    edges = float(np.mean([graph.num_edges for graph in graphs]))
    return [f"{len(graphs):,}", f"{pairs:,}", f"{nodes:.2f}", f"{edges:.2f}"]


def _labelling(found: Findings) -> list[str]:
    unproven = sum(search.pairs - search.proven for search in found.searches)
    certainty = "Every distance is proven: no cheaper edits exist for any pair."
    return [
        certainty if not unproven else f"{unproven:,} searches ended without a proof; their pairs are left out.",
        "In brackets are the costs to delete and to insert a node, to delete and to insert an edge, and to relabel a "
        "node. Where relabelling is free, the mapping that keeps most edges is the best one whatever deleting and "
        "inserting cost, so one search a pair serves the first three.",
        f"Then the labels were checked, in {found.check.seconds:.1f} s: each of the {found.check.certificates:,} "
        f"mappings that came with them was charged anew and costs just what its label says, and "
        f"{found.check.solved_again:,} pairs were solved again from the other side, with the same result.",
    ]


def _labels(found: Findings) -> list[list[object]]:
    rows: list[list[object]] = []
    for search in found.searches:
        rate = f"{search.pairs / search.seconds:,.0f}"
        for place, name in enumerate(search.costs):
            average = f"{distances(found.dataset, name).mean():.2f}"
            time = ["", ""] if place else [f"{search.seconds:.1f}", rate]
            rows.append([_said(name), average, f"{search.pairs:,}", f"{search.proven:,}", *time])
    return [["costs", "average distance", "pairs", "proven", "seconds", "pairs a second"], *rows]


def _said(costs: str) -> str:
    return f"{costs} ({', '.join(f'{cost:g}' for cost in astuple(PAPER[costs])[:5])})"


def _comparison_sections(comparison: Comparison, pair: GedResult) -> list[Section]:
    matrix, graphs = comparison.matrix, comparison.graphs
    path = pair.edit_path()
    optimal = "and no cheaper edits do" if pair.proven else f"and none of less than {pair.lower:g} do"
    return [
        Section(
            f"{len(graphs)} functions, every pair at once",
            [
                "Each cell is the edit distance of two functions, every edit at cost 1: dark is near, light is far. "
                "Rows and columns are in the order of a clustering, which is drawn on the left. Hover over a cell for "
                "its pair and distance.",
                _certainty(comparison),
            ],
            clustered_heatmap_svg(matrix.upper, library.short_names(graphs), proven=matrix.proven, dark=None),
        ),
        Section(table=_numbers(comparison)),
        Section(
            f"One pair, edit by edit: {_title(pair)}",
            f"These {len(path)} edits turn the tree on the left into the one on the right at a cost of {path.cost:g}, "
            f"{optimal}. Nodes that are matched have the same colour on both sides.",
            edit_path_svg(path, dark=None),
            links=[("Step through these edits", PATH_PAGE)],
        ),
        Section("Nearest neighbours", _nearest_text(comparison), table=_nearest_table(comparison)),
        Section(links=[("All distances as CSV", MATRIX)]),
    ]


def _title(pair: GedResult) -> str:
    return f"{pair.source.name} → {pair.target.name}"


def _certainty(comparison: Comparison) -> str:
    unproven = comparison.pairs - comparison.proven
    if unproven == 0:
        return "All of them are proven."
    limit = library.SECONDS_A_PAIR
    return f"{unproven} of them could not be proven in {limit:g} s; they are hatched, at their upper bound."


def _numbers(comparison: Comparison) -> list[list[object]]:
    sizes = [len(graph) for graph in comparison.graphs]
    return [
        ["functions", "nodes each", "pairs", "proven", "total time", "mean time a pair"],
        [
            str(len(sizes)),
            f"{min(sizes)} to {max(sizes)}",
            f"{comparison.pairs:,}",
            f"{100 * comparison.proven / comparison.pairs:.4g} %",
            f"{comparison.seconds:.2f} s",
            f"{1000 * comparison.seconds / comparison.pairs:.2g} ms",
        ],
    ]


def _nearest_text(comparison: Comparison) -> str:
    matrix = comparison.matrix
    same = int(np.count_nonzero(np.triu(matrix.proven & (matrix.upper == 0), 1)))
    alike = {0: "No pair has", 1: "One pair has"}.get(same, f"{same} pairs have")
    return f"{alike} the very same tree. These from different modules come next, by distance for their size:"


def _nearest_table(comparison: Comparison) -> list[list[object]]:
    matrix, graphs = comparison.matrix, comparison.graphs
    rows = [
        [graphs[i].name, graphs[j].name, float(matrix.upper[i, j]), len(graphs[i]), len(graphs[j])]
        for _, i, j in sorted(library.cross_pairs(matrix, graphs))[:_NEAREST]
    ]
    return [["function", "function of another module", "distance", "nodes", "nodes of the other"], *rows]
