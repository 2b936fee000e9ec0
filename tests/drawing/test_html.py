"""The stepper page: as many steps as edits, data that cannot break out, and states that are those of the path."""

import json
import re
from math import fsum

import pytest

from drawing.samples import SAMPLES, hostile_labels, relabelled_ring
from graphedx.drawing import edit_path_html
from graphedx.drawing.html import script_json


def data_of(page: str) -> dict:
    (text,) = re.findall(r'<script type="application/json" id="edit-path">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def present(elements: list[dict], step: int) -> list[int]:
    return [k for k, e in enumerate(elements) if any(first <= step <= last for first, last, _ in e["spans"])]


def test_one_step_for_each_edit_and_one_before(path, page):
    data = data_of(page)
    assert len(data["totals"]) == len(path) + 1
    assert f'max="{len(path)}"' in page
    assert len(re.findall('<li><button class="(?:insert|relabel|delete)">', page)) == len(data["edits"]) == len(path)


def test_running_total_ends_at_the_cost(path, page):
    totals = [float(total) for total in data_of(page)["totals"]]
    assert totals == sorted(totals)
    assert totals[0] == 0 and totals[-1] == pytest.approx(path.cost) == fsum(edit.cost for edit in path)


def test_states_are_those_of_the_path(path, page):
    data = data_of(page)
    for step, graph in enumerate(path.steps()):
        assert len(present(data["nodes"], step)) == graph.num_nodes
        assert len(present(data["edges"], step)) == graph.num_edges


def test_an_edit_points_at_what_it_changes(page):
    data = data_of(page)
    for step, edit in enumerate(data["edits"], start=1):
        elements = data[edit["kind"] + "s"]
        before, after = (edit["index"] in present(elements, k) for k in (step - 1, step))
        assert (before, after) == {"insert": (False, True), "delete": (True, False), "relabel": (True, True)}[
            edit["action"]
        ]


def test_edges_join_nodes_that_are_there(page):
    data = data_of(page)
    for step in range(len(data["totals"])):
        nodes = set(present(data["nodes"], step))
        assert all({data["edges"][k]["u"], data["edges"][k]["v"]} <= nodes for k in present(data["edges"], step))


def test_last_places_are_those_of_the_target(path, page):
    data = data_of(page)
    last = present(data["nodes"], len(path))
    assert all(data["nodes"][k]["end"] for k in last)
    assert sum(node["end"] is not None for node in data["nodes"]) == len(path.target) == len(last)


def test_no_label_breaks_out_of_the_page():
    page = edit_path_html(hostile_labels(), title="</title><script>alert(2)</script>")
    assert len(re.findall("<script", page)) == len(re.findall("</script>", page)) == 2
    assert "alert(1)</script>" not in page and "<!--" not in page
    assert any(span[2].startswith("</scri") for node in data_of(page)["nodes"] for span in node["spans"])
    page.encode("utf-8")


def test_script_json_is_json_without_markup():
    value = {"</script>": "<!-- & \u2028 ]]>"}
    text = script_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028") & set(text)


def test_page_fetches_nothing(page):
    assert "default-src 'none'" in page
    links = set(re.findall(r"https?://[^\"' )]+", page))
    assert links <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)=|@import|url\(", page)


def test_controls_are_named_for_those_who_cannot_see_them():
    page = edit_path_html(relabelled_ring())
    for name in ("First step", "Previous step", "Next step", "Last step", "Step"):
        assert f'aria-label="{name}"' in page
    assert "prefers-color-scheme: dark" in page and "prefers-reduced-motion" in page


def test_same_path_same_page(path, page):
    assert edit_path_html(path) == page


def test_equal_graphs_need_no_edit():
    assert "Nothing to edit" in edit_path_html(SAMPLES["nothing"]())
