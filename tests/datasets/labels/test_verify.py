"""Verifying finds what is wrong with labels, and nothing where nothing is."""

import json
import shutil

import numpy as np
import pytest
from pyarrow import parquet

from datasets.labels.samples import small_dataset
from graphedx import costs as presets
from graphedx.datasets.labels import label, store, verify
from graphedx.datasets.prepare import from_graphs
from graphedx.datasets.stats import stats
from graphedx.errors import DatasetError
from matrix.samples import hard_graphs


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SHARD_PAIRS", 50)
    dataset = small_dataset(tmp_path / "small", 30)
    label(dataset, [presets.UNIFORM, presets.LABELLED], progress=False)
    return dataset


def test_good_labels_have_no_problems(dataset):
    checked = verify(dataset, progress=False)
    assert [(one.regime, one.split) for one in checked] == [
        (regime, split) for regime in ("1,1,1,1,1,0", "structure") for split in ("train", "val", "test")
    ]
    assert all(one.proven == one.pairs == len(dataset.pairs(one.split)) for one in checked)
    assert all(one.problems == () for one in checked)
    assert [one.solved_again for one in checked][:3] == [171, 21, 21]


@pytest.mark.parametrize("method", ["beam", "branch_tight", "refine", "ipfp"])
def test_methods_with_options_verify_with_their_defaults(dataset, method):
    assert not any(one.problems for one in verify(dataset, method=method, sample=5, progress=False))


def falsified(dataset, regime, change):
    """Change the columns of a shard as somebody would who then corrects the digest too."""
    folder = dataset.folder / "labels" / regime
    path = folder / "train-00000.parquet"
    table = parquet.read_table(path)
    columns = {name: table[name].to_pylist() for name in table.column_names}
    change(columns)
    about = json.loads(table.schema.metadata[b"graphedx"]) | {"digest": None}
    changed = type(table).from_pydict(columns, schema=table.schema)
    parquet.write_table(changed.replace_schema_metadata({"graphedx": json.dumps(about)}), path)
    manifest = json.loads((folder / "labels.json").read_text()) | {"checksum": None}
    del manifest["shards"][path.name]
    (folder / "labels.json").write_text(json.dumps(manifest))


def problems_of(dataset, regime, **keywords):
    [train] = [
        one for one in verify(dataset, progress=False, **keywords) if (one.regime, one.split) == (regime, "train")
    ]
    return " | ".join(train.problems)


@pytest.mark.parametrize("regime", ["structure", "1,1,1,1,1,0"])
def test_a_distance_that_its_mapping_does_not_cost_is_found(dataset, regime):
    def change(columns):
        columns["lower"][7] = columns["upper"][7] = columns["upper"][7] + 2
        if regime == "structure":
            columns["common_edges"][7] -= 1

    falsified(dataset, regime, change)
    assert "pair 7 of train" in problems_of(dataset, regime, sample=0)


def test_a_mapping_that_is_none_is_found(dataset):
    def change(columns):
        k = next(k for k, images in enumerate(columns["images"]) if len(images) > 1 and columns["target"][k] != 0)
        columns["images"][k] = [columns["images"][k][0]] * len(columns["images"][k])

    falsified(dataset, "structure", change)
    assert "mapping" in problems_of(dataset, "structure", sample=0)


def test_a_mapping_that_is_not_optimal_is_found_by_solving_again(dataset):
    table = dataset.labels("train", presets.LABELLED)
    k = int(np.flatnonzero((table.upper > 0) & (table.upper < table.upper.max()))[0])
    source, target = dataset.graphs[table.source[k]], dataset.graphs[table.target[k]]

    def change(columns):
        columns["images"][k] = [-1] * len(source)
        everything = len(source) + len(target) + source.num_edges + target.num_edges
        columns["lower"][k] = columns["upper"][k] = everything

    falsified(dataset, "1,1,1,1,1,0", change)
    assert "solved again" in problems_of(dataset, "1,1,1,1,1,0", sample=10**6)


def test_damaged_and_missing_shards_are_problems(dataset):
    folder = dataset.folder / "labels" / "structure"
    (folder / "train-00001.parquet").write_bytes(b"PAR1")
    (folder / "val-00000.parquet").unlink()
    (folder / "val.journal").write_bytes(b"")  # a run is under way
    checked = {one.split: one.problems for one in verify(dataset, progress=False) if one.regime == "structure"}
    assert "is damaged" in checked["train"][0]
    assert "not labelled to the end" in checked["val"][0]
    assert checked["test"] == ()


