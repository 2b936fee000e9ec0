"""The SVG figure: well-formed whatever the labels, every edit marked once, matched nodes in one colour."""

import re
from collections import Counter
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring

from drawing.samples import (
    HOSTILE,
    SAMPLES,
    circulant,
    hostile_labels,
    path_between,
    relabelled_edges,
    relabelled_ring,
    replaced_edge,
    ring,
)
from graphedx.drawing import edit_path_svg
from graphedx.drawing.marks import MOST_EDGE_TEXTS, Fate, marks_of
from graphedx.drawing.palette import FILLS
from graphedx.drawing.text import clean
from graphedx.edits import DeleteEdge, DeleteNode, InsertEdge, InsertNode, SubstituteEdge, SubstituteNode
from graphedx.graph import Graph

SVG = "{http://www.w3.org/2000/svg}"


def groups(svg: str, *classes: str) -> list[Element]:
    return [group for group in fromstring(svg).iter(f"{SVG}g") if set(classes) <= set(group.get("class", "").split())]


def count(path, kind) -> int:
    return sum(isinstance(edit, kind) for edit in path)


def test_every_edit_is_marked(path, svg):
    expected = {
        ("node", "deleted", "source"): count(path, DeleteNode),
        ("node", "inserted", "target"): count(path, InsertNode),
        ("node", "relabelled", "source"): count(path, SubstituteNode),
        ("node", "relabelled", "target"): count(path, SubstituteNode),
        ("edge", "deleted", "source"): count(path, DeleteEdge),
        ("edge", "inserted", "target"): count(path, InsertEdge),
        ("edge", "relabelled", "source"): count(path, SubstituteEdge),
        ("edge", "relabelled", "target"): count(path, SubstituteEdge),
        ("node", "inserted", "source"): 0,
        ("node", "deleted", "target"): 0,
        ("edge", "inserted", "source"): 0,
        ("edge", "deleted", "target"): 0,
    }
    assert {classes: len(groups(svg, *classes)) for classes in expected} == expected


def test_every_node_and_edge_is_drawn(path, svg):
    for side, graph in (("source", path.source), ("target", path.target)):
        assert len(groups(svg, "node", side)) == graph.num_nodes
        assert len(groups(svg, "edge", side)) == graph.num_edges


def body_fill(group: Element) -> str:
    return next(child.get("fill", "") for child in group if child.tag in (f"{SVG}circle", f"{SVG}rect"))


def test_matched_nodes_share_a_colour(path, svg):
    sides = [
        {group.get("data-match"): body_fill(group) for group in groups(svg, "node", side) if group.get("data-match")}
        for side in ("source", "target")
    ]
    matched = sum(image >= 0 for image in path.mapping.images)
    assert sides[0] == sides[1]
    assert len(sides[0]) == matched
    assert len(set(sides[0].values())) == min(matched, len(FILLS))


def test_unmatched_nodes_have_no_colour_of_their_own():
    for side in ("source", "target"):
        for group in groups(edit_path_svg(relabelled_ring()), "node", side):
            assert (group.get("data-match") is None) == (body_fill(group) == "#ffffff")


def test_marks_do_not_rest_on_colour_alone():
    deleted = groups(edit_path_svg(relabelled_ring()), "node", "deleted")[0]
    assert deleted.find(f"{SVG}circle").get("stroke-dasharray")
    assert len(deleted.findall(f"{SVG}path")) == 2  # the cross
    assert groups(edit_path_svg(relabelled_ring()), "edge", "deleted")[0].find(f"{SVG}path").get("stroke-dasharray")


def test_relabelling_is_written_out():
    notes = ["".join(group.itertext()) for group in groups(edit_path_svg(relabelled_ring()), "note")]
    assert len(notes) == 1 and "C→N" in notes[0]
    labels = ["".join(group.itertext()) for group in groups(edit_path_svg(relabelled_edges()), "label", "relabelled")]
    assert any("returns→yields" in label for label in labels)


def test_the_usual_edge_label_is_named_once_and_not_written():
    svg = edit_path_svg(relabelled_edges())
    assert "labelled &#x27;calls&#x27;" in svg
    assert not groups(svg, "label", "kept")


