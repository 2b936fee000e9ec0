"""Distributions as a picture: one row of bars for each series, all on the same two scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphedx.costs import amount
from graphedx.drawing.axes import COLOURS, MARGIN, Values, finite, line, opening, require_series, round_step
from graphedx.drawing.palette import theme
from graphedx.drawing.text import clean, escaped, number, shorten, text_width

MOST_BINS = 48
_LEFT = 74.0  # the counts beside the bars
_WIDTH = 860.0
_ROW, _HEAD = 92.0, 30.0  # of a row: the bars, and its name above them
_FOOT = 42.0
_LONGEST_NAME = 70


class _Bins(NamedTuple):
    """Bins of one width, the first from ``start``."""

    start: float
    width: float
    number: int
    whole: bool  # all values are whole numbers, and so are the ends

    def counts(self, values: Values) -> NDArray[np.int64]:
        places = np.clip(np.floor((values - self.start) / self.width), 0, self.number - 1)
        return np.bincount(places.astype(np.int64), minlength=self.number)

    def said(self, k: int) -> str:
        low, high = self.start + k * self.width, self.start + (k + 1) * self.width
        if not self.whole:
            return f"{low:g} to below {high:g}"
        last = high - 1
        if last == low:
            return amount(low)
        return f"{amount(low)} {'or' if last == low + 1 else 'to'} {amount(last)}"


def histogram_svg(
    series: Mapping[str, ArrayLike],
    *,
    title: str | None = None,
    caption: str = "edit distance",
    noun: str = "pairs",
    centred: bool = False,
    dark: bool | None = False,
) -> str:
    """How the values of each series are distributed, as SVG text: a row of bars for each, the mean marked.

    All rows have the same bins, of a round width so that there are at most 48, and the same scale of counts. With
    ``centred`` 0 is in the middle of a bin, as errors want it. Each bar has a tooltip.
    ``dark=None`` leaves the colours to the page around it.

    Raises:
        DrawingError: there is no series, or one has values that are not finite.

    >>> histogram_svg({"small": [0, 1, 1, 3]}).count('class="bar"')
    3
    """
    rows = {clean(name): finite(name, values) for name, values in series.items()}
    require_series(rows, "a histogram")
    bins = _bins(np.concatenate(list(rows.values())), centred)
    counts = {name: bins.counts(values) for name, values in rows.items()}
    highest = max(1, *(int(found.max()) for found in counts.values()))
    ticks = range(0, highest + 1, int(round_step(highest / 3, whole=True)))[1:]
    colours = theme(dark)
    top = MARGIN + (34 if title else 0)
    height = top + len(rows) * (_HEAD + _ROW) + _FOOT + MARGIN
    told = "; ".join(f"{name}: {_summary(values, noun)}" for name, values in rows.items())
    description = f"How the {caption} is distributed. {told}"
    parts = list(opening(_WIDTH, height, f"Histogram of the {caption}", description, title, colours, dark))
    for k, (name, values) in enumerate(rows.items()):
        floor = top + (k + 1) * (_HEAD + _ROW)
        scale = _Scale(floor, _ROW / highest, bins)
        parts += _grid(scale, ticks, colours)
        parts += _bars(name, counts[name], scale, noun, COLOURS[k % len(COLOURS)])
        parts += _name(name, values, scale, noun, colours)
    parts += _axis(top + len(rows) * (_HEAD + _ROW), caption, bins, colours)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Scale(NamedTuple):
    """Where values and counts of one row are drawn."""

    floor: float  # y of count 0
    unit: float  # height of one count
    bins: _Bins

    @property
    def bar(self) -> float:
        return (_WIDTH - _LEFT - MARGIN) / self.bins.number

    def x(self, value: float) -> float:
        """Whole numbers are in the middle of the room that they take."""
        half = 0.5 if self.bins.whole else 0.0
        return _LEFT + (value - self.bins.start + half) / self.bins.width * self.bar

    def y(self, found: float) -> float:
        return self.floor - found * self.unit


def _bins(values: Values, centred: bool) -> _Bins:
    if not len(values):
        return _Bins(0.0, 1.0, 1, whole=True)
    low, high = float(values.min()), float(values.max())
    whole = not centred and bool((values == np.rint(values)).all())
    width = round_step((high - low) / (MOST_BINS - 1) or 1.0, whole=whole)
    half = width / 2 if centred else 0.0
    start = np.floor((low + half) / width) * width - half
    return _Bins(float(start), width, int((high - start) // width) + 1, whole)


def _grid(scale: _Scale, ticks: range, colours: Mapping[str, str]) -> Iterator[str]:
    yield f'<g class="counts" font-size="11" fill="{colours["muted"]}" text-anchor="end">'
    for tick in ticks:
        y = scale.y(tick)
        yield line((_LEFT, y), (_WIDTH - MARGIN, y), colours["frame"])
        yield f'<text x="{number(_LEFT - 8)}" y="{number(y + 4)}">{tick:,}</text>'
    yield line((_LEFT, scale.floor), (_WIDTH - MARGIN, scale.floor), colours["line"])
    yield "</g>"


def _bars(name: str, counts: NDArray[np.int64], scale: _Scale, noun: str, colour: str) -> Iterator[str]:
    """The whole column of a bar tells its count, so that low bars are easy to find with the mouse."""
    total = int(counts.sum())
    gap = min(1.5, scale.bar / 6)
    yield '<g class="bars">'
    for k, found in enumerate(counts.tolist()):
        if not found:
            continue
        left, top = _LEFT + k * scale.bar, scale.y(found)
        said = f"{name}, {scale.bins.said(k)}: {found:,} {noun} ({found / total:.1%})"
        yield (
            f'<g class="bar"><title>{escaped(said)}</title>'
            f'<rect x="{number(left)}" y="{number(scale.floor - _ROW)}" width="{number(scale.bar)}" '
            f'height="{number(_ROW)}" fill-opacity="0"/>'
            f'<rect x="{number(left + gap / 2)}" y="{number(top)}" width="{number(scale.bar - gap)}" '
            f'height="{number(scale.floor - top)}" fill="{colour}"/></g>'
        )
    yield "</g>"


def _name(name: str, values: Values, scale: _Scale, noun: str, colours: Mapping[str, str]) -> Iterator[str]:
    """What the row is of, above its bars; a line at the mean."""
    y = scale.floor - _ROW - 9
    words = shorten(name, _LONGEST_NAME)
    yield (
        f'<text x="{number(_LEFT)}" y="{number(y)}" font-size="13" font-weight="600" fill="{colours["ink"]}">'
        f"{escaped(words)}</text>"
    )
    yield (
        f'<text x="{number(_LEFT + text_width(words, 13) + 14)}" y="{number(y)}" font-size="12" '
        f'fill="{colours["muted"]}">{escaped(_summary(values, noun))}</text>'
    )
    if len(values):
        x = scale.x(float(values.mean()))
        ends = (x, scale.floor - _ROW), (x, scale.floor)
        yield line(*ends, colours["ink"], 'class="mean" stroke-dasharray="4 3" pointer-events="none"')


def _summary(values: Values, noun: str) -> str:
    if not len(values):
        return f"no {noun}"
    highest = float(values.max())
    most = amount(highest) if highest.is_integer() else f"{highest:.3g}"
    return f"{len(values):,} {noun}, mean {values.mean():.2f}, at most {most}"


def _axis(floor: float, caption: str, bins: _Bins, colours: Mapping[str, str]) -> Iterator[str]:
    scale = _Scale(floor, 0.0, bins)
    step = max(round_step(bins.number * bins.width / 12, whole=bins.whole), bins.width)
    first = int(np.ceil(bins.start / step))
    yield f'<g class="values" font-size="11" fill="{colours["muted"]}" text-anchor="middle">'
    for value in (k * step for k in count(first)):
        x = scale.x(value)
        if x > _WIDTH - MARGIN + 0.01:
            break
        yield line((x, floor), (x, floor + 5), colours["line"])
        yield f'<text x="{number(x)}" y="{number(floor + 19)}">{value:g}</text>'
    middle = (_LEFT + _WIDTH - MARGIN) / 2
    yield (
        f'<text x="{number(middle)}" y="{number(floor + 42)}" font-size="12" fill="{colours["ink"]}">'
        f"{escaped(caption)}</text>"
    )
    yield "</g>"
