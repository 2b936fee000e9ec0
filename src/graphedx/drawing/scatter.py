"""Guesses against the truth as a picture: a plot for each series, all on the same scales, the diagonal drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from graphedx.costs import amount
from graphedx.drawing.axes import (
    COLOURS,
    MARGIN,
    Scale,
    Values,
    finite,
    line,
    opening,
    plot_frame,
    require_series,
    spread,
)
from graphedx.drawing.palette import theme
from graphedx.drawing.text import clean, counted, escaped, number, shorten
from graphedx.errors import DrawingError

_SIDE, _LEFT, _GAP, _HEAD, _FOOT = 260.0, 74.0, 26.0, 28.0, 44.0
_MOST_IN_A_ROW = 3
_CELL = 2.0  # pixels; points that fall into one are one mark
_ALPHA = 0.3  # of a single point
_LONGEST_NAME = 34


def scatter_svg(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    title: str | None = None,
    captions: tuple[str, str] = ("exact distance", "guess"),
    noun: str = "pair",
    dark: bool | None = False,
) -> str:
    """Points (x, y) of each series as SVG text, a square plot for each, with the diagonal on which both are equal.

    All plots have the same scale, on both axes. Points that fall on each other are one mark, the darker and larger the
    more there are, with a tooltip that says how many. ``dark=None`` leaves the colours to the page around it.

    Raises:
        DrawingError: there is no series, or one has values that are not finite, or not as many x as y.

    >>> scatter_svg({"model": ([0, 1, 1], [0.1, 0.9, 0.9])}).count('class="point"')
    2
    """
    require_series(series, "a scatter plot")
    points = {clean(name): _checked(name, *values) for name, values in series.items()}
    low, high = spread(np.concatenate([both for one in points.values() for both in one]))
    colours = theme(dark)
    columns = min(len(points), _MOST_IN_A_ROW)
    rows = -(-len(points) // columns)
    top = MARGIN + (34 if title else 0)
    width = _LEFT + columns * (_SIDE + _GAP) - _GAP + MARGIN
    height = top + rows * (_HEAD + _SIDE + _FOOT) + (rows - 1) * 14 + MARGIN / 2
    told = "; ".join(f"{name}: {counted(len(x), noun)}" for name, (x, _) in points.items())
    label = f"{captions[1]} against {captions[0]}"
    parts = list(opening(width, height, label, f"{label}. {told}", title, colours, dark))
    for k, (name, (x, y)) in enumerate(points.items()):
        left = _LEFT + k % columns * (_SIDE + _GAP)
        floor = top + k // columns * (_HEAD + _SIDE + _FOOT + 14) + _HEAD + _SIDE
        across, up = Scale(low, high, left, left + _SIDE), Scale(low, high, floor, floor - _SIDE)
        parts += plot_frame(across, up, captions, colours, y_words=k % columns == 0)
        parts.append(line((left, floor), (left + _SIDE, floor - _SIDE), colours["line"], 'stroke-dasharray="4 3"'))
        parts += _marks(x, y, across, up, captions, noun, COLOURS[k % len(COLOURS)])
        parts.append(
            f'<text x="{number(left)}" y="{number(floor - _SIDE - 9)}" font-size="13" font-weight="600" '
            f'fill="{colours["ink"]}">{escaped(shorten(name, _LONGEST_NAME))}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _checked(name: str, x: ArrayLike, y: ArrayLike) -> tuple[Values, Values]:
    across, up = finite(name, x), finite(name, y)
    if len(across) != len(up):
        raise DrawingError(f"{name!r} needs as many x as y, got {len(across)} and {len(up)}")
    return across, up


def _marks(
    x: Values, y: Values, across: Scale, up: Scale, captions: tuple[str, str], noun: str, colour: str
) -> Iterator[str]:
    """One for all points of a cell, at the value of the first of them."""
    first: dict[tuple[int, int], tuple[float, float]] = {}
    found: Counter[tuple[int, int]] = Counter()
    for point in zip(x.tolist(), y.tolist(), strict=True):
        cell = round(across.at(point[0]) / _CELL), round(up.at(point[1]) / _CELL)
        first.setdefault(cell, point)
        found[cell] += 1
    yield f'<g class="points" fill="{colour}">'
    for cell, times in sorted(found.items()):
        value, guess = first[cell]
        said = f"{captions[0]} {amount(value)}, {captions[1]} {guess:.4g}: {counted(times, noun)}"
        yield (
            f'<circle class="point" cx="{number(across.at(value))}" cy="{number(up.at(guess))}" '
            f'r="{number(min(2.0 * times**0.25, 6.0))}" fill-opacity="{number(1 - (1 - _ALPHA) ** times)}">'
            f"<title>{escaped(said)}</title></circle>"
        )
    yield "</g>"