def test_many_edge_labels_are_left_to_the_tooltips():
    n = MOST_EDGE_TEXTS + 1
    labels = [f"e{k}" for k in range(n)]
    many = Graph(n, ring(n), edge_labels=labels)
    svg = edit_path_svg(path_between(many, Graph(n, ring(n), edge_labels=[*labels[1:], "e0"]), range(n)))
    assert not groups(svg, "label", "kept")
    assert len(groups(svg, "label", "relabelled", "target")) == n
    svg = edit_path_svg(path_between(many, many, range(n)))
    assert not groups(svg, "label") and "in their tooltips" in svg and "(e7)" in svg


def test_unlabelled_edges_need_no_footnote():
    assert "footnote" not in edit_path_svg(circulant(40, 7)) and "footnote" not in edit_path_svg(circulant(120, 7))


def test_bonds_are_drawn_as_bonds():
    edges = groups(edit_path_svg(relabelled_ring()), "edge", "source")
    lines = Counter(len(edge.findall(f"{SVG}path")) for edge in edges)
    assert lines == {2: 6, 1: 1}  # six aromatic ones and a single one


def test_directed_edges_have_heads():
    edges = groups(edit_path_svg(relabelled_edges()), "edge")
    assert all(len(edge.findall(f"{SVG}path")) == 2 for edge in edges)
    assert all(edge.findall(f"{SVG}path")[1].get("d").endswith("Z") for edge in edges)


def test_twin_edges_do_not_lie_on_each_other():
    svg = edit_path_svg(relabelled_edges())
    curves = [edge.find(f"{SVG}path").get("d") for edge in groups(svg, "edge", "source")]
    assert "Q" in curves[0] and "Q" in curves[1]


def test_a_replaced_edge_is_deleted_and_inserted():
    svg = edit_path_svg(replaced_edge())
    assert len(groups(svg, "edge", "deleted", "source")) == len(groups(svg, "edge", "inserted", "target")) == 1


def test_counts_and_cost_are_in_the_legend(path, svg):
    assert f"Total cost {path.cost:g}" in svg
    for fate, tally in marks_of(path).tallies.items():
        (entry,) = groups(svg, "legend", fate.value)
        text = "".join(entry.itertext())
        assert ("none" in text) == (tally.nodes + tally.edges == 0)
        if tally.nodes:
            assert f"{tally.nodes} node" in text
        if fate is not Fate.KEPT and tally.edges:
            assert f"{tally.edges} edge" in text and f"cost {tally.cost:g}" in text


def test_tallies_add_up_to_the_cost(path):
    assert sum(tally.cost for tally in marks_of(path).tallies.values()) == pytest.approx(path.cost)


def test_hostile_labels_stay_text():
    svg = edit_path_svg(hostile_labels(), title="<svg onload=x>")
    assert "<script" not in svg and "<b>" not in svg and "onload=x>" not in svg
    assert not re.search("[\x00-\x08\u202e\ud800]", svg)
    tooltips = " ".join(title.text or "" for title in fromstring(svg).iter(f"{SVG}title"))
    for label in HOSTILE:
        assert clean(label) in tooltips
    svg.encode("utf-8")


def test_tags_are_only_our_own(svg):
    tags = {element.tag.removeprefix(SVG) for element in fromstring(svg).iter()}
    assert tags <= {"svg", "title", "desc", "rect", "g", "path", "circle", "text"}


def test_everything_is_inside_the_picture(path):
    root = fromstring(edit_path_svg(path, title="A title"))
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter(f"{SVG}circle"):
        x, y, r = (float(element.get(key)) for key in ("cx", "cy", "r"))
        assert r <= x <= width - r and r <= y <= height - r
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.get("x")) <= width and 0 <= float(element.get("y")) <= height


def test_same_path_same_bytes(path, svg):
    assert edit_path_svg(path) == svg


def test_dark_differs_in_colours_only():
    path = relabelled_ring()
    strip = lambda svg: re.sub(r"#[0-9a-f]{6}|var\(--\w+\)", "", svg)  # noqa: E731
    light, dark = edit_path_svg(path), edit_path_svg(path, dark=True)
    assert light != dark and strip(light) == strip(dark)


def test_dark_none_leaves_colours_to_the_page():
    svg = edit_path_svg(relabelled_ring(), dark=None)
    assert 'fill="var(--ink)"' in svg and "#ffffff" not in svg


def test_empty_graphs_say_so():
    assert len(groups(edit_path_svg(SAMPLES["nothing"]()), "empty")) == 2
    assert len(groups(edit_path_svg(SAMPLES["from_nothing"]()), "empty", "source")) == 1
