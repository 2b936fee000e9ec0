"""What more of one thing buys of another: points on two scales of logarithms, and the front that none are beyond."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from graphedx.drawing.axes import COLOURS, MARGIN, Colours, Scale, finite, opening, plot_frame, require_series
from graphedx.drawing.palette import FILLS, theme
from graphedx.drawing.text import clean, escaped, number, shorten, text_width
from graphedx.errors import DrawingError

_WIDTH, _HEIGHT, _LEFT, _FOOT = 860.0, 380.0, 84.0, 44.0
_ROOM = 1.8  # the factor below the least round value; less than 2, so that the next round value is not at the foot
_KEY_LINE, _KEY_TOP = 20.0, 14.0
_LONGEST_NAME = 40
_SHAPES = ("circle", "square", "diamond", "triangle")
_PAINTS = (*COLOURS, FILLS[19], FILLS[8], FILLS[15], FILLS[18], FILLS[30])

Point = tuple[float, float]


def tradeoff_svg(
    series: Mapping[str, Sequence[Point]],
    *,
    title: str | None = None,
    captions: tuple[str, str] = ("seconds a pair", "mean squared error"),
    dark: bool | None = False,
) -> str:
    """Points (x, y) of each series as SVG text, of which less is better on both scales.

    The points of a series are joined; each series has a colour and a shape of its own. The dashed line is the front:
    left of it and below nothing was found. Where y is 0 a point lies on the line at the foot. Each has a tooltip.
    ``dark=None`` leaves the colours to the page around it.

    Raises:
        DrawingError: there is no point, or one has values that are not finite, x not above 0, or y below 0.

    >>> tradeoff_svg({"fast": [(0.001, 2.0)], "exact": [(0.1, 0.0)]}).count('class="point"')
    2
    """
    lines = {clean(name): sorted(_checked(name, points)) for name, points in series.items() if len(points)}
    require_series(lines, "a picture of a trade-off")
    every = [point for points in lines.values() for point in points]
    above = [y for _, y in every if y > 0] or [1.0]
    keys = list(_keys(lines))
    top = MARGIN + (34 if title else 0) + _KEY_TOP + _KEY_LINE * (keys[-1][2] + 1)
    floor = top + _HEIGHT
    x = Scale(min(x for x, _ in every) / 1.6, max(x for x, _ in every) * 1.6, _LEFT, _WIDTH - MARGIN, log=True)
    y = Scale(_round_below(min(above)) / _ROOM, max(above) * 1.4, floor, top, log=True)
    colours = theme(dark)
    label = f"{captions[1]} against {captions[0]}"
    told = "; ".join(
        f"{name}: " + ", ".join(f"({a:.3g}, {b:.3g})" for a, b in points) for name, points in lines.items()
    )
    parts = [
        *opening(_WIDTH, floor + _FOOT + MARGIN / 2, label, f"{label}. {told}", title, colours, dark),
        *plot_frame(x, y, captions, colours),
    ]
    if any(y == 0 for _, y in every):
        words = f'font-size="11" fill="{colours["muted"]}" text-anchor="end"'
        parts.append(f'<text x="{number(_LEFT - 8)}" y="{number(floor + 4)}" {words}>0</text>')

    def at(point: Point) -> Point:
        return x.at(point[0]), y.at(point[1]) if point[1] > 0 else floor

    parts.append(_front([at(point) for point in front(every)], x.end, colours))
    for k, ((name, points), (_, across, row)) in enumerate(zip(lines.items(), keys, strict=True)):
        paint, shape = _PAINTS[k % len(_PAINTS)], _SHAPES[k % len(_SHAPES)]
        corners = "L".join(f"{number(a)} {number(b)}" for a, b in map(at, points))
        parts.append(f'<path d="M{corners}" fill="none" stroke="{paint}" stroke-width="1.5" stroke-opacity="0.7"/>')
        for point in points:
            said = f"{name}: {captions[0]} {point[0]:.3g}, {captions[1]} {point[1]:.3g}"
            parts.append(_mark(shape, at(point), paint, colours, said))
        key_at = (_LEFT + across, top - _KEY_TOP - _KEY_LINE * (keys[-1][2] - row))
        parts.append(_mark(shape, (key_at[0] + 5, key_at[1] - 4), paint, colours, name, kind="key"))
        parts.append(
            f'<text x="{number(key_at[0] + 15)}" y="{number(key_at[1])}" font-size="12" fill="{colours["ink"]}">'
            f"{escaped(shorten(name, _LONGEST_NAME))}</text>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def front(points: Sequence[Point]) -> list[Point]:
    """Those points than which no other is better in one and not worse in the other, from left to right.

    >>> front([(1, 3), (2, 4), (3, 1)])
    [(1, 3), (3, 1)]
    """
    found: list[Point] = []
    for point in sorted(points):
        if not found or point[1] < found[-1][1]:
            found.append(point)
    return found


def _checked(name: str, points: Sequence[Point]) -> list[Point]:
    values = finite(name, np.asarray(points, dtype=np.float64)).reshape(-1, 2)
    if (values[:, 0] <= 0).any() or (values[:, 1] < 0).any():
        raise DrawingError(f"the points of {name!r} must have x above 0 and y not below 0")
    return [(float(x), float(y)) for x, y in values]


def _keys(lines: Mapping[str, object]) -> Iterator[tuple[str, float, int]]:
    """Each name, how far to the right it stands, and in which line."""
    across, row = 0.0, 0
    for name in lines:
        wide = 15 + text_width(shorten(name, _LONGEST_NAME), 12) + 18
        if across and across + wide > _WIDTH - _LEFT - MARGIN:
            across, row = 0.0, row + 1
        yield name, across, row
        across += wide


def _round_below(value: float) -> float:
    """The last of ..., 1, 2, 5, 10, ... that is not above."""
    power = math.floor(math.log10(value))
    candidates = [float(f"{factor}e{exponent}") for exponent in (power - 1, power) for factor in (1, 2, 5)]
    return max(candidate for candidate in candidates if candidate <= value)


def _front(places: Sequence[Point], right: float, colours: Colours) -> str:
    """Stairs: at a point's x its y can be had, and at every larger one."""
    (x, y), *others = places
    steps = "".join(f"H{number(a)}V{number(b)}" for a, b in others)
    paint = f'fill="none" stroke="{colours["line"]}" stroke-width="1.4" stroke-dasharray="5 4"'
    return f'<path class="front" d="M{number(x)} {number(y)}{steps}H{number(right)}" {paint}/>'


def _mark(shape: str, at: Point, paint: str, colours: Colours, said: str, kind: str = "point") -> str:
    x, y = at
    outlines = {
        "square": f"M{number(x - 5)} {number(y - 5)}h10v10h-10Z",
        "diamond": f"M{number(x)} {number(y - 6.5)}l6.5 6.5l-6.5 6.5l-6.5 -6.5Z",
        "triangle": f"M{number(x)} {number(y - 6.5)}l6.2 11h-12.4Z",
    }
    look = f'class="{kind}" fill="{paint}" stroke="{colours["outline"]}" stroke-width="0.8"'
    told = f"<title>{escaped(said)}</title>"
    if shape == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="5.5" {look}>{told}</circle>'
    return f'<path d="{outlines[shape]}" {look}>{told}</path>'
