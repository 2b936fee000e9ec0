"""A dataset comes back from its files as it was, or not at all."""

import hashlib
import json
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from graphedx import Graph
from graphedx.datasets import files
from graphedx.datasets.dataset import Dataset
from graphedx.errors import DatasetError, GraphEdXError, OutputError
from strategies import graphs as random_graphs

ODD_LABELS = (
    "é",
    1,
    True,
    1.0,
    None,
    -0.0,
    0.0,
    "1",
    (),
    ("C", -1),
    (1, (True, None)),
    (1, (1, None)),
    "\ud800",
    10**40,
)


def sample(**changes) -> Dataset:
    graphs = (
        Graph(len(ODD_LABELS), [(3, 1), (0, 2)], node_labels=ODD_LABELS, edge_labels=[True, 2], name="odd"),
        Graph("xyz", ["yx"], name="it's"),
        Graph(0),
        Graph(2, [(0, 1)], edge_labels=["="], name="edge"),
    )
    given = {"name": "small", "graphs": graphs, "sizes": (2, 1, 1), "provenance": {"title": "Small", "counts": [1]}}
    return Dataset(**given | changes)


def exactly(dataset: Dataset) -> str:
    """All there is to graphs, types too: Python calls 1, 1.0 and True equal."""
    return repr([(g.name, g.nodes, g.node_labels, g.edge_index, g.edge_labels, g.directed) for g in dataset.graphs])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


# -- the value -------------------------------------------------------------------------------------------------------


def test_splits_are_spans_of_the_graphs():
    dataset = sample()
    assert [dataset.span(name) for name in ("train", "val", "test")] == [range(2), range(2, 3), range(3, 4)]
    assert [graph.name for graph in dataset.split("train")] == ["odd", "it's"]
    assert dataset.pairs("test").tolist() == [[3, 3]] and len(dataset) == 4
    with pytest.raises(DatasetError, match="no split 'valid'; there are train, val, test"):
        dataset.split("valid")


def test_nodes_are_told_by_their_place():
    assert sample().graphs[1] == Graph(3, [(1, 0)])


def test_equal_is_same_name_graphs_and_splits():
    assert sample() == sample(provenance={}, folder=Path("x")) and hash(sample()) == hash(sample())
    assert sample() != sample(sizes=(1, 2, 1)) and sample() != sample(name="other")
    assert pickle.loads(pickle.dumps(sample())) == sample()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "a/b"}, "letters, digits"),
        ({"name": ".."}, "letters, digits"),
        ({"name": ""}, "letters, digits"),
        ({"name": None}, "letters, digits"),
        ({"sizes": (1, 1, 1)}, "sum to 4"),
        ({"sizes": (5, 0, -1)}, "sum to 4"),
        ({"sizes": (2, 2)}, "train, val, test"),
        ({"graphs": (Graph(1), Graph(1, directed=True)), "sizes": (1, 0, 1)}, "not both"),
        (
            {"graphs": (Graph(1, node_labels=[frozenset("ab")], name="g"),), "sizes": (1, 0, 0)},
            "frozenset.*a node of.*'g'",
        ),
        ({"graphs": (Graph(2, [(0, 1)], edge_labels=[float("inf")]),), "sizes": (1, 0, 0)}, "label inf of an edge"),
        ({"graphs": (Graph(2, node_labels=[(1,), (1j,)]),), "sizes": (1, 0, 0)}, "tuples of those"),
        ({"graphs": (Graph(1, node_labels=[b"C"]),), "sizes": (1, 0, 0)}, "label b'C'"),
    ],
)
def test_datasets_check_themselves(wrong, message):
    with pytest.raises(DatasetError, match=message):
        sample(**wrong)


# -- the fingerprint -------------------------------------------------------------------------------------------------


def test_the_fingerprint_is_the_same_in_every_process_whatever_its_hash_seed():
    code = (
        "from graphedx import Graph; from graphedx.datasets.dataset import Dataset\n"
        "g = Graph(3, [(2, 0), (0, 1)], node_labels=['é', (1, None), True], edge_labels=['-', 1.5], name='g')\n"
        "print(Dataset('d', (g, Graph(0)), (1, 0, 1)).fingerprint)"
    )
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == "c98b3d10838af8b907e4f30c74d5a275bfa2a5c66dc88eca3d1afc12b6bed4dc"


