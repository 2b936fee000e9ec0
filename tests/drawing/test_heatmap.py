"""The heat map: cells in clustered order, every value findable, doubt hatched, size bounded."""

import re

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring

from graphedx.drawing import clustered_heatmap_svg
from graphedx.errors import DrawingError

SVG = "{http://www.w3.org/2000/svg}"
TWO_GROUPS = np.array([[0, 9, 1, 8], [9, 0, 9, 2], [1, 9, 0, 9], [8, 2, 9, 0]], dtype=float)
NAMES = ["a", "b", "c", "d"]


def line_up(n: int) -> np.ndarray:
    places = np.arange(n) * 7 % n  # shuffled points on a line
    return np.abs(places[:, None] - places[None]).astype(float)


def group(svg: str, name: str):
    return next(element for element in fromstring(svg).iter(f"{SVG}g") if element.get("class") == name)


def tooltips(svg: str) -> list[str]:
    return [title.text or "" for title in group(svg, "cells").iter(f"{SVG}title")]


def test_near_ones_come_together():
    names = [text.text for text in group(clustered_heatmap_svg(TWO_GROUPS, NAMES), "names")][::2]
    assert {frozenset(names[:2]), frozenset(names[2:])} == {frozenset("ac"), frozenset("bd")}


def test_every_pair_has_its_value():
    for values in (TWO_GROUPS, TWO_GROUPS * 1234567):
        svg = clustered_heatmap_svg(values, NAMES)
        expected = {f"{NAMES[i]} → {NAMES[j]}: {values[i, j]:.0f}" for i in range(4) for j in range(4)}
        assert set(tooltips(svg)) == expected


def test_cells_sit_where_their_names_are():
    svg = clustered_heatmap_svg(TWO_GROUPS, NAMES)
    order = [text.text for text in group(svg, "names")][::2]
    for path in group(svg, "cells").iter(f"{SVG}path"):
        column, row = map(int, re.match(r"M(\d+) (\d+)", path.get("d")).groups())
        assert path.find(f"{SVG}title").text.startswith(f"{order[row]} → {order[column]}:")


def test_nearer_is_darker():
    svg = clustered_heatmap_svg(TWO_GROUPS, NAMES)
    brightness = {}
    for shade in group(svg, "cells").findall(f"{SVG}g"):
        red, green, blue = (int(shade.get("fill")[k : k + 2], 16) for k in (1, 3, 5))
        for title in shade.iter(f"{SVG}title"):
            brightness[float(title.text.rsplit(" ", 1)[1])] = red + green + blue
    assert [brightness[value] for value in sorted(brightness)] == sorted(brightness.values())


def test_unproven_cells_are_hatched_and_say_so():
    proven = np.ones((4, 4), dtype=bool)
    assert 'class="hatch"' not in clustered_heatmap_svg(TWO_GROUPS, NAMES, proven=proven)
    proven[0, 1] = proven[1, 0] = False
    svg = clustered_heatmap_svg(TWO_GROUPS, NAMES, proven=proven)
    assert group(svg, "hatch").find(f"{SVG}path").get("d").count("M") == 2 * 3
    assert sum("not proven" in tooltip for tooltip in tooltips(svg)) == 2


def test_dendrogram_joins_all_but_one():
    svg = clustered_heatmap_svg(line_up(12), list(range(12)))
    (tree,) = [path for path in fromstring(svg).iter(f"{SVG}path") if path.get("class") == "dendrogram"]
    assert tree.get("d").count("M") == 11


def test_two_hundred_names_stay_small():
    svg = clustered_heatmap_svg(line_up(200), [f"graph number {k}" for k in range(200)])
    assert len(svg) < 1_500_000
    assert len(tooltips(svg)) == 200
    assert sum(path.get("d").count("M") for path in group(svg, "cells").iter(f"{SVG}path")) == 200 * 200


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_matrices(n):
    fromstring(clustered_heatmap_svg(np.zeros((n, n)), list(range(n)), title="tiny"))


def test_unknown_values_are_left_blank():
    values = TWO_GROUPS.copy()
    values[0, 1] = np.nan
    values[2, 3] = np.inf
    assert len(tooltips(clustered_heatmap_svg(values, NAMES))) == 14


def test_hostile_names_stay_text():
    svg = clustered_heatmap_svg(TWO_GROUPS, ["<script>", "&\"'", "\x00", "d"], title="</svg>", caption="<i>")
    assert "<script" not in svg and svg.count("</svg>") == 1
    assert any(tooltip.startswith("<script> →") for tooltip in tooltips(svg))


@pytest.mark.parametrize(
    ("matrix", "names", "proven", "message"),
    [
        (np.zeros((2, 3)), [1, 2], None, "square"),
        (np.zeros(4), [1], None, "square"),
        (np.zeros((2, 2)), [1, 2, 3], None, "2 rows need as many names, got 3"),
        (np.zeros((2, 2)), [1, 2], [[True]], "proven must have the matrix's shape"),
    ],
)
def test_what_cannot_be_drawn_is_refused(matrix, names, proven, message):
    with pytest.raises(DrawingError, match=message):
        clustered_heatmap_svg(matrix, names, proven=proven)


def test_same_matrix_same_bytes():
    assert clustered_heatmap_svg(line_up(20), range(20)) == clustered_heatmap_svg(line_up(20), range(20))
