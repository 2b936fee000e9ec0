"""Datasets from sources, files and graphs at hand: counted at every step, and split without leaks."""

import json

import networkx as nx
import pytest

import graphedx as gx
from graphedx.datasets import catalog
from graphedx.datasets.classes import shared_classes
from graphedx.datasets.dataset import Dataset
from graphedx.datasets.prepare import find_entry, from_graphs, misspelt, prepare
from graphedx.errors import DatasetError, GraphEdXError, OutputError

EMBEDDED = next(name for name, entry in catalog.CATALOG.items() if entry.generate)


def trees(count: int) -> list[gx.Graph]:
    """Paths and stars of growing size, so that some are twice there."""
    found = []
    for n in range(1, count + 1):
        found.append(gx.Graph(n, [(i, i + 1) for i in range(n - 1)], node_labels=[0] * n, name=f"path {n}"))
        found.append(gx.Graph(n, [(0, i) for i in range(1, n)], node_labels=[1] * n, name=f"star {n}"))
    return found


@pytest.fixture
def tu_folder(tmp_path):
    gx.write(trees(25), tmp_path / "AIDS", format="tu")
    return tmp_path / "AIDS"


# -- graphs at hand --------------------------------------------------------------------------------------------------


def test_every_step_is_counted():
    dataset = from_graphs(trees(30), "mine", max_nodes=20, max_graphs=30)
    assert dataset.provenance["counts"] == {
        "read": 60, "within_size": 40, "distinct": 37, "kept": 30, "stopped_early": False,
    }  # fmt: skip
    assert dataset.provenance["rules"] == {
        "max_nodes": 20, "max_graphs": 30, "distinct": True, "labelled": False, "seed": 0,
    }  # fmt: skip
    assert dataset.sizes == (18, 6, 6)
    assert dataset.provenance["isomorphic_between_splits"] == 0
    assert not shared_classes({name: dataset.split(name) for name in ("train", "val", "test")})
    json.dumps(dict(dataset.provenance))


def test_what_is_dropped_is_said():
    with pytest.warns(UserWarning, match="mine: kept 30 of 60 graphs: ") as caught:
        from_graphs(trees(30), "mine", max_nodes=20, max_graphs=30)
    [warning] = caught
    for part in (
        "20 have more than max_nodes=20 nodes",
        "3 repeat an earlier graph's structure, whatever the labels (labelled=True tells them apart)",
        "7 are beyond max_graphs=30",
    ):
        assert part in str(warning.message)
    assert warning.filename == __file__
    with pytest.warns(UserWarning, match="1 repeat an earlier graph's structure and labels; distinct=False keeps them"):
        from_graphs([gx.Graph(1), gx.Graph(1)], "same", labelled=True)


def test_nothing_is_said_where_nothing_is_dropped(recwarn):
    from_graphs([gx.Graph(1), gx.Graph(1), gx.Graph(2)], "all", distinct=False)
    from_graphs([gx.Graph(1), gx.Graph(2)], "all")
    assert not recwarn.list


def test_graphs_know_their_position_in_the_input(tmp_path):
    graphs = [gx.Graph(n) for n in (9, 1, 2, 2, 9, 3, 4, 1, 5)]
    with pytest.warns(UserWarning, match="kept 4 of 9"):
        dataset = from_graphs(graphs, "mine", max_nodes=5, max_graphs=4)
    assert sorted(dataset.origins) == [1, 2, 5, 6]
    assert [len(graphs[origin]) for origin in dataset.origins] == [len(graph) for graph in dataset.graphs]
    saved = dataset.save(tmp_path / "mine")
    assert gx.datasets.Dataset.load(saved.folder).origins == dataset.origins
    assert prepare("alkanes", progress=False).origins is None