def test_the_fingerprint_is_of_graphs_and_splits_however_they_are_written_down():
    graph = Graph(3, [(0, 1), (1, 2)], edge_labels="ab", name="g")
    one = Dataset("d", (graph,), (1, 0, 0)).fingerprint
    assert Dataset("e", (Graph(3, [(2, 1), (1, 0)], edge_labels="ba", name="g"),), (1, 0, 0)).fingerprint == one
    for other in (
        Dataset("d", (graph,), (0, 1, 0)),
        Dataset("d", (graph.renamed("h"),), (1, 0, 0)),
        Dataset("d", (Graph(3, [(0, 1), (1, 2)], edge_labels="ba", name="g"),), (1, 0, 0)),
        Dataset("d", (Graph(3, [(0, 1), (1, 2)], edge_labels="ab", name="g", directed=True),), (1, 0, 0)),
        Dataset("d", (Graph(3, [(0, 1), (1, 2)], edge_labels="ab", node_labels=[None, None, 0], name="g"),), (1, 0, 0)),
    ):
        assert other.fingerprint != one


def test_one_and_true_are_not_the_same_label():
    ones = [
        Dataset("d", (Graph(1, node_labels=[label]),), (1, 0, 0)).fingerprint for label in (1, 1.0, True, "1", (1,))
    ]
    assert len(set(ones)) == 5


# -- to disk and back ------------------------------------------------------------------------------------------------


def test_what_was_saved_comes_back(tmp_path):
    saved = sample().save(tmp_path / "d")
    assert saved.folder == tmp_path / "d" and saved == sample()
    loaded = Dataset.load(str(tmp_path / "d"))
    assert exactly(loaded) == exactly(sample()) and loaded == saved
    assert (loaded.fingerprint, loaded.provenance) == (saved.fingerprint, {"title": "Small", "counts": [1]})
    assert loaded.folder == tmp_path / "d"
    assert sorted(contents(tmp_path / "d")) == ["dataset.json", "graphs.parquet"]


@settings(max_examples=25, deadline=None)
@given(st.booleans().flatmap(lambda directed: st.lists(random_graphs(directed=directed, named=True), max_size=4)))
def test_any_graphs_come_back(tmp_path_factory, graphs):
    dataset = Dataset("any", tuple(graphs), (0, len(graphs), 0))
    folder = tmp_path_factory.mktemp("any") / "d"
    dataset.save(folder)
    assert exactly(Dataset.load(folder)) == exactly(dataset)


def test_directed_graphs_come_back_directed(tmp_path):
    dataset = Dataset("d", (Graph(2, [(0, 1), (1, 0)], directed=True),), (1, 0, 0))
    dataset.save(tmp_path / "d")
    assert Dataset.load(tmp_path / "d").graphs[0].directed


