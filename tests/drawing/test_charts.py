"""Scatter plots, curves and heat maps: every value is where its scale says, and every mark says what it is."""

import re
from itertools import pairwise

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring

from graphedx.drawing import curves_svg, heatmap_svg, histogram_svg, scatter_svg
from graphedx.drawing.axes import Scale
from graphedx.errors import DrawingError

SVG = "{http://www.w3.org/2000/svg}"
CHARTS = {
    "scatter": lambda **how: scatter_svg({"a": ([1, 2], [1.5, 2])}, **how),
    "curves": lambda **how: curves_svg({"a": [3, 2, 1]}, **how),
    "heat map": lambda **how: heatmap_svg([[0, 0.5], [1, 0]], "ab", "cd", **how),
}


def points(svg: str) -> list[tuple[float, float, float, str]]:
    """(x, y, opacity, tooltip) of every mark."""
    marks = [mark for mark in fromstring(svg).iter(f"{SVG}circle") if mark.get("class") == "point"]
    return [(*(float(mark.get(k)) for k in ("cx", "cy", "fill-opacity")), mark[0].text) for mark in marks]


def test_points_on_the_diagonal_are_on_the_line():
    found = points(scatter_svg({"a": (range(9), range(9))}))
    steps = {(round(b[0] - a[0], 1), round(b[1] - a[1], 1)) for a, b in pairwise(found)}
    assert len(found) == 9 and all(x == pytest.approx(-y, abs=0.11) and x > 0 for x, y in steps)


def test_points_that_fall_on_each_other_are_one_darker_mark():
    once, often = points(scatter_svg({"a": ([1] + [5] * 7, [1] + [5] * 7)}))
    assert once[2] < often[2] and often[3] == "exact distance 5, guess 5: 7 pairs" and once[3].endswith(": 1 pair")


def test_plots_of_several_series_share_a_scale_and_break_into_rows():
    found = points(scatter_svg({name: ([1, 4], [2, 3]) for name in "abcd"}))
    assert len(found) == 8
    assert found[2][0] - found[0][0] == pytest.approx(found[4][0] - found[2][0], abs=0.02)
    assert found[6][0] == found[0][0] and found[6][1] > found[0][1]


def test_curves_go_from_the_first_value_to_the_last():
    svg = curves_svg({"loss": [100, 10, 1], "guess": [10, 10, 10]}, log=True, dashed=["guess"])
    loss, guess = (
        [tuple(map(float, corner.split())) for corner in path.split("L")]
        for path in re.findall(r'class="curve" d="M([^"]*)"', svg)
    )
    assert [x for x, _ in loss] == [x for x, _ in guess] == sorted(x for x, _ in loss)
    assert loss[1][1] - loss[0][1] == pytest.approx(loss[2][1] - loss[1][1], abs=0.02)  # equal ratios, equal steps
    assert loss[1] == guess[1] and svg.count("stroke-dasharray") == 2  # the curve and its key
    assert "loss: 100 at first, 1 at best, 1 at the end" in svg


def numbers(path):
    return [float(number) for number in re.findall(r"[-+.\w]+", re.sub(r"[MLHVZ]", " ", path))]


@pytest.mark.parametrize("values", [[1], [2, 2, 2], [1e-6, 1e6]])
def test_odd_curves(values):
    for svg in (curves_svg({"odd": values}, title="odd", log=True), curves_svg({"odd": values})):
        (path,) = [mark.get("d") for mark in fromstring(svg).iter() if mark.get("class") == "curve"]
        assert np.isfinite(numbers(path)).all() and len(numbers(path)) == 2 * len(values)


def test_cells_are_where_their_names_are():
    svg = heatmap_svg([[0, 0.25], [1, np.nan], [0.5, 0.5]], ["r0", "r1", "left"], ["c0", "c1"], apart=(1, 0))
    cells = [cell for cell in fromstring(svg).iter(f"{SVG}rect") if cell.get("class") == "cell"]
    assert [cell[0].text for cell in cells] == [
        "r0 → c0: 0.00", "r0 → c1: 0.25", "r1 → c0: 1.00", "left → c0: 0.50", "left → c1: 0.50",
    ]  # fmt: skip
    y = [float(cells[k].get("y")) for k in (0, 2, 3)]
    assert y[2] - y[1] > y[1] - y[0] > 0  # the last row is apart
    brightness = [sum(bytes.fromhex(cells[k].get("fill")[1:])) for k in (0, 1, 3, 2)]
    assert brightness == sorted(brightness, reverse=True)  # the more, the darker


def test_errors_are_counted_around_nought():
    svg = histogram_svg({"a": [0.0, 0.4, -0.4, 2.0, -20.0, 20.0]}, centred=True)
    assert "a, -0.5 to below 0.5: 3 pairs" in svg


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_are_safe_and_say_what_they_are(chart):
    draw = CHARTS[chart]
    svg = draw(title="</svg><script>", captions=("<i>", "\x00&"))
    root = fromstring(svg)
    assert "<script" not in svg and "<i>" not in svg and root.get("role") == "img" and root.get("aria-label")
    assert draw() == draw() and "&lt;i&gt;" in svg
    light, dark, free = (draw(dark=dark) for dark in (False, True, None))
    assert "#ffffff" in light and "#14181d" in dark and "var(--ink)" in free and "var(" not in light + dark


@pytest.mark.parametrize("chart", CHARTS)
def test_nothing_is_drawn_outside_the_picture(chart):
    svg = CHARTS[chart](title="a title")
    root = fromstring(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    for mark in root.iter():
        for at, size, limit in (("x", "width", width), ("y", "height", height), ("cx", "", width), ("cy", "", height)):
            if mark.get(at):
                assert 0 <= float(mark.get(at)) <= float(mark.get(at)) + float(mark.get(size) or 0) <= limit
        if mark.get("class") == "curve":
            points = numbers(mark.get("d"))
            assert 0 <= min(points[::2]) <= max(points[::2]) <= width and 0 <= min(points[1::2]) <= max(points[1::2])
            assert max(points[1::2]) <= height


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: scatter_svg({}), "at least one series"),
        (lambda: scatter_svg({"a": ([1], [1, 2])}), "'a' needs as many x as y, got 1 and 2"),
        (lambda: scatter_svg({"a": ([1], [np.inf])}), "'a' must be finite"),
        (lambda: curves_svg({}), "at least one series"),
        (lambda: curves_svg({"a": []}), "'a' has no values"),
        (lambda: curves_svg({"a": [1, 0]}, log=True), "'a' must be above 0"),
        (lambda: heatmap_svg([0, 1], "ab", "c"), "of a matrix"),
        (lambda: heatmap_svg([[0, 1]], "ab", "c"), "as many names"),
        (lambda: heatmap_svg([[2]], "a", "b"), "from 0 to 1, got 2"),
        (lambda: heatmap_svg([[1]], "a", "b", apart=(2, 0)), "apart"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(DrawingError, match=message):
        draw()


@pytest.mark.parametrize(("low", "high", "log"), [(0, 1, False), (-3, 28, False), (0.5, 95, True), (1e-7, 1e7, True)])
def test_ticks_are_few_round_and_on_the_scale(low, high, log):
    ticks = Scale(low, high, 0, 100, log).ticks
    assert 3 <= len(ticks) <= 15 and all(low <= tick <= high for tick in ticks)
    assert all(tick == pytest.approx(float(f"{tick:.1e}")) for tick in ticks)  # two digits say it all