def test_a_flood_of_problems_is_cut_short(dataset):
    def change(columns):
        columns["upper"] = [upper + 1 for upper in columns["upper"]]
        columns["lower"] = columns["upper"]

    falsified(dataset, "1,1,1,1,1,0", change)
    assert "and 45 more" in problems_of(dataset, "1,1,1,1,1,0", sample=0)


def first_above(columns, distance):
    return next(k for k, upper in enumerate(columns["upper"]) if upper > distance)


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("lower", lambda lower: lower - 1, "where the bounds meet"),
        ("lower", lambda _: -7.0, "not between 0"),
        ("upper", lambda _: float("inf"), "not between 0"),
        ("stopped_by", lambda _: "time", "where the bounds meet"),
        ("stopped_by", lambda _: None, "values are missing"),
        ("search_nodes", lambda _: -5, "search that cannot have been"),
        ("common_edges", lambda common: common + 1, "common edges"),
    ],
)
def test_what_contradicts_itself_is_found_without_solving(dataset, name, value, what):
    def change(columns):
        k = first_above(columns, 1)
        columns[name][k] = value(columns[name][k])

    falsified(dataset, "structure", change)
    assert what in problems_of(dataset, "structure", sample=0)


@pytest.mark.parametrize("image", [99, -5])
def test_a_mapping_that_leads_nowhere_is_a_problem_also_where_pairs_are_solved_again(dataset, image):
    def change(columns):
        k = next(k for k, images in enumerate(columns["images"]) if images)
        columns["images"][k] = [image] * len(columns["images"][k])

    falsified(dataset, "structure", change)
    assert f"image {image} is not a position" in problems_of(dataset, "structure", sample=10**6)


def test_a_split_that_has_vanished_is_a_problem(dataset):
    for path in (dataset.folder / "labels" / "structure").glob("val-*.parquet"):
        path.unlink()
    checked = {one.split: one.problems for one in verify(dataset, progress=False) if one.regime == "structure"}
    assert "val is not labelled to the end" in checked["val"][0]


@pytest.mark.parametrize("name", ["foo", "uniform", "nan,1,1,1,1,0", "1.0,1,1,1,1,0"])
def test_a_folder_that_is_of_no_costs_is_a_problem_and_no_hindrance(dataset, name):
    shutil.copytree(dataset.folder / "labels" / "structure", dataset.folder / "labels" / name)
    assert stats(dataset)["ged"].keys() == {"uniform", "non-uniform", "edge-only", "labelled"}
    *good, stranger = verify(dataset, progress=False)
    assert stranger.regime == name and "no labels of this dataset" in stranger.problems[0]
    assert all(one.problems == () for one in good)


def test_a_manifest_that_has_vanished_is_a_problem(dataset):
    (dataset.folder / "labels" / "structure" / "labels.json").unlink()
    assert ["labels.json is gone" in one.problems[0] for one in verify(dataset, progress=False) if one.problems] == [
        True
    ]


def test_shards_too_many_are_a_problem_and_no_hindrance(dataset):
    folder = dataset.folder / "labels" / "structure"
    for name in ("train-00099.parquet", "dev-00000.parquet"):
        shutil.copy(folder / "train-00000.parquet", folder / name)
    checked = verify(dataset, progress=False)
    [extra] = [one for one in checked if one.problems]
    assert (extra.regime, extra.split, len(checked)) == ("structure", "", 7)
    assert all(problem.startswith(str(folder)) for problem in extra.problems)
    assert "dev-00000" in extra.problems[0] and "train-00099" in extra.problems[1]


def test_a_file_that_is_called_like_a_journal_is_left_alone(dataset):
    stray = dataset.folder / "labels" / "structure" / "train.notes.journal"
    stray.write_text("mine")
    assert all(one.problems == () for one in verify(dataset, progress=False))
    label(dataset, presets.UNIFORM, progress=False)
    assert stray.read_text() == "mine"


def test_pairs_that_resist_are_not_waited_for(tmp_path):
    dataset = from_graphs(hard_graphs(5), "hard").save(tmp_path / "hard")
    label(dataset, presets.UNIFORM, splits=["train"], time_limit=0, progress=False)
    [train] = verify(dataset, progress=False)
    assert train.proven == train.solved_again < train.pairs
    assert train.problems == ()


def test_a_limit_leaves_bounds_that_must_agree(dataset):
    assert all(one.problems == () for one in verify(dataset, time_limit=0, progress=False))
    with pytest.raises(ValueError, match="time_limit"):
        verify(dataset, time_limit=-1)


@pytest.mark.parametrize("sample", [-1, 2.5, None])
def test_a_sample_is_a_whole_number(dataset, sample):
    with pytest.raises(DatasetError, match="sample must be a whole number"):
        verify(dataset, sample=sample)
