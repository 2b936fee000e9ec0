"""The histogram: every value is counted once, in a bar that says so; all rows on the same scales."""

import re
from collections import Counter

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring

from graphedx.drawing import histogram_svg
from graphedx.drawing.histogram import MOST_BINS
from graphedx.errors import DrawingError

SVG = "{http://www.w3.org/2000/svg}"
TOOLTIP = re.compile(r"(.*), (.*): ([\d,]+) pairs \((.*)%\)")


def tooltips(svg: str) -> list[tuple[str, str, int]]:
    """(row, bin, count) of every bar."""
    bars = [group for group in fromstring(svg).iter(f"{SVG}g") if group.get("class") == "bar"]
    found = [TOOLTIP.fullmatch(bar.find(f"{SVG}title").text).groups() for bar in bars]
    return [(row, where, int(count.replace(",", ""))) for row, where, count, _ in found]


def bars(svg: str) -> list[tuple[float, float]]:
    """(left end, height) of every bar that is seen."""
    groups = [group for group in fromstring(svg).iter(f"{SVG}g") if group.get("class") == "bar"]
    seen = [group.findall(f"{SVG}rect")[1] for group in groups]
    return [(float(bar.get("x")), float(bar.get("height"))) for bar in seen]


def test_whole_numbers_have_a_bar_each():
    values = [0, 1, 1, 3, 3, 3, 7]
    assert tooltips(histogram_svg({"all": values})) == [
        ("all", str(value), count) for value, count in sorted(Counter(values).items())
    ]


@pytest.mark.parametrize(
    ("highest", "first"), [(47, "0"), (48, "0 or 1"), (94, "0 or 1"), (95, "0 to 4"), (240, "0 to 9")]
)
def test_bins_are_of_round_widths_and_never_too_many(highest, first):
    values = np.arange(highest + 1)
    found = tooltips(histogram_svg({"all": values}))
    assert found[0][1] == first and len(found) <= MOST_BINS
    assert sum(count for _, _, count in found) == len(values)


def test_fractions_are_counted_too():
    values = np.random.default_rng(0).normal(0.0, 0.01, 500)
    found = tooltips(histogram_svg({"all": values}))
    assert 5 < len(found) <= MOST_BINS and sum(count for _, _, count in found) == 500
    for _, where, count in found:
        low, high = map(float, where.split(" to below "))
        assert count == pytest.approx(np.count_nonzero((values >= low) & (values < high)), abs=1)


def test_rows_share_both_scales():
    svg = histogram_svg({"one": [2, 2, 5], "other": [5, 5, 5, 5]})
    (two, of_two), (five, of_one), (five_below, of_four) = bars(svg)
    assert five == five_below > two
    assert of_two == pytest.approx(2 * of_one, abs=0.02) and of_four == pytest.approx(4 * of_one, abs=0.02)


def test_the_mean_is_marked_where_its_value_is():
    svg = histogram_svg({"all": [1, 3]})
    (mean,) = re.findall(r'd="M([\d.]+) [^"]*"[^>]*class="mean"', svg)
    (tick,) = re.findall(r'<text x="([\d.]+)" y="[\d.]+">2</text>', svg)
    assert mean == tick
    assert "2 pairs, mean 2.00, at most 3" in svg


@pytest.mark.parametrize("values", [[], [0], [5, 5], [-3, 4], [0.25], [1e9, 1e9 + 1], [1e-9, 2e-9]])
def test_odd_series(values):
    found = tooltips(histogram_svg({"odd": values, "none": []}, title="odd"))
    assert sum(count for _, _, count in found) == len(values)


def test_hostile_names_stay_text():
    svg = histogram_svg({"<script>": [1], "\x00&\"'": [2]}, title="</svg>", caption="<i>", noun="<b>")
    assert "<script" not in svg and "<b>" not in svg and svg.count("</svg>") == 1
    fromstring(svg)


def test_colours_are_fixed_or_left_to_the_page():
    light, dark, free = (histogram_svg({"all": [1]}, dark=dark) for dark in (False, True, None))
    assert "#ffffff" in light and "#14181d" in dark and "var(--ink)" in free and "var(" not in light + dark


@pytest.mark.parametrize(
    ("series", "message"), [({}, "at least one series"), ({"a": [1, np.nan]}, "'a' must be finite")]
)
def test_what_cannot_be_drawn_is_refused(series, message):
    with pytest.raises(DrawingError, match=message):
        histogram_svg(series)


def test_same_values_same_bytes():
    assert histogram_svg({"a": range(90)}) == histogram_svg({"a": range(90)})
