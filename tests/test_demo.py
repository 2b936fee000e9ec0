"""The demo ends, says the truth about what it proved, and writes pages that need nothing but themselves."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import graphedx as gx
from graphedx import demo
from graphedx.cli.app import app
from graphedx.errors import GraphError, OutputError


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return demo.run(tmp_path_factory.mktemp("demo") / "made" / "for it", functions=16, progress=False)


def test_functions_are_the_same_every_time_and_of_one_size():
    graphs = demo.library_functions(60)
    assert graphs == demo.library_functions(60) and len(graphs) == 60
    assert len({graph.name for graph in graphs}) == 60
    assert all(demo.FEWEST_NODES <= len(graph) <= demo.MOST_NODES for graph in graphs)
    assert len({demo._module(graph) for graph in graphs}) > 15


def test_modules_that_are_not_there_are_skipped(monkeypatch):
    monkeypatch.setattr(demo, "MODULES", ("no_such_module", "no.such.module", "sys", "json.decoder", "textwrap"))
    assert {demo._module(graph) for graph in demo.library_functions(9)} == {"json.decoder", "textwrap"}
    monkeypatch.setattr(demo, "MODULES", ("no_such_module",))
    with pytest.raises(GraphError, match="not installed"):
        demo.library_functions(9)


def test_numbers_are_those_of_the_matrix(report):
    matrix = gx.DistanceMatrix.load(report.page.parent / "matrix.csv")
    assert (report.functions, report.pairs) == (16, 120)
    assert report.proven == np.count_nonzero(np.triu(matrix.proven, 1))
    first = gx.ged(*demo.library_functions(2))
    assert matrix.upper[0, 1] == first.distance


def test_pages_need_nothing_but_themselves(report):
    for name in ("index.html", "path.html"):
        page = (report.page.parent / name).read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        assert not re.findall(r"""(?:src|href)\s*=\s*["'](?:https?:)?//""", page)
    links = re.findall('href="(.*?)"', report.page.read_text(encoding="utf-8"))
    assert links == ["path.html", "matrix.csv"]
    assert all((report.page.parent / link).is_file() for link in links)


def test_the_page_has_a_heat_map_an_edit_path_and_a_table(report):
    page = report.page.read_text(encoding="utf-8")
    assert page.count("<svg") == 2 and 'class="dendrogram"' in page
    assert "Every distance is proven" in page
    matrix, graphs = gx.DistanceMatrix.load(report.page.parent / "matrix.csv"), demo.library_functions(16)
    rows = re.findall("<tr><td>([^<]*)</td><td>([^<]*)</td><td[^>]*>([^<]*)</td>", page.split("Nearest neighbours")[1])
    place = {graph.name: k for k, graph in enumerate(graphs)}
    assert len(rows) == 12
    for one, other, distance in rows:
        assert matrix.upper[place[one], place[other]] == float(distance) > 0


def test_the_pair_shown_is_of_two_modules_and_has_several_kinds_of_edits():
    graphs = demo.library_functions(60)
    pair = demo.interesting_pair(gx.distance_matrix(graphs), graphs)
    assert demo._module(pair.source) != demo._module(pair.target)
    assert pair.proven and len({type(edit) for edit in pair.edit_path()}) >= 3


def test_unproven_pairs_are_counted_and_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "SECONDS_A_PAIR", 0.0)
    report = demo.run(tmp_path, functions=8, progress=False)
    assert report.proven < report.pairs == 28
    page = report.page.read_text(encoding="utf-8")
    assert f"{28 - report.proven} of them could not be proven" in page and 'class="hatch"' in page


def test_an_existing_report_is_kept(report):
    before = report.page.read_bytes()
    with pytest.raises(OutputError, match=r"index\.html: exists already"):
        demo.run(report.page.parent, functions=2)
    assert report.page.read_bytes() == before


def test_command(tmp_path):
    arguments = ["demo", "--out", str(tmp_path / "d"), "--functions", "5", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["page"] == str(tmp_path / "d" / "index.html")
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 1 and "--overwrite" in again.stderr
    words = CliRunner().invoke(app, [*arguments[:-1], "--overwrite"])
    assert words.exit_code == 0 and "10, of which 10 proven" in words.stdout
    blocked = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "d" / "matrix.csv")])
    assert blocked.exit_code == 1 and blocked.stderr.count("\n") == 1
