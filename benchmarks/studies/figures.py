"""The pictures of the studies: one style, colours that the colour-blind can tell apart, dashes and marks besides."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter

Rows = Sequence[Mapping[str, str]]


class Look(NamedTuple):
    colour: str
    mark: str
    dash: str = "-"


# Okabe and Ito's colours, one a family: searches, integer programmes, heuristics, bounds by assignment.
LOOKS = {
    "auto": Look("#D55E00", "o"),
    "exact": Look("#000000", "s"),
    "f2": Look("#CC79A7", "^"),
    "fori": Look("#CC79A7", "v", "--"),
    "ipfp": Look("#0072B2", "D"),
    "refine": Look("#56B4E9", "P"),
    "beam": Look("#0072B2", "X", "--"),
    "bipartite": Look("#009E73", "<"),
    "branch": Look("#009E73", ">", "--"),
    "branch_tight": Look("#E69F00", "p"),
    "anchor_aware": Look("#E69F00", "h", "--"),
    "hed": Look("#777777", "d", ":"),
}
OTHER = Look("#777777", "x", "-.")
PAPER = Look("#7A0000", "*", ":")
STYLE: dict[Any, Any] = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.constrained_layout.h_pad": 0.1,
    "figure.constrained_layout.w_pad": 0.08,
}


def distinct(rows: Rows, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in rows))


def powers(value: float, _: int | None = None) -> str:
    return f"$10^{{{round(math.log10(value))}}}$" if value > 0 else "0"


def save_figure(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


# -- MSE against time limit -------------------------------------------------------------------------------------------

PAPER_LABEL = "GraphEdX, as the paper reports it"
LATE_LABEL = "hollow: took over twice the limit"


def draw_time_limit(rows: Rows, reported: Mapping[tuple[str, str], float], path: Path) -> None:
    """A row of panels a cost setting, a column a data set; the paper's model as a star at the time it reports."""
    costs, datasets = distinct(rows, "costs"), distinct(rows, "dataset")
    present = distinct(rows, "method")
    names = [name for name in LOOKS if name in present] + [name for name in present if name not in LOOKS]
    with plt.rc_context(STYLE):
        size = (3.7 * len(datasets), 3.4 * len(costs) + 1.1)
        figure, grid = plt.subplots(
            len(costs), len(datasets), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
        )
        for line, setting in enumerate(costs):
            for column, dataset in enumerate(datasets):
                axes = grid[line][column]
                axes.set_title(f"{dataset}, {setting} costs", fontsize=11)
                for name in names:
                    keys = (setting, dataset, name)
                    draw_method(axes, name, [r for r in rows if (r["costs"], r["dataset"], r["method"]) == keys])
                draw_paper(axes, reported.get((dataset.removesuffix("-like"), setting)))
                style_panel(axes)
        grid[0][0].set_ylim(0, 2 * max(1.0, *(float(row["mse"]) for row in rows)))
        for axes in grid[-1]:
            axes.set_xlabel("time limit for a pair (s)")
        for axes in grid[:, 0]:
            axes.set_ylabel("mean squared error")
        add_legend(figure, list(grid.ravel()), names)
        save_figure(figure, path)


