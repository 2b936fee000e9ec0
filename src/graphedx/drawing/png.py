"""Scenes as PNG, drawn by matplotlib: the same shapes in the same places and colours as the SVG."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path as FilePath
from typing import Any, BinaryIO

from graphedx.drawing.palette import theme
from graphedx.drawing.scene import edit_path_scene
from graphedx.drawing.shapes import Curve, Pill, Polygon, Scene, Shape, Style, Words, resolved
from graphedx.edits import EditPath
from graphedx.errors import MissingExtraError, OutputError

_UNITS_PER_INCH = 100.0
_POINTS_PER_UNIT = 72.0 / _UNITS_PER_INCH
_FONT = "DejaVu Sans"  # comes with matplotlib, so pictures are alike everywhere
_FONT_SCALE = 0.9  # it runs wider than the fonts the SVG asks for


def edit_path_png(
    path: EditPath, file: str | FilePath | BinaryIO, dpi: float = 200, *, title: str | None = None, dark: bool = False
) -> None:
    """Write the figure of an edit path (see ``edit_path_svg``) as PNG to a path or an open binary file.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OutputError: the file cannot be written.
    """
    data = scene_png(edit_path_scene(path, title), theme(dark), dpi)
    if not isinstance(file, str | FilePath):
        file.write(data)
        return
    try:
        FilePath(file).write_bytes(data)
    except OSError as error:
        raise OutputError(f"cannot write {str(file)!r}: {error.strerror}") from error


def scene_png(scene: Scene, colours: Mapping[str, str], dpi: float) -> bytes:
    """Any scene as the bytes of a PNG; ``dpi`` pixels for 100 units of the scene."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    figure = Figure(figsize=(scene.width / _UNITS_PER_INCH, scene.height / _UNITS_PER_INCH), dpi=dpi)
    FigureCanvasAgg(figure)
    figure.patch.set_facecolor(colours["paper"])
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    layer = 0
    for item in scene.items:
        for shape in item.shapes:
            layer += 1
            axes.add_artist(_artist(shape, colours)).set_zorder(layer)
    buffer = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # drawn as a box, as in any viewer
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def _artist(shape: Shape, colours: Mapping[str, str]) -> Any:
    from matplotlib.patches import Circle, FancyBboxPatch, PathPatch
    from matplotlib.path import Path

    match shape:
        case Pill((x, y), half_width, half_height, style):
            if half_width - half_height < 0.01:
                return Circle((x, y), half_height, **_paint(style, colours))
            corner = (x - half_width, y - half_height)
            rounding = f"round,pad=0,rounding_size={half_height}"
            return FancyBboxPatch(
                corner, 2 * half_width, 2 * half_height, boxstyle=rounding, mutation_aspect=1, **_paint(style, colours)
            )
        case Curve(start, control, end, style):
            codes = [Path.MOVETO, Path.CURVE3, Path.CURVE3]
            return PathPatch(Path([start, control, end], codes), capstyle="round", **_paint(style, colours))
        case Polygon(points, style):
            return PathPatch(Path([*points, points[0]], closed=True), **_paint(style, colours))
        case Words():
            return _text(shape, colours)


def _text(words: Words, colours: Mapping[str, str]) -> Any:
    from matplotlib.patheffects import withStroke
    from matplotlib.text import Text

    alignment: Any = {"start": "left", "middle": "center", "end": "right"}[words.anchor]
    text = Text(
        *words.at,
        words.text,
        color=resolved(words.colour, colours),
        fontsize=words.size * _POINTS_PER_UNIT * _FONT_SCALE,
        fontfamily=_FONT,
        fontweight="bold" if words.bold else "normal",
        horizontalalignment=alignment,
        verticalalignment="baseline",
        parse_math=False,  # a label with dollar signs is a label
    )
    if words.halo:
        text.set_path_effects([withStroke(linewidth=4 * _POINTS_PER_UNIT, foreground=colours["paper"])])
    return text


def _paint(style: Style, colours: Mapping[str, str]) -> dict[str, Any]:
    width = style.width * _POINTS_PER_UNIT
    paint: dict[str, Any] = {
        "facecolor": resolved(style.fill, colours),
        "edgecolor": resolved(style.stroke, colours),
        "linewidth": width,
    }
    if style.dash:
        paint["linestyle"] = (0, tuple(part / style.width for part in style.dash))  # in line widths
    return paint
