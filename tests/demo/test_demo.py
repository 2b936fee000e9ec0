"""The demo ends, says the truth about what it proved, and writes pages that need nothing but themselves."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import graphedx as gx
from demo.small import files_in, run
from graphedx import costs, datasets
from graphedx._files import locked_folder
from graphedx.cli.app import app
from graphedx.datasets.labels import PAPER, Checked
from graphedx.demo import functions as library
from graphedx.errors import DatasetError, GraphError, OutputError


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return run(tmp_path_factory.mktemp("demo") / "made" / "for it", functions=16)


def test_functions_are_the_same_every_time_and_of_one_size():
    graphs = library.library_functions(60)
    assert graphs == library.library_functions(60) and len(graphs) == 60
    assert len({graph.name for graph in graphs}) == 60
    assert all(library.FEWEST_NODES <= len(graph) <= library.MOST_NODES for graph in graphs)
    assert len({library.module_of(graph) for graph in graphs}) > 15


def test_modules_that_are_not_there_are_skipped(monkeypatch):
    monkeypatch.setattr(library, "MODULES", ("no_such_module", "no.such.module", "sys", "json.decoder", "textwrap"))
    assert {library.module_of(graph) for graph in library.library_functions(9)} == {"json.decoder", "textwrap"}
    monkeypatch.setattr(library, "MODULES", ("no_such_module",))
    with pytest.raises(GraphError, match="not installed"):
        library.library_functions(9)


def test_numbers_are_those_of_the_matrix(report):
    matrix = gx.DistanceMatrix.load(report.page.parent / "matrix.csv")
    assert (report.functions, report.pairs) == (16, 120)
    assert report.proven == np.count_nonzero(np.triu(matrix.proven, 1))
    first = gx.ged(*library.library_functions(2))
    assert matrix.upper[0, 1] == first.distance


def test_the_dataset_is_there_with_labels_of_all_four_costs(report):
    dataset = datasets.load(report.dataset)
    assert (len(dataset), dataset.sizes) == (report.graphs, (12, 4, 4)) == (20, (12, 4, 4))
    pairs = 78 + 10 + 10
    assert (report.labels, report.labels_proven, report.solved) == (4 * pairs, 4 * pairs, 2 * pairs)
    assert report.solved_again == 2 * pairs  # there are fewer than a hundred in a split
    for asked in PAPER.values():
        tables = [dataset.labels(split, asked) for split in datasets.SPLITS]
        assert [len(table.distances) for table in tables] == [78, 10, 10]
    one = dataset.labels("test", PAPER["labelled"]).result(1)
    assert gx.ged(one.source, one.target, costs=PAPER["labelled"]).distance == one.distance


def test_the_page_tells_the_numbers_of_the_dataset(report):
    page = report.page.read_text(encoding="utf-8")
    dataset = datasets.load(report.dataset)
    found = datasets.stats(dataset)
    counts = dataset.provenance["counts"]
    assert f"{counts['read']:,} functions" in page and f"{counts['distinct']:,} different structures" in page
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", page)]
    assert ["train", "12", "78"] in [row[:3] for row in rows]
    assert ["all", "20", "98", f"{found['avg_nodes']:.2f}", f"{found['avg_edges']:.2f}"] in rows
    by_costs = {row[0].partition(" (")[0]: row[1:4] for row in rows if row and row[0].partition(" (")[0] in PAPER}
    assert by_costs == {name: [f"{found['ged'][name]['all']['avg_ged']:.2f}", "98", "98"] for name in PAPER}
    assert "Every distance is proven" in page and "each of the 196 mappings" in page


def test_the_histogram_counts_every_distance(report):
    page = report.page.read_text(encoding="utf-8")
    said = re.findall(r"<title>(\S+) \([^)]*\), [^:]*: (\d+) pairs", page)
    totals = {name: sum(int(count) for other, count in said if other == name) for name in PAPER}
    assert totals == dict.fromkeys(PAPER, 98)


def test_pages_need_nothing_but_themselves(report):
    for name in ("index.html", "path.html"):
        page = (report.page.parent / name).read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        assert not re.findall(r"""(?:src|href)\s*=\s*["'](?:https?:)?//""", page)
    links = re.findall('href="(.*?)"', report.page.read_text(encoding="utf-8"))
    assert links == ["path.html", "matrix.csv"]
    assert all((report.page.parent / link).is_file() for link in links)


def test_the_page_has_pictures_and_a_table_of_neighbours(report):
    page = report.page.read_text(encoding="utf-8")
    assert page.count("<svg") == (12 if report.model else 8) and 'class="dendrogram"' in page and 'class="bars"' in page
    assert "All of them are proven" in page
    matrix, graphs = gx.DistanceMatrix.load(report.page.parent / "matrix.csv"), library.library_functions(16)
    rows = re.findall("<tr><td>([^<]*)</td><td>([^<]*)</td><td[^>]*>([^<]*)</td>", page.split("Nearest neighbours")[1])
    place = {graph.name: k for k, graph in enumerate(graphs)}
    assert len(rows) == 12
    for one, other, distance in rows:
        assert matrix.upper[place[one], place[other]] == float(distance) > 0


