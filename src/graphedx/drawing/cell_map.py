"""A matrix of shares as a picture: a cell for each, light for none, dark for all, with names along both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphedx.drawing.axes import MARGIN, Colours, opening
from graphedx.drawing.heatmap import shade
from graphedx.drawing.palette import theme
from graphedx.drawing.text import clean, escaped, number, shorten, text_width
from graphedx.errors import DrawingError

_FONT, _LONGEST_NAME, _BAR = 12.0, 24, 140.0
_LONGEST_CAPTION = 48
_LEAST_WIDTH = 860.0  # that of the charts, so that letters on a page are of one size


def heatmap_svg(
    shares: ArrayLike,
    rows: Sequence[object],
    columns: Sequence[object],
    *,
    title: str | None = None,
    captions: tuple[str, str] = ("rows", "columns"),
    scale: str = "share",
    apart: tuple[int, int] = (0, 0),
    dark: bool | None = False,
) -> str:
    """A matrix of values from 0 to 1 as SVG text, its rows and columns in their order and under their names.

    The last ``apart`` rows and columns are set off from the others by a gap. Each cell has a tooltip; cells that are
    not finite are left blank. ``dark=None`` leaves the colours to the page around it.

    Raises:
        DrawingError: this is no matrix of values from 0 to 1, or names or ``apart`` do not fit it.

    >>> heatmap_svg([[0.5, 1]], ["a"], ["x", "y"]).count('class="cell"')
    2
    """
    values = _checked(shares, rows, columns, apart)
    captions = shorten(clean(captions[0]), _LONGEST_CAPTION), shorten(clean(captions[1]), _LONGEST_CAPTION)
    words = [[shorten(clean(name), _LONGEST_NAME) for name in names] for names in (rows, columns)]
    cell = float(np.clip(560 / max(*values.shape, 1), 14, 30))
    gap = cell / 3
    widest, tallest = (max((text_width(name, _FONT) for name in names), default=0.0) for names in words)
    beside, across = MARGIN + 24 + widest + 8, max(values.shape[1] * cell + gap, _BAR + 90)
    width = max(beside + across + MARGIN, _LEAST_WIDTH)
    left = beside + (width - beside - across - MARGIN) / 2
    tall = values.shape[0] * cell + gap
    half = max(text_width(captions[0], _FONT) - tall, 0.0) / 2  # by which the caption is longer than the cells
    top = MARGIN + (34 if title else 0) + max(20 + tallest + 8, half)
    bottom = top + tall
    x, y = (
        [start + k * cell + (gap if k >= length - last else 0.0) for k in range(length)]
        for start, length, last in ((left, values.shape[1], apart[1]), (top, values.shape[0], apart[0]))
    )
    height = bottom + max(46, half) + MARGIN / 2
    colours = theme(dark)
    label = f"Heat map: {captions[0]} against {captions[1]}"
    told = f"{label}; {values.shape[0]} rows, {values.shape[1]} columns; each cell is the {scale}."
    ink = f'font-size="{number(_FONT)}" fill="{colours["ink"]}"'
    parts = [
        *opening(width, height, label, told, title, colours, dark),
        *_cells(values, [clean(name) for name in rows], [clean(name) for name in columns], x, y, cell, colours),
        f'<g class="names" {ink}>',
        *(
            f'<text x="{number(left - 8)}" y="{number(at + cell / 2 + 4)}" text-anchor="end">{escaped(name)}</text>'
            for name, at in zip(words[0], y, strict=True)
        ),
        *(
            f'<text transform="translate({number(at + cell / 2 + 4)} {number(top - 8)}) rotate(-90)">'
            f"{escaped(name)}</text>"
            for name, at in zip(words[1], x, strict=True)
        ),
        "</g>",
        *_captions(captions, (left, left - widest - 22), (top, bottom), tallest, ink),
        *_colour_bar(scale, left, bottom + 14, colours),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _checked(
    shares: ArrayLike, rows: Sequence[object], columns: Sequence[object], apart: tuple[int, int]
) -> NDArray[np.float64]:
    values = np.asarray(shares, dtype=np.float64)
    if values.ndim != 2:
        raise DrawingError(f"a heat map is of a matrix, got shape {values.shape}")
    if values.shape != (len(rows), len(columns)):
        raise DrawingError(f"{values.shape} rows and columns need as many names, got {(len(rows), len(columns))}")
    known = values[np.isfinite(values)]
    if known.size and not -1e-6 <= known.min() <= known.max() <= 1 + 1e-6:
        raise DrawingError(f"shares are from 0 to 1, got {known.min():g} to {known.max():g}")
    if not all(0 <= last <= length for last, length in zip(apart, values.shape, strict=True)):
        raise DrawingError(f"apart must be at most {values.shape}, got {apart}")
    return values


def _cells(
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    x: Sequence[float],
    y: Sequence[float],
    cell: float,
    colours: Colours,
) -> Iterator[str]:
    size = f'width="{number(cell)}" height="{number(cell)}"'
    yield f'<g class="cells" stroke="{colours["frame"]}" stroke-width="0.5">'
    for i, j in np.argwhere(np.isfinite(values)).tolist():
        said = f"{shorten(rows[i], 60)} → {shorten(columns[j], 60)}: {values[i, j]:.2f}"
        yield (
            f'<rect class="cell" x="{number(x[j])}" y="{number(y[i])}" {size} fill="{shade(1 - float(values[i, j]))}">'
            f"<title>{escaped(said)}</title></rect>"
        )
    yield "</g>"


def _captions(
    captions: tuple[str, str], across: tuple[float, float], down: tuple[float, float], tallest: float, ink: str
) -> Iterator[str]:
    turned = f"translate({number(across[1])} {number(sum(down) / 2)}) rotate(-90)"
    bold = f'{ink} font-weight="600"'
    yield f'<text transform="{turned}" text-anchor="middle" {bold}>{escaped(captions[0])}</text>'
    yield f'<text x="{number(across[0])}" y="{number(down[0] - tallest - 18)}" {bold}>{escaped(captions[1])}</text>'


def _colour_bar(scale: str, x: float, y: float, colours: Colours) -> Iterator[str]:
    steps = 32
    step = _BAR / steps
    yield f'<g class="scale" font-size="12" fill="{colours["ink"]}">'
    for k in range(steps):
        at, colour = number(x + k * step), shade(1 - k / (steps - 1))
        yield f'<rect x="{at}" y="{number(y)}" width="{number(step + 0.3)}" height="11" fill="{colour}"/>'
    yield f'<text x="{number(x)}" y="{number(y + 26)}">0</text>'
    yield f'<text x="{number(x + _BAR)}" y="{number(y + 26)}" text-anchor="end">1</text>'
    yield f'<text x="{number(x + _BAR + 12)}" y="{number(y + 10)}">{escaped(scale)}</text>'
    yield "</g>"