def test_anything_that_is_a_graph_will_do():
    dataset = from_graphs([nx.path_graph(4), gx.Graph("ab", ["ab"], name="mine"), nx.cycle_graph("xyz")], "mixed")
    assert sorted(graph.name for graph in dataset.graphs) == ["graph 0", "graph 2", "mine"]
    assert all(graph.nodes == tuple(range(len(graph))) for graph in dataset.graphs)


def test_a_generator_is_read_once_and_nothing_is_kept_that_is_too_large():
    assert from_graphs((tree for tree in trees(5)), "mine", max_nodes=3).provenance["counts"]["within_size"] == 6


def test_duplicates_that_are_kept_are_counted_where_they_leak():
    dataset = from_graphs([gx.Graph(1)] * 5, "same", distinct=False)
    assert dataset.sizes == (3, 1, 1)
    assert dataset.provenance["isomorphic_between_splits"] == 7
    assert dataset.provenance["counts"]["distinct"] is None


def test_another_seed_is_another_order():
    one, other = from_graphs(trees(9), "a"), from_graphs(trees(9), "a", seed=1)
    assert one != other and {g.name for g in one.graphs} == {g.name for g in other.graphs}


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([], "there are no graphs"),
        ([gx.Graph(1), "CCO"], "graph 1: a graph is a graphedx.Graph.*got str"),
        ([nx.Graph(), nx.DiGraph()], "'graph 1' is directed but those before it are undirected"),
    ],
)
def test_what_cannot_be_a_dataset_says_why(graphs, message):
    with pytest.raises(DatasetError, match=message):
        from_graphs(graphs, "mine")


# -- the catalog -----------------------------------------------------------------------------------------------------


def test_a_set_of_the_catalog_has_its_limits(tu_folder, tmp_path):
    dataset = prepare("AIDS", tu_folder, tmp_path / "out", progress=False)
    entry = catalog.get("aids")
    assert (dataset.name, dataset.folder) == ("aids", tmp_path / "out")
    assert dataset.provenance["title"] == entry.title
    assert dataset.provenance["rules"]["max_nodes"] == entry.max_nodes == 20
    assert dataset.provenance["counts"]["within_size"] == 40 and dataset.provenance["counts"]["distinct"] == 37
    assert prepare("aids", tu_folder, max_nodes=10).provenance["counts"]["within_size"] == 20


def test_where_it_comes_from_is_told_without_the_way_there(tu_folder, tmp_path):
    first = prepare("aids", tu_folder, tmp_path / "a")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = tu_folder.rename(elsewhere / "AIDS")
    prepare("aids", moved, tmp_path / "b")
    for name in ("dataset.json", "graphs.parquet"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert first.provenance["source"]["origin"] == "AIDS" and len(first.provenance["source"]["sha256"]) == 64
    assert str(tmp_path) not in (tmp_path / "a" / "dataset.json").read_text()


def test_an_embedded_set_needs_no_source_and_names_its_python(tmp_path):
    dataset = prepare(EMBEDDED, out=tmp_path / "d", max_graphs=10, count_all=False)
    assert len(dataset) == 10 and dataset.provenance["counts"]["stopped_early"]
    assert set(dataset.provenance["source"]) == {"origin"}
    assert Dataset.load(tmp_path / "d") == dataset


def test_preparing_again_changes_nothing_and_keeps_the_labels(tu_folder, tmp_path):
    prepare("aids", tu_folder, tmp_path / "d")
    (tmp_path / "d" / "labels").mkdir()
    prepare("aids", tu_folder, tmp_path / "d")
    assert (tmp_path / "d" / "labels").is_dir()
    with pytest.raises(OutputError, match="exists already"):
        prepare("aids", tu_folder, tmp_path / "d", max_nodes=9)
    assert len(prepare("aids", tu_folder, tmp_path / "d", max_nodes=9, overwrite=True)) < 18


def test_a_place_that_cannot_be_written_is_noticed_before_anything_is_read(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    for out, message in (("full", "no part of a dataset"), ("full/thesis.tex/d", "cannot be written")):
        with pytest.raises(OutputError, match=message):
            prepare("aids", tmp_path / "missing", tmp_path / out)
    with pytest.raises(OutputError, match="no part of a dataset"):
        prepare("aids", tmp_path / "missing", tmp_path / "full", overwrite=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("aids",), "aids .*needs a source: "),
        (("adis",), "'adis' is not in the catalog: did you mean aids?"),
        (("qqqq",), "it has .*aids"),
        ((EMBEDDED, "x.zip"), "takes no source"),
        (("a/b", "x.zip"), "letters, digits"),
    ],
)
def test_what_is_missing_or_too_much_is_said(arguments, message):
    with pytest.raises(DatasetError, match=message):
        prepare(*arguments)