def test_the_same_dataset_is_the_same_bytes(tmp_path):
    sample().save(tmp_path / "a")
    sample().save(tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_names_with_half_a_character_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(DatasetError, match="half a character"):
        Dataset("d", (Graph(1, name="\ud800"),), (1, 0, 0)).save(tmp_path / "d")
    with pytest.raises(DatasetError, match="provenance"):
        sample(provenance={"when": object()}).save(tmp_path / "d")
    assert not [*tmp_path.iterdir()]


# -- folders that exist ----------------------------------------------------------------------------------------------


def test_an_existing_dataset_is_replaced_only_if_asked(tmp_path):
    sample().save(tmp_path / "d")
    before = contents(tmp_path / "d")
    (tmp_path / "d" / "labels").mkdir()
    other = sample(sizes=(1, 1, 2))
    with pytest.raises(OutputError, match=r"exists already.*its labels would be lost"):
        other.save(tmp_path / "d")
    assert contents(tmp_path / "d") == before
    other.save(tmp_path / "d", overwrite=True)
    assert Dataset.load(tmp_path / "d") == other and not (tmp_path / "d" / "labels").exists()


@pytest.mark.parametrize("overwrite", [True, False])
def test_the_same_dataset_is_left_alone_with_its_labels(tmp_path, overwrite):
    sample().save(tmp_path / "d")
    (tmp_path / "d" / "labels").mkdir()
    again = sample(provenance={"title": "other"}).save(tmp_path / "d", overwrite=overwrite)
    assert again.provenance["title"] == "Small"
    assert (tmp_path / "d" / "labels").is_dir()


def test_a_damaged_dataset_is_no_reason_to_keep_it(tmp_path):
    sample().save(tmp_path / "d")
    (tmp_path / "d" / "graphs.parquet").write_bytes(b"")
    with pytest.raises(OutputError, match="exists already"):
        sample().save(tmp_path / "d")
    sample().save(tmp_path / "d", overwrite=True)
    assert Dataset.load(tmp_path / "d") == sample()


def test_other_peoples_files_are_never_replaced(tmp_path):
    sample().save(tmp_path / "d")
    (tmp_path / "d" / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match=r"'thesis.tex', which is no part of a dataset"):
        sample(sizes=(1, 1, 2)).save(tmp_path / "d", overwrite=True)
    assert (tmp_path / "d" / "thesis.tex").read_text() == "mine"
    with pytest.raises(OutputError, match="this is a file"):
        sample().save(tmp_path / "d" / "thesis.tex", overwrite=True)
    with pytest.raises(OutputError, match="cannot be written"):
        sample().save(tmp_path / "d" / "thesis.tex" / "d")


def test_missing_folders_on_the_way_are_made_and_an_empty_one_is_used(tmp_path):
    sample().save(tmp_path / "new" / "d")
    (tmp_path / "empty").mkdir()
    sample().save(tmp_path / "empty")
    assert Dataset.load(tmp_path / "new" / "d") == Dataset.load(tmp_path / "empty") == sample()


def test_a_description_without_a_checksum_is_read_and_one_that_was_changed_is_not(tmp_path: Path) -> None:
    """Datasets that older versions wrote have none."""
    saved = Dataset("small", (Graph(1), Graph(2)), (1, 1, 0), {"source": "here"}).save(tmp_path / "d")
    path = tmp_path / "d" / "dataset.json"
    description = json.loads(path.read_text())
    path.write_text(json.dumps(description | {"provenance": {"source": "there"}}))
    with pytest.raises(DatasetError, match=r"dataset\.json: was changed by hand or is damaged: .* checksum"):
        Dataset.load(tmp_path / "d")
    del description["checksum"]
    path.write_text(json.dumps(description))
    assert Dataset.load(tmp_path / "d") == saved


# -- folders that are not as they should be --------------------------------------------------------------------------


def described(folder: Path, **changes) -> None:
    """Change the description as an older version could have written it, without a checksum."""
    description = json.loads((folder / "dataset.json").read_text())
    (folder / "dataset.json").write_text(json.dumps(description | {"checksum": None} | changes))


def forged(folder: Path, table: pyarrow.Table, **options) -> None:
    """Replace the graphs, and the checksum with them."""
    parquet.write_table(table, folder / "graphs.parquet", **{"use_dictionary": False} | options)
    described(folder, graphs_sha256=hashlib.sha256((folder / "graphs.parquet").read_bytes()).hexdigest())


def column(table: pyarrow.Table, name: str, values: object) -> pyarrow.Table:
    return table.set_column(table.column_names.index(name), name, pyarrow.array(values))


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: (d / "dataset.json").unlink(), r"dataset.json: is missing"),
        (lambda d: (d / "graphs.parquet").unlink(), r"graphs.parquet: is missing"),
        (lambda d: truncated(d / "dataset.json"), r"dataset.json: is damaged: it is not JSON"),
        (lambda d: truncated(d / "graphs.parquet"), r"graphs.parquet: is damaged or was changed"),
        (lambda d: flipped(d / "graphs.parquet"), r"graphs.parquet: is damaged or was changed"),
        (lambda d: (d / "dataset.json").write_text("[" * 100_000), "it is not JSON"),
        (lambda d: (d / "dataset.json").write_bytes(b"\xff"), "it is not JSON"),
        (lambda d: (d / "dataset.json").write_text("[]"), "no format number"),
        (lambda d: (d / "dataset.json").write_text('{"format": NaN}'), "it is not JSON"),
        (lambda d: described(d, format=2), "is of format 2, this version reads 1; a newer graphedx"),
        (lambda d: described(d, format=0), "is of format 0, this version reads 1$"),
        (lambda d: described(d, name=None), "'name' must be text"),
        (lambda d: described(d, name="../x"), "letters, digits"),
        (lambda d: described(d, sizes=[2, 1, 1]), "'sizes' must be"),
        (lambda d: described(d, sizes={"train": 10**18, "val": 0, "test": 0}), "splits of graphs.parquet"),
        (lambda d: described(d, sizes={"train": 1, "val": 2, "test": 1}), "splits of graphs.parquet"),
        (lambda d: described(d, vocabularies={"node": []}), "'vocabularies' must be"),
        (lambda d: described(d, vocabularies={"node": [], "edge": []}), "does not hold the graphs"),
        (lambda d: described(d, vocabularies={"node": [{}] * 14, "edge": [1] * 4}), "does not hold the graphs"),
        (lambda d: described(d, vocabularies={"node": ["C"] * 14, "edge": [1] * 4}), "fingerprint"),
        (lambda d: described(d, directed=True), "fingerprint"),
        (lambda d: described(d, fingerprint="0" * 64), "fingerprint"),
    ],
)  # fmt: skip
def test_damaged_folders_are_one_clear_error(tmp_path, damage, message):
    sample().save(tmp_path / "d")
    damage(tmp_path / "d")
    with pytest.raises(DatasetError, match=message) as caught:
        Dataset.load(tmp_path / "d")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("forgery", "message"),
    [
        (lambda t: (t.drop_columns(["name"]), {}), "its columns are not name, split"),
        (lambda t: (column(t, "num_nodes", ["a"] * 4), {}), "column num_nodes is not of int32"),
        (lambda t: (column(t, "name", ["a", None, "b", "c"]), {}), "column name is not of string"),
        (lambda t: (column(t, "num_nodes", pyarrow.array([14, 3, 0, 10**9], pyarrow.int32())), {}), "limit of"),
        (lambda t: (column(t, "num_nodes", pyarrow.array([14, 3, 0, 3], pyarrow.int32())), {}), "not as many labels"),
        (lambda t: (column(t, "num_nodes", pyarrow.array([14, 3, 0, -2], pyarrow.int32())), {}), "not as many labels"),
        (lambda t: (column(t, "num_nodes", pyarrow.array([9, 8, 2**30, -(2**30)], pyarrow.int32())), {}), "as many"),
        (lambda t: (t, {"use_dictionary": True}), "dictionaries"),
        (lambda t: (t.slice(1), {}), "splits of graphs.parquet"),
    ],
)  # fmt: skip
def test_forged_graphs_are_one_clear_error(tmp_path, forgery, message):
    sample().save(tmp_path / "d")
    table, options = forgery(parquet.read_table(tmp_path / "d" / "graphs.parquet"))
    forged(tmp_path / "d", table, **options)
    with pytest.raises(DatasetError, match=message):
        Dataset.load(tmp_path / "d")


