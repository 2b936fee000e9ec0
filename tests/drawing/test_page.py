"""Report pages: sections in order, everything but figures escaped, numbers to the right."""

import re

from drawing.samples import relabelled_ring
from graphedx.drawing import Section, edit_path_svg, report_page
from graphedx.drawing.palette import BY_STYLESHEET, DARK, LIGHT


def test_sections_come_in_order_and_empty_parts_are_left_out():
    page = report_page("Report", [Section("One", ["first", "second"]), Section(text="alone"), Section("Two")])
    assert re.findall("<h2>(.*?)</h2>|<p>(.*?)</p>", page) == [
        ("One", ""), ("", "first"), ("", "second"), ("", "alone"), ("Two", ""),
    ]  # fmt: skip
    assert "<figure>" not in page and "<table>" not in page


def test_figures_go_in_as_they_are():
    svg = edit_path_svg(relabelled_ring(), dark=None)
    assert svg in report_page("Report", [Section("Figure", figure=svg)])


def test_text_is_escaped():
    page = report_page("<x>", [Section("<y>", "<z>", table=[["<h>"], ["</table>"]])])
    assert not re.search("<[xyzh]>", page)
    assert page.count("</table>") == 1 and "&lt;/table&gt;" in page


def test_columns_of_numbers_are_set_to_the_right():
    page = report_page("Report", [Section(table=[["name", "distance"], ["a", 2.0], ["b", 3.5]])])
    assert '<td>a</td><td class="number">2</td>' in page
    assert '<th>name</th><th class="number">distance</th>' in page


def test_numbers_may_be_written_out_and_cells_left_empty():
    page = report_page("Report", [Section(table=[["pairs", "costs"], ["1,234", "1, 2"], ["", "3, 4"], ["-0.5", ""]])])
    assert page.count('<td class="number">') == 3 and "<td>1, 2</td>" in page
    assert '<td class="number">99.5%</td>' in report_page("Report", [Section(table=[["hits"], ["99.5%"], ["100 %"]])])


def test_every_colour_a_figure_may_ask_for_is_defined():
    page = report_page("Report", [])
    assert set(LIGHT) == set(DARK) == set(BY_STYLESHEET)
    for name in LIGHT:
        assert page.count(f"--{name}: ") == 2  # light and dark
    used = set(re.findall(r"var\(--(\w+)\)", page))
    assert used <= set(LIGHT)


def test_page_fetches_nothing():
    page = report_page("Report", [Section("Figure", figure=edit_path_svg(relabelled_ring()))])
    assert "default-src 'none'" in page and "<script" not in page


def test_links_go_to_files_beside_the_page_whatever_they_are_called():
    page = report_page("Report", [Section(links=[("more & more", 'a "b"#1.html')])])
    assert '<p><a href="a%20%22b%22%231.html">more &amp; more</a></p>' in page