def add_legend(figure: Any, panels: Sequence[Any], names: Sequence[str]) -> None:
    """One for all panels, below them."""
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    handles[LATE_LABEL] = Line2D([], [], marker="o", color="#444444", markerfacecolor="white", linestyle="")
    order = [label for label in [*names, PAPER_LABEL, LATE_LABEL] if label in handles]
    shown = [handles[label] for label in order]
    figure.legend(shown, order, loc="outside lower center", ncol=-(-len(order) // 2), handlelength=3)


def draw_method(axes: Any, name: str, rows: Rows) -> None:
    look, thick = LOOKS.get(name, OTHER), name == "auto"
    size, order = (9, 2.5) if thick else (5.5, 3)  # thick below thin: both are seen where they agree
    if not rows:
        return
    limits, errors = ([float(row[column]) for row in rows] for column in ("limit", "mse"))
    line = {"color": look.colour, "linestyle": look.dash, "linewidth": 4.5 if thick else 1.4}
    mark = {"marker": look.mark, "markersize": size, "zorder": order, "clip_on": False}
    axes.plot(limits, errors, label=name, **line, **mark)
    late = [row for row in rows if float(row["mean_seconds"]) > 2 * float(row["limit"])]
    for row in late:
        place, height = float(row["limit"]), float(row["mse"])
        axes.plot(place, height, color=look.colour, markerfacecolor="white", linestyle="", **mark)


def draw_paper(axes: Any, value: float | None) -> None:
    if value is None:
        return
    axes.axhline(value, color=PAPER.colour, linestyle=PAPER.dash, linewidth=1)
    axes.plot(
        1e-4,
        value,
        PAPER.mark,
        color=PAPER.colour,
        markersize=13,
        zorder=7,
        linestyle="",
        label=PAPER_LABEL,
        clip_on=False,
    )


def style_panel(axes: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1e-2, linscale=0.5)
    axes.set_xticks([10.0**power for power in range(-4, 2)])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(powers))
        axis.set_minor_locator(NullLocator())
    axes.tick_params(labelbottom=True, labelleft=True)


# -- growth with size -------------------------------------------------------------------------------------------------

KIND_LOOKS = {"molecule": Look("#0072B2", "o"), "program": Look("#D55E00", "s", "--")}


def draw_large(rows: Rows, path: Path) -> None:
    """Time and memory against size, log-log with fitted slopes, and the gap against the fraction of edits.

    Slopes of time are fitted to the pairs that ended before the limit.
    """
    done = [row for row in rows if math.isfinite(float(row["upper"]))]  # without those that were killed
    if not done:
        raise ValueError("no pair was solved: there is nothing to draw")
    fraction, size = most_varied(done, "fraction", "nodes"), most_varied(done, "nodes", "fraction")
    growth = [row for row in done if row["fraction"] == fraction]
    limit = float(done[0]["time_limit"])
    with plt.rc_context(STYLE):
        figure, (time, memory, gap) = plt.subplots(1, 3, figsize=(14, 5), layout="constrained")
        ended = [row for row in growth if row["stopped_by"] != "time"]  # a limit has no slope
        draw_growth(time, growth, ended, "seconds")
        draw_growth(memory, growth, growth, "megabytes")
        time.axhline(limit, color="#777777", linestyle=":", linewidth=1.2, label=f"limit, {limit:g} s")
        time.set_title(f"seconds, {float(fraction):.0%} edits", fontsize=11)
        memory.set_title(f"peak memory of the call (MB), {float(fraction):.0%} edits", fontsize=11)
        draw_gaps(gap, [row for row in done if row["nodes"] == size])
        gap.set_title(f"gap between the bounds, {int(size):,} nodes, {limit:g} s", fontsize=11)
        for axes in (time, memory, gap):
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15))  # below, where no line can run through it
        save_figure(figure, path)


def most_varied(rows: Rows, column: str, other: str) -> str:
    """The value of a column that occurs with the most values of the other."""
    return max(distinct(rows, column), key=lambda value: len(distinct([r for r in rows if r[column] == value], other)))


def draw_growth(axes: Any, rows: Rows, fitted: Rows, column: str) -> None:
    for kind in distinct(rows, "graphs"):
        look = KIND_LOOKS.get(kind, OTHER)
        slope = fitted_slope([row for row in fitted if row["graphs"] == kind], column)
        label = f"{kind} graphs" + (f": grows like $n^{{{slope:.1f}}}$" if math.isfinite(slope) else "")
        draw_medians(axes, [row for row in rows if row["graphs"] == kind], "nodes", column, look, label)
    sizes = sorted(int(size) for size in distinct(rows, "nodes"))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("nodes")


def fitted_slope(rows: Rows, column: str) -> float:
    """The exponent of the power law through the points, by least squares; none if there is but one size."""
    points = [(float(row["nodes"]), float(row[column])) for row in rows if float(row[column]) > 0]
    if len({size for size, _ in points}) < 2:
        return math.nan
    sizes, heights = np.log(points).T
    return float(np.polyfit(sizes, heights, 1)[0])


def draw_medians(axes: Any, rows: Rows, x: str, y: str, look: Look, label: str) -> None:
    """Every pair as a faint mark, and a line through the medians."""
    places = sorted({float(row[x]) for row in rows})
    heights = [[float(row[y]) for row in rows if float(row[x]) == place] for place in places]
    for place, some in zip(places, heights, strict=True):
        axes.plot([place] * len(some), some, look.mark, color=look.colour, alpha=0.35, markersize=5, linestyle="")
    middle = [statistics.median(some) for some in heights]
    axes.plot(places, middle, color=look.colour, linestyle=look.dash, linewidth=2, marker=look.mark, label=label)