def test_a_wrong_checksum_is_refused(tu_folder):
    with pytest.raises(DatasetError):
        prepare("aids", tu_folder, sha256="0" * 64)


# -- files of one's own ----------------------------------------------------------------------------------------------


def test_a_folder_of_files_or_one_file_with_many(tmp_path):
    (tmp_path / "graphs").mkdir()
    for k, tree in enumerate(trees(4)):
        gx.write(tree, tmp_path / "graphs" / f"{k}.graphml")
    gx.write(trees(4), tmp_path / "all.jsonl")
    folder, file = prepare("mine", tmp_path / "graphs"), prepare("mine", str(tmp_path / "all.jsonl"))
    assert folder.provenance["counts"] == file.provenance["counts"]
    assert (len(folder), folder.provenance["rules"]["max_nodes"]) == (5, None)
    assert folder.fingerprint == file.fingerprint
    assert folder.provenance["source"]["origin"] == "graphs" and folder.folder is None


def test_a_folder_in_a_folder_is_found(tmp_path):
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    gx.write(trees(3), tmp_path / "outer" / "inner" / "g.jsonl")
    assert len(prepare("mine", tmp_path / "outer")) == 3


def test_labels_of_ones_own_files(tmp_path):
    gx.write(trees(4), tmp_path / "all.jsonl")
    assert len(prepare("mine", tmp_path / "all.jsonl", labelled=True)) == 8
    with pytest.raises(DatasetError, match="no node has an attribute 'lable'"):
        prepare("mine", tmp_path / "all.jsonl", node_label="lable")
    with pytest.raises(DatasetError, match="labels of its own"):
        prepare("aids", tmp_path / "all.jsonl", node_label="label")


def test_a_name_that_looks_misspelt_is_hinted_at_where_it_fails(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(GraphEdXError, match=r"did you mean aids\?"):
        prepare("aidss", tmp_path / "notes.txt")
    with pytest.raises(GraphEdXError) as caught:
        prepare("mine", tmp_path / "notes.txt")
    assert "did you mean" not in str(caught.value)
    assert misspelt("aids") == misspelt("mine") == "" and find_entry("mine") is None


@pytest.mark.parametrize("name", [None, 5])
def test_a_name_is_text(name):
    with pytest.raises(DatasetError, match="a dataset's name is made of"):
        prepare(name)


def test_an_empty_source_is_not_the_folder_we_are_in(tmp_path, monkeypatch):
    gx.write(trees(3), tmp_path / "g.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match="the source is empty"):
        prepare("mine", "")


@pytest.mark.parametrize("out", ["a\0b", "a" * 5000], ids=["null byte", "too long"])
def test_a_path_that_cannot_be_is_told(out):
    with pytest.raises(OutputError, match="cannot be written"):
        prepare("alkanes", None, out, max_nodes=3)
    with pytest.raises(DatasetError, match=r"no such folder|cannot be read"):
        Dataset.load(out)


def test_sizes_are_whole_numbers():
    with pytest.raises(DatasetError, match="sizes must be"):
        Dataset("x", tuple(trees(3)), (3.0, 0, 0))
