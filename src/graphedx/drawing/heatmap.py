"""A distance matrix as a picture: rows and columns in the order of a clustering, its dendrogram, and a colour bar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphedx.costs import amount
from graphedx.drawing.axes import opening
from graphedx.drawing.palette import theme
from graphedx.drawing.text import clean, counted, escaped, number, shorten, text_width
from graphedx.errors import DrawingError

Matrix = NDArray[np.float64]

SHADES = (
    *("#0b0405", "#271a33", "#3b2f5e", "#40498e", "#366a9f", "#348ba6", "#3aadac", "#60ceac", "#a8e1bc", "#def5e5"),
)
"""Dark for near, light for far: seaborn's "mako", perceptually uniform and safe for the colour-blind."""

MOST_TOOLTIPS = 120  # names; beyond, a tooltip for each cell would make the file many megabytes
_STEPS = 64
_TREE = 110.0
_MARGIN = 24.0
_LONGEST_NAME = 24


class _Frame(NamedTuple):
    """Where things are: the cells begin at (left, top), each ``cell`` wide; names follow on the right."""

    left: float
    top: float
    cell: float
    font: float  # 0 where names would be too small to read
    width: float
    height: float


def clustered_heatmap_svg(
    matrix: ArrayLike,
    names: Sequence[object],
    *,
    proven: ArrayLike | None = None,
    title: str | None = None,
    caption: str = "edit distance",
    dark: bool | None = False,
) -> str:
    """A square matrix of distances as SVG text, reordered by average-linkage clustering of its symmetric part.

    Cells where ``proven`` is false are hatched, cells that are not finite left blank. Each cell has a tooltip up to 120
    names, each row beyond that. ``dark=None`` leaves the colours to the page around it.

    Raises:
        DrawingError: the matrix is not square, or names or ``proven`` do not fit it.
    """
    values = _checked(matrix, names)
    is_proven = np.ones(values.shape, dtype=bool) if proven is None else np.asarray(proven, dtype=bool)
    if is_proven.shape != values.shape:
        raise DrawingError(f"proven must have the matrix's shape {values.shape}, got {is_proven.shape}")
    tree = _clustering(values)
    order = tree["leaves"] if tree else list(range(len(values)))
    colours = theme(dark)
    words = [shorten(clean(name), _LONGEST_NAME) for name in names]
    frame = _frame([words[k] for k in order], title)
    finite = values[np.isfinite(values)]
    highest = float(finite.max()) if finite.size else 0.0
    graphs = counted(len(values), "graph")
    ordered, ordered_proven = values[np.ix_(order, order)], is_proven[np.ix_(order, order)]
    parts = [
        *opening(
            frame.width,
            frame.height,
            f"Heat map of the {caption}",
            f"Pairwise {caption} of {graphs}, ordered by clustering.",
            title,
            colours,
            dark,
        ),
        *(_dendrogram(tree, frame, colours) if tree else []),
        *_cells(ordered, ordered_proven, [clean(names[k]) for k in order], highest, frame),
        *_hatching(ordered_proven, frame),
        *_names([words[k] for k in order], frame, colours),
        *_colour_bar(highest, caption, not is_proven.all(), frame, colours),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _checked(matrix: ArrayLike, names: Sequence[object]) -> Matrix:
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise DrawingError(f"a distance matrix is square, got shape {values.shape}")
    if len(names) != len(values):
        raise DrawingError(f"{len(values)} rows need as many names, got {len(names)}")
    return values


def _clustering(values: Matrix) -> dict[str, Any] | None:
    """scipy's dendrogram: ``leaves``, and the corners of its links; ``None`` where there is nothing to join."""
    from scipy.cluster.hierarchy import dendrogram, linkage
    from scipy.spatial.distance import squareform

    n = len(values)
    if n < 2:
        return None
    finite = values[np.isfinite(values)]
    farthest = float(finite.max()) if finite.size else 0.0
    known = np.where(np.isfinite(values), values, farthest)
    symmetric = np.maximum((known + known.T) / 2, 0.0)
    np.fill_diagonal(symmetric, 0.0)
    links = linkage(squareform(symmetric, checks=False), method="average", optimal_ordering=True)
    tree: dict[str, Any] = dendrogram(links, no_plot=True)
    return tree


def _frame(names: Sequence[str], title: str | None) -> _Frame:
    n = max(len(names), 1)
    cell = float(np.clip(640 / n, 3.2, 26))
    font = min(12.0, 0.86 * cell) if cell >= 7 else 0.0
    longest = max((text_width(name, font) for name in names), default=0.0)
    left = _MARGIN + _TREE
    top = _MARGIN + (34 if title else 0)
    width = max(left + n * cell + 10 + longest + _MARGIN, left + 260.0)
    height = top + n * cell + 12 + 0.9 * longest + 66 + _MARGIN
    return _Frame(left, top, cell, font, width, height)


def _dendrogram(tree: dict[str, Any], frame: _Frame, colours: Mapping[str, str]) -> Iterator[str]:
    """Brackets left of the rows; scipy counts leaves as 5, 15, 25, ..."""
    highest = max(max(heights) for heights in tree["dcoord"]) or 1.0
    bends = []
    for places, heights in zip(tree["icoord"], tree["dcoord"], strict=True):
        y = [frame.top + place / 10 * frame.cell for place in places]
        x = [frame.left - 6 - height / highest * (_TREE - 10) for height in heights]
        bends.append(f"M{number(x[0])} {number(y[0])}H{number(x[1])}V{number(y[3])}H{number(x[3])}")
    yield f'<path class="dendrogram" d="{"".join(bends)}" fill="none" stroke="{colours["line"]}" stroke-width="1.1"/>'


def shade(share: float) -> str:
    """The colour at a share of the way from near to far, in ``_STEPS`` steps."""
    step = round(min(max(share, 0.0), 1.0) * (_STEPS - 1)) / (_STEPS - 1)
    k = min(int(step * (len(SHADES) - 1)), len(SHADES) - 2)
    part = step * (len(SHADES) - 1) - k
    low, high = (np.array([int(shade[i : i + 2], 16) for i in (1, 3, 5)]) for shade in SHADES[k : k + 2])
    red, green, blue = (round(float(value)) for value in low + part * (high - low))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _cells(values: Matrix, proven: NDArray[np.bool_], names: list[str], highest: float, frame: _Frame) -> Iterator[str]:
    """Unit squares, scaled once; cells of one colour share a group."""
    by_shade: dict[str, list[tuple[int, int]]] = {}
    for i, j in np.argwhere(np.isfinite(values)):
        colour = shade(float(values[i, j]) / highest if highest else 0.0)
        by_shade.setdefault(colour, []).append((int(i), int(j)))
    corner = f"translate({number(frame.left)} {number(frame.top)}) scale({frame.cell:.4g})"
    yield f'<g class="cells" shape-rendering="crispEdges" transform="{corner}">'
    for colour in sorted(by_shade):
        yield f'<g fill="{colour}">{_squares(by_shade[colour], values, proven, names)}</g>'
    if len(names) > MOST_TOOLTIPS:
        yield from _row_tooltips(values, names)
    yield "</g>"


def _squares(cells: list[tuple[int, int]], values: Matrix, proven: NDArray[np.bool_], names: list[str]) -> str:
    if len(names) > MOST_TOOLTIPS:
        return f'<path d="{"".join(f"M{j} {i}h1v1h-1z" for i, j in cells)}"/>'
    return "".join(
        f'<path d="M{j} {i}h1v1h-1z"><title>{_pair_said(i, j, values, proven, names)}</title></path>' for i, j in cells
    )


def _pair_said(i: int, j: int, values: Matrix, proven: NDArray[np.bool_], names: list[str]) -> str:
    doubt = "" if proven[i, j] else " (not proven)"
    return f"{escaped(shorten(names[i], 60))} → {escaped(shorten(names[j], 60))}: {amount(values[i, j])}{doubt}"


def _row_tooltips(values: Matrix, names: list[str]) -> Iterator[str]:
    n = len(names)
    for i, name in enumerate(names):
        others = np.where(np.isfinite(values[i]) & (np.arange(n) != i), values[i], np.inf)
        j = int(np.argmin(others))
        said = f"{shorten(name, 60)}; nearest: {shorten(names[j], 60)} at {amount(others[j])}"
        yield f'<rect y="{i}" width="{n}" height="1" fill-opacity="0"><title>{escaped(said)}</title></rect>'


def _hatching(proven: NDArray[np.bool_], frame: _Frame) -> Iterator[str]:
    if proven.all():
        return
    lines = "".join(f"M{j}.15 {i}.85l.7-.7M{j} {i}.4l.4-.4M{j}.6 {i + 1}l.4-.4" for i, j in np.argwhere(~proven))
    corner = f"translate({number(frame.left)} {number(frame.top)}) scale({frame.cell:.4g})"
    yield (
        f'<g class="hatch" transform="{corner}" fill="none" pointer-events="none">'
        f'<path d="{lines}" stroke="#000000" stroke-opacity=".55" stroke-width=".17"/>'
        f'<path d="{lines}" stroke="#ffffff" stroke-width=".07"/></g>'
    )


def _names(names: Sequence[str], frame: _Frame, colours: Mapping[str, str]) -> Iterator[str]:
    if not frame.font:
        return
    right, bottom = frame.left + len(names) * frame.cell + 8, frame.top + len(names) * frame.cell + 8
    yield f'<g class="names" font-size="{number(frame.font)}" fill="{colours["ink"]}">'
    for k, name in enumerate(names):
        middle = (k + 0.5) * frame.cell + 0.35 * frame.font
        yield f'<text x="{number(right)}" y="{number(frame.top + middle)}">{escaped(name)}</text>'
        at = f"translate({number(frame.left + middle)} {number(bottom)}) rotate(-90)"
        yield f'<text transform="{at}" text-anchor="end">{escaped(name)}</text>'
    yield "</g>"


def _colour_bar(
    highest: float, caption: str, has_doubt: bool, frame: _Frame, colours: Mapping[str, str]
) -> Iterator[str]:
    x, y, width = frame.left, frame.height - _MARGIN - 28, 180.0
    yield f'<g class="scale" font-size="12" fill="{colours["ink"]}">'
    yield f'<text x="{number(x)}" y="{number(y - 6)}">{escaped(caption)}</text>'
    for k in range(_STEPS):
        left, step = x + k * width / _STEPS, width / _STEPS
        colour = shade(k / (_STEPS - 1))
        yield f'<rect x="{number(left)}" y="{number(y)}" width="{number(step + 0.3)}" height="11" fill="{colour}"/>'
    yield f'<text x="{number(x)}" y="{number(y + 26)}">0</text>'
    yield f'<text x="{number(x + width / 2)}" y="{number(y + 26)}" text-anchor="middle">{amount(highest / 2)}</text>'
    yield f'<text x="{number(x + width)}" y="{number(y + 26)}" text-anchor="end">{amount(highest)}</text>'
    if has_doubt:
        note = x + width + 24
        yield (
            f'<g transform="translate({number(note)} {number(y)}) scale(11)">'
            f'<path d="M0 0h1v1h-1z" fill="{SHADES[5]}"/>'
            f'<path d="M.15 .85l.7-.7M0 .4l.4-.4M.6 1l.4-.4" stroke="#ffffff" stroke-width=".12"/></g>'
            f'<text x="{number(note + 17)}" y="{number(y + 10)}">not proven</text>'
        )
    yield "</g>"