def draw_gaps(axes: Any, rows: Rows) -> None:
    for kind in distinct(rows, "graphs"):
        some = [row for row in rows if row["graphs"] == kind]
        draw_medians(axes, some, "fraction", "gap", KIND_LOOKS.get(kind, OTHER), f"{kind} graphs")
    fractions = sorted(float(fraction) for fraction in distinct(rows, "fraction"))
    axes.set_xscale("log")
    axes.set_xticks(fractions, [f"{fraction:.0%}" for fraction in fractions])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.1 * max(0.05, *(float(row["gap"]) for row in rows)))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("edits, by nodes and edges")
    axes.set_ylabel("(upper − lower) / upper")


# -- Time of models ---------------------------------------------------------------------------------------------------

INTERACTION_LOOKS = {"late": Look("#0072B2", ""), "early": Look("#E69F00", "", "//")}


def draw_model_times(rows: Rows, path: Path) -> None:
    """Microseconds a pair, the fastest on top, and steps of training a second in the same order."""
    shown = sorted(rows, key=lambda row: -float(row["microseconds"]))
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(1, 2, figsize=(11, 0.6 + 0.38 * len(shown)), layout="constrained", sharey=True)
        for axes, column, title in zip(
            panels,
            ("microseconds", "steps_per_second"),
            ("a guess: microseconds a pair, log scale", "training: steps of 256 pairs a second, log scale"),
            strict=True,
        ):
            for place, row in enumerate(shown):
                look, value = INTERACTION_LOOKS[row["interaction"]], float(row[column])
                axes.barh(place, value, color=look.colour, hatch=look.dash.replace("-", ""), edgecolor="white")
                axes.text(value, place, f" {value:.3g}", va="center")
            values = [float(row[column]) for row in shown]
            axes.set_xscale("log")
            axes.set_xlim(10 ** math.floor(math.log10(min(values))), 2 * max(values))  # room for the largest number
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(FuncFormatter(powers))
            axes.set_title(title, fontsize="medium")
            axes.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(shown)), [row["model"] for row in shown])
        handles = [
            plt.Rectangle((0, 0), 1, 1, facecolor=look.colour, edgecolor="white", hatch=look.dash.replace("-", ""))
            for look in INTERACTION_LOOKS.values()
        ]
        names = [f"{name} interaction" for name in INTERACTION_LOOKS]
        figure.legend(handles, names, loc="outside lower center", ncol=2)
        save_figure(figure, path)


# -- growth of search -------------------------------------------------------------------------------------------------

COSTS_LOOKS = {"uniform": Look("#0072B2", "o"), "labelled": Look("#D55E00", "s", "--")}
COSTS_WORDS = {"uniform": "structure only", "labelled": "with elements"}


def draw_search_growth(rows: Rows, path: Path) -> None:
    """Seconds against graphs, log-log: medians with quartiles, and hollow where their line goes on unmeasured."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7, 4.6), layout="constrained")
        for costs in distinct(rows, "costs"):
            look, own = COSTS_LOOKS.get(costs, OTHER), [row for row in rows if row["costs"] == costs]
            points = [row for row in own if row["extrapolated"] == "no"]
            beyond = [row for row in own if row["extrapolated"] == "yes"]
            sizes, middle, low, high = (
                [float(row[name]) for row in points]
                for name in ("graphs", "seconds_median", "seconds_q1", "seconds_q3")
            )
            mark = {"color": look.colour, "marker": look.mark, "markersize": 6}
            slope, end, height = (float(beyond[0][name]) for name in ("seconds_a_graph", "graphs", "seconds_median"))
            label = f"{COSTS_WORDS.get(costs, costs)}: {1e6 * slope:.2g} µs more a graph"
            axes.plot(sizes, middle, linestyle=look.dash, linewidth=2, label=label, **mark)
            axes.fill_between(sizes, low, high, color=look.colour, alpha=0.12, linewidth=0)
            ends = np.geomspace(sizes[0], end)
            heights = height + slope * (ends - end)
            axes.plot(ends, heights, color=look.colour, linestyle=":", linewidth=1)
            axes.plot(end, height, markerfacecolor="white", linestyle="", **mark)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("graphs in the index; hollow: extrapolated")
        axes.set_ylabel("seconds for a certified top-10 on two cores")
        axes.legend(loc="upper left")
        save_figure(figure, path)
