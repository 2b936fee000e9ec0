"""Text, colours and geometry: the small parts the pictures stand on."""

from math import hypot

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from graphedx.drawing.geometry import arrow_head, choose_bend, control_point, rim
from graphedx.drawing.labels import Rect, Room
from graphedx.drawing.palette import DARK, FILL_INK, FILLS, LIGHT
from graphedx.drawing.text import clean, escaped, number, shorten, text_width


@given(st.text(st.characters()))
def test_any_text_survives_a_parser(text):
    parsed = fromstring(f'<a b="{escaped(text)}">{escaped(text)}</a>'.encode())
    assert (parsed.text or "") == parsed.get("b") == clean(text)


def test_shorten_keeps_short_text_and_marks_the_cut():
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"


def test_width_grows_with_the_text_and_its_script():
    assert text_width("ill", 10) < text_width("abc", 10) < text_width("ABC", 10) < text_width("日本語", 10)


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (-0.004, "0"), (1.256, "1.26"), (100.0, "100"), (0.5, "0.5")])
def test_numbers_are_short(value, text):
    assert number(value) == text


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_forty_fills_differ_and_carry_text():
    assert len(set(FILLS)) == 40
    assert all(contrast(fill, FILL_INK) > 3.7 for fill in FILLS)
    rgb = np.array([[int(fill[k : k + 2], 16) for k in (1, 3, 5)] for fill in FILLS])
    apart = np.linalg.norm(rgb[:, None] - rgb[None], axis=-1) + 999 * np.eye(40)
    assert apart.min() > 20


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_words_and_marks_stand_out_from_the_paper(theme):
    for name in ("ink", "muted", "deleted", "inserted", "relabelled"):
        assert contrast(theme[name], theme["paper"]) > 4  # WCAG asks 3 of graphics, 4.5 of small text


def test_rim_is_on_the_pill():
    assert rim((0, 0), (10, 0), 3, 3) == pytest.approx((3, 0))
    assert rim((0, 0), (0, 10), 8, 3) == pytest.approx((0, 3))
    assert rim((0, 0), (20, 0), 8, 3) == pytest.approx((8, 0))
    x, y = rim((0, 0), (20, 6), 8, 3)
    assert hypot(x - 5, y) == pytest.approx(3)  # on the round end, centred at 5


def test_arrow_points_from_where_it_came():
    tip, left, right = arrow_head((10, 0), (0, 0))
    assert tip == (10, 0) and left[0] == right[0] < 10 and left[1] == pytest.approx(-right[1])


def test_edges_go_around_nodes():
    places, extents = np.array([[0.0, 0.0], [100.0, 0.0], [50.0, 0.0]]), np.full((3, 2), 10.0)
    bend = choose_bend(0, 1, places, extents, has_twin=False)
    middle = (control_point((0, 0), (100, 0), bend)[1]) / 2
    assert abs(middle) > 10
    assert choose_bend(0, 2, places, extents, has_twin=False) == 0
    assert choose_bend(0, 2, places, extents, has_twin=True) > 0


def test_text_goes_where_nothing_is():
    room = Room(np.array([[0.0, 0.0]]), np.array([[10.0, 10.0]]), [(0.0, 30.0)])
    on_node, on_edge, free = Rect((5, 0), 8, 4), Rect((0, 30), 8, 4), Rect((0, -30), 8, 4)
    assert room.take_best([on_node, on_edge, free]) == free
    assert room.take_best([free, on_edge]) == on_edge  # taken by now