def test_what_is_announced_is_limited(tmp_path, monkeypatch):
    sample().save(tmp_path / "d")
    monkeypatch.setattr(files, "MAX_NODES", 5)
    with pytest.raises(DatasetError, match="announces more than the limits of 5 nodes"):
        Dataset.load(tmp_path / "d")
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    with pytest.raises(DatasetError, match="more than the limit of 100"):
        Dataset.load(tmp_path / "d")


@pytest.mark.parametrize("where", ["none", "file"])
def test_what_is_no_folder_is_no_dataset(tmp_path, where):
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match=r"no such folder|is no folder"):
        Dataset.load(tmp_path / where)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_damage_gets_through_and_none_is_another_kind_of_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage") / "d"
    sample().save(folder)
    path = folder / data.draw(st.sampled_from(["dataset.json", "graphs.parquet"]))
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        loaded = Dataset.load(folder)
    except GraphEdXError as error:
        assert isinstance(error, DatasetError)
    else:  # the name and the provenance are only told, not checked
        assert exactly(loaded) == exactly(sample()) and replace(loaded, name="small") == sample()


def test_numbers_of_numpy_are_kept_as_numbers(tmp_path):
    labels = [np.int64(3), np.float64(0.5), np.str_("a"), np.bool_(True), (np.int32(1), "b")]
    made = Dataset("numpy", (Graph(5, [(0, 1)], node_labels=labels, edge_labels=[np.uint8(7)]),), (0, 0, 1))
    [graph] = made.save(tmp_path / "numpy").graphs
    assert graph.node_labels == (3, 0.5, "a", True, (1, "b")) and graph.edge_labels == (7,)
    assert [type(label) for label in graph.node_labels] == [int, float, str, bool, tuple]
    assert Dataset.load(tmp_path / "numpy").graphs[0].node_labels == graph.node_labels


def test_a_small_file_cannot_hold_millions_of_nodes(tmp_path, monkeypatch):
    saved = Dataset("zeros", (Graph(50_000),), (1, 0, 0)).save(tmp_path / "zeros")
    assert len(Dataset.load(saved.folder).graphs[0]) == 50_000
    monkeypatch.setattr(files, "FREE_NODES", 100)
    monkeypatch.setattr(files, "NODES_PER_BYTE", 1)
    with pytest.raises(DatasetError, match="announces more than the limit"):
        Dataset.load(saved.folder)
