"""Values that change as something goes on: a line for each series, all on the same axes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from graphedx.drawing.axes import (
    COLOURS,
    MARGIN,
    Colours,
    Scale,
    Values,
    finite,
    opening,
    plot_frame,
    require_series,
    spread,
)
from graphedx.drawing.palette import theme
from graphedx.drawing.text import clean, escaped, number, shorten, text_width
from graphedx.errors import DrawingError

_WIDTH, _HEIGHT, _LEFT, _FOOT, _KEY = 860.0, 260.0, 74.0, 44.0, 30.0
_LONGEST_NAME = 50


def curves_svg(
    series: Mapping[str, ArrayLike],
    *,
    title: str | None = None,
    captions: tuple[str, str] = ("epoch", "mean squared error"),
    log: bool = False,
    dashed: Collection[str] = (),
    dark: bool | None = False,
) -> str:
    """The values of each series, numbered from 1, as a line each in SVG text.

    ``log`` gives equal room to equal ratios; the series named in ``dashed`` are drawn so. ``dark=None`` leaves the
    colours to the page around it.

    Raises:
        DrawingError: there is no series, or one has values that are not finite, or none, or not above 0 if ``log``.

    >>> curves_svg({"loss": [3, 2, 1]}).count('class="curve"')
    1
    """
    require_series(series, "a chart of curves")
    lines = {clean(name): _checked(name, values, log) for name, values in series.items()}
    longest = max(map(len, lines.values()))
    top = MARGIN + (34 if title else 0) + _KEY
    height = top + _HEIGHT + _FOOT + MARGIN / 2
    x = Scale(1.0 if longest > 1 else 0.5, float(longest) if longest > 1 else 1.5, _LEFT, _WIDTH - MARGIN)
    y = Scale(*spread(np.concatenate(list(lines.values())), log=log), top + _HEIGHT, top, log)
    colours = theme(dark)
    label = f"{captions[1]} by {captions[0]}"
    told = "; ".join(f"{name}: from {values[0]:.4g} to {values[-1]:.4g}" for name, values in lines.items())
    parts = [
        *opening(_WIDTH, height, label, f"{label}. {told}", title, colours, dark),
        *plot_frame(x, y, captions, colours),
    ]
    dashes = {clean(name) for name in dashed}
    place = _LEFT
    for k, (name, values) in enumerate(lines.items()):
        paint = _paint(COLOURS[k % len(COLOURS)], name in dashes)
        parts.append(_curve(name, values, x, y, paint))
        parts += _key(name, place, top - 16, paint, colours)
        place += 30 + text_width(shorten(name, _LONGEST_NAME), 12) + 24
    return "\n".join([*parts, "</svg>"]) + "\n"


def _checked(name: str, values: ArrayLike, log: bool) -> Values:
    found = finite(name, values)
    if not len(found):
        raise DrawingError(f"{name!r} has no values to draw a curve through")
    if log and found.min() <= 0:
        raise DrawingError(f"the values of {name!r} must be above 0 for a scale of logarithms, got {found.min():g}")
    return found


def _paint(colour: str, dashed: bool) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="2.2"' + (' stroke-dasharray="6 4"' if dashed else "")


def _curve(name: str, values: Values, x: Scale, y: Scale, paint: str) -> str:
    corners = "L".join(f"{number(x.at(k))} {number(y.at(value))}" for k, value in enumerate(values.tolist(), 1))
    ends = f"{values[0]:.4g} at first, {values.min():.4g} at best, {values[-1]:.4g} at the end"
    return f'<path class="curve" d="M{corners}" {paint}><title>{escaped(f"{name}: {ends}")}</title></path>'


def _key(name: str, x: float, y: float, paint: str, colours: Colours) -> Iterator[str]:
    yield f'<path d="M{number(x)} {number(y)}h22" {paint}/>'
    words = escaped(shorten(name, _LONGEST_NAME))
    yield f'<text x="{number(x + 30)}" y="{number(y + 4)}" font-size="12" fill="{colours["ink"]}">{words}</text>'
