"""Pictures of trade-offs: every point is where its scales say, zero at the foot, and no point beyond the front."""

import re

import pytest
from defusedxml.ElementTree import fromstring

from graphedx.drawing import tradeoff_svg
from graphedx.drawing.tradeoff import front
from graphedx.errors import DrawingError


def circles(svg):
    found = re.findall(r'<circle cx="([^"]*)" cy="([^"]*)" r="5.5" class="point"', svg)
    return [(float(x), float(y)) for x, y in found]


def test_equal_factors_are_equal_steps_and_less_is_left_and_below():
    a, b, c = circles(tradeoff_svg({"a": [(1, 100), (10, 10), (100, 1)]}))
    assert b[0] - a[0] == pytest.approx(c[0] - b[0], abs=0.02) and a[0] < b[0]
    assert b[1] - a[1] == pytest.approx(c[1] - b[1], abs=0.02) and a[1] < b[1]


def test_zero_lies_at_the_foot_below_all_others():
    svg = tradeoff_svg({"a": [(1, 0), (2, 0.003), (3, 5)]})
    zero, small, large = (y for _, y in circles(svg))
    assert zero > small > large
    assert svg.count(">0</text>") == 1
    assert ">0</text>" not in tradeoff_svg({"a": [(1, 2)]})
    assert circles(tradeoff_svg({"only": [(0.1, 0)]}))


def test_the_front_has_no_point_beyond_it():
    points = [(1, 5), (2, 7), (3, 2), (3, 1), (9, 1), (10, 0)]
    assert front(points) == [(1, 5), (3, 1), (10, 0)]
    assert tradeoff_svg({"a": points}).count('class="front"') == 1


def test_every_point_says_what_it_is_and_names_are_escaped():
    svg = tradeoff_svg({f"<{k}> & co": [(k, k)] for k in range(1, 30)}, title="<t>", captions=("s", "mse"), dark=None)
    root = fromstring(svg)
    told = [node.text for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "<7> & co: s 7, mse 7" in told
    texts = [node for node in root.iter("{http://www.w3.org/2000/svg}text") if node.text == "<29> & co"]
    assert len(texts) == 1 and float(texts[0].get("y")) > 60  # names go on in further lines
    assert "var(--ink)" in svg


@pytest.mark.parametrize("series", [{}, {"a": []}, {"a": [(0, 1)]}, {"a": [(1, -1)]}, {"a": [(1, float("nan"))]}])
def test_what_cannot_be_drawn_is_refused(series):
    with pytest.raises(DrawingError):
        tradeoff_svg(series)