def test_the_search_is_that_of_a_full_scan_and_is_shown(report):
    found, page = report.searched, report.page.read_text(encoding="utf-8")
    everything = library.library_functions()
    assert found.hits.total == len(everything) == len({graph.name for graph in everything}) and found.hits.complete
    assert found.query.name == "is_empty" and len(found.hits) == 3
    distances = sorted(gx.ged(found.query, graph).distance for graph in everything)
    assert [hit.distance for hit in found.hits] == distances[:3]
    assert distances[len(found.hits) + len(found.hits.ties)] > found.hits[-1].distance
    part = page.split("A search: which functions are most like is_empty?")[1]
    assert part.count("<svg") == 3 and all(f"{place}. {hit.id}" in part for place, hit in enumerate(found.hits, 1))
    ruled_out, bounded = found.hits.total - found.hits.bounded, found.hits.bounded - found.hits.searched
    assert f"ruled out {ruled_out:,} of {found.hits.total:,} graphs, tighter bounds settled {bounded:,} more" in part
    assert f"Found in {1000 * found.hits.seconds:.1f} ms: 3 nearest of {found.hits.total:,} graphs (proven)" in part


def test_the_pair_shown_is_of_two_modules_and_has_several_kinds_of_edits():
    graphs = library.library_functions(60)
    pair = library.interesting_pair(gx.distance_matrix(graphs), graphs)
    assert library.module_of(pair.source) != library.module_of(pair.target)
    assert pair.proven and len({type(edit) for edit in pair.edit_path()}) >= 3


def test_unproven_pairs_are_counted_and_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(library, "SECONDS_A_PAIR", 0.0)
    report = run(tmp_path)
    assert report.proven < report.pairs == 28
    page = report.page.read_text(encoding="utf-8")
    assert f"{28 - report.proven} of them could not be proven" in page and 'class="hatch"' in page


@pytest.mark.parametrize("kept", ["index.html", "dataset/dataset.json"])
def test_an_existing_report_is_kept(tmp_path, kept):
    (tmp_path / kept).parent.mkdir(exist_ok=True)
    (tmp_path / kept).write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        run(tmp_path)
    assert files_in(tmp_path) == [kept] and (tmp_path / kept).read_text() == "mine"


def test_a_second_run_replaces_its_own_files_and_no_others(tmp_path):
    first = run(tmp_path)
    dataset = datasets.load(first.dataset)
    datasets.label(dataset, costs.EditCosts(2, 1, 1, 1, 1, 0), splits=["test"], progress=False)
    (tmp_path / "notes.txt").write_text("mine")
    (first.dataset / "labels" / "notes.txt").write_text("mine too")
    before = files_in(tmp_path)
    labels = (first.dataset / "labels" / "structure" / "train-00000.parquet").read_bytes()
    again = run(tmp_path, overwrite=True)
    assert again.solved == first.solved and again.label_seconds > 0  # solved anew, so that the times are of this run
    assert files_in(tmp_path) == before
    assert (first.dataset / "labels" / "structure" / "train-00000.parquet").read_bytes() == labels
    assert len(dataset.labels("test", costs.EditCosts(2, 1, 1, 1, 1, 0)).distances) == 10
    smaller = run(tmp_path, overwrite=True, graphs=10)
    assert smaller.graphs == 10 and not (smaller.dataset / "labels" / "2,1,1,1,1,0").exists()  # of other graphs


def test_a_folder_that_holds_something_else_is_not_replaced(tmp_path):
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"holds 'thesis\.tex', which is no part of a dataset"):
        run(tmp_path, overwrite=True)
    assert files_in(tmp_path) == ["dataset/thesis.tex"]


@pytest.mark.parametrize("moment", ["making", "labelling", "checking"])
def test_an_interrupted_run_leaves_what_was_there(tmp_path, moment):
    def interrupt(line):
        if line.startswith(moment):
            raise KeyboardInterrupt

    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, say=interrupt)
    assert files_in(tmp_path) == ["notes.txt"] and [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_labels_that_do_not_hold_are_told(tmp_path, monkeypatch):
    wrong = Checked("structure", "train", 1, 1, 1, ("pair 0 of train: its mapping costs 3",))
    monkeypatch.setattr(datasets, "verify", lambda *_, **__: [wrong])
    with pytest.raises(DatasetError, match="the labels are wrong, which should never happen: pair 0 of train"):
        run(tmp_path)
    assert files_in(tmp_path) == []


def test_command(tmp_path):
    arguments = ["demo", "--out", str(tmp_path / "d"), "--functions", "5", "--graphs", "10", "--epochs", "1", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["page"], found["dataset"]) == (str(tmp_path / "d" / "index.html"), str(tmp_path / "d" / "dataset"))
    assert "labelling its 27 pairs under four costs" in result.stderr
    assert found["searched"]["complete"] and len(found["searched"]["hits"]) == 3
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 1 and "--overwrite" in again.stderr
    words = CliRunner().invoke(app, [*arguments[:-1], "--overwrite"])
    assert words.exit_code == 0 and "10 pairs, of which 10 proven" in words.stdout
    assert "functions for those like is_empty" in words.stdout
    assert f"graphedx data stats {tmp_path / 'd' / 'dataset'}" in words.stdout
    blocked = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "d" / "matrix.csv")])
    assert blocked.exit_code == 1 and blocked.stderr.count("\n") == 1


def test_what_a_killed_demo_left_is_gone_after_the_next(tmp_path):
    left = tmp_path / "demo" / ".dataset.0123456789ab"
    (left / "labels").mkdir(parents=True)
    (left / "labels" / "shard.parquet").write_bytes(b"half")
    (tmp_path / "demo" / ".index.0123456789ab.html").write_text("<html>")
    (tmp_path / "demo" / ".notes").write_text("mine")
    run(tmp_path / "demo")
    assert [path.name for path in (tmp_path / "demo").iterdir() if path.name.startswith(".")] == [".notes"]


def test_two_demos_do_not_share_a_folder(tmp_path):
    """The second would take what the first is writing for what a killed one has left."""
    with locked_folder(tmp_path / "demo", "the first"):
        with pytest.raises(OutputError, match="another demo is writing here"):
            run(tmp_path / "demo")
        assert not any((tmp_path / "demo").iterdir())
