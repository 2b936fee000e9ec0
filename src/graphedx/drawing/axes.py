"""What charts share: the opening of the SVG, round ticks, scales, and the frame around a plot with its captions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphedx.drawing.palette import FILLS
from graphedx.drawing.svg import FONTS
from graphedx.drawing.text import escaped, number
from graphedx.errors import DrawingError

Values = NDArray[np.float64]
Colours = Mapping[str, str]

COLOURS = (FILLS[0], FILLS[1], FILLS[3], FILLS[7])
"""For series: those fills that stand out from white and from black."""
MARGIN = 24.0


def opening(
    width: float, height: float, label: str, description: str, title: str | None, colours: Colours, dark: bool | None
) -> Iterator[str]:
    """The first lines of a chart: what it is for those who cannot see it, its paper, and its title if it has one."""
    size = f'width="{number(width)}" height="{number(height)}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" {size} '
        f'role="img" aria-label="{escaped(title or label)}" font-family="{FONTS}">'
    )
    yield f"<title>{escaped(title or label)}</title>"
    yield f"<desc>{escaped(description)}</desc>"
    if dark is not None:
        yield f'<rect {size} fill="{colours["paper"]}"/>'
    if title:
        yield (
            f'<text x="{number(MARGIN)}" y="{number(MARGIN + 15)}" font-size="18" font-weight="600" '
            f'fill="{colours["ink"]}">{escaped(title)}</text>'
        )


def finite(name: str, values: ArrayLike) -> Values:
    """Values as an array of one dimension.

    Raises:
        DrawingError: some are not finite.
    """
    found = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(found).all():
        raise DrawingError(f"the values of {name!r} must be finite to be drawn")
    return found


def round_step(least: float, *, whole: bool) -> int | float:
    """The next of ..., 1, 2, 5, 10, 20, 50, ... that is at least so much; not below 1 if it has to be whole."""
    lowest = 0 if whole else math.floor(math.log10(least)) - 1
    steps = (factor * (10**power if power >= 0 else 10.0**power) for power in count(lowest) for factor in (1, 2, 5))
    return next(step for step in steps if step >= least)


class Scale(NamedTuple):
    """Values from ``low`` to ``high`` along a line from ``start`` to ``end``, by their logarithm if ``log``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = map(math.log10, (self.low, self.high, value)) if self.log else (*self[:2], value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        """Round values on the scale: of logarithms 1, 2 and 5 of each power of ten, or powers only if it is long."""
        if not self.log:
            step = round_step((self.high - self.low) / 8, whole=False)
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            return [k * step for k in range(first, last + 1)]
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        factors = (1, 2, 5) if len(powers) <= 5 else (1,)
        candidates = (float(f"{factor}e{power}") for power in powers for factor in factors)
        return [value for value in candidates if self.low <= value <= self.high]


def spread(values: Values, *, log: bool = False) -> tuple[float, float]:
    """From where to where a scale goes that shows these values, with some room around them."""
    if not len(values):
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if log:
        return (low / 1.15, high * 1.15)
    room = 0.04 * (high - low) or 0.5 * max(1.0, abs(high))
    return low - room, high + room


def plot_frame(
    x: Scale, y: Scale, captions: tuple[str, str], colours: Colours, *, y_words: bool = True
) -> Iterator[str]:
    """Grid lines with their values, and the captions of both axes; ``y_words`` leaves those beside the plot out."""
    yield f'<g class="axes" font-size="11" fill="{colours["muted"]}">'
    for value in x.ticks:
        at = x.at(value)
        yield line((at, y.start), (at, y.end), colours["frame"])
        yield f'<text x="{number(at)}" y="{number(y.start + 17)}" text-anchor="middle">{value:g}</text>'
    for value in y.ticks:
        at = y.at(value)
        yield line((x.start, at), (x.end, at), colours["frame"])
        if y_words:
            yield f'<text x="{number(x.start - 8)}" y="{number(at + 4)}" text-anchor="end">{value:g}</text>'
    yield line((x.start, y.start), (x.end, y.start), colours["line"])
    yield line((x.start, y.start), (x.start, y.end), colours["line"])
    words = f'font-size="12" fill="{colours["ink"]}" text-anchor="middle"'
    middle = number((x.start + x.end) / 2)
    yield f'<text x="{middle}" y="{number(y.start + 38)}" {words}>{escaped(captions[0])}</text>'
    if y_words:
        turned = f"translate({number(x.start - 48)} {number((y.start + y.end) / 2)}) rotate(-90)"
        yield f'<text transform="{turned}" {words}>{escaped(captions[1])}</text>'
    yield "</g>"


def line(start: tuple[float, float], end: tuple[float, float], colour: str, more: str = "") -> str:
    """A straight line."""
    (x, y), (right, bottom) = start, end
    return (
        f'<path d="M{number(x)} {number(y)}L{number(right)} {number(bottom)}" stroke="{colour}"'
        f"{' ' + more if more else ''}/>"
    )


def require_series(series: Mapping[str, object] | Sequence[object], what: str) -> None:
    """
    Raises:
        DrawingError: there is nothing to draw.
    """
    if not series:
        raise DrawingError(f"{what} needs at least one series of values")
