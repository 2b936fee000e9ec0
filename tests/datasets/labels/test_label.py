"""Labels are what ``ged`` says, whatever interrupts the run that makes them."""

import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import graphedx as gx
from datasets.labels.samples import contents, small_dataset
from graphedx import costs as presets
from graphedx.datasets.dataset import SPLITS, Dataset
from graphedx.datasets.labels import PAPER, label, labels, store
from graphedx.engine import Answer, Block, LocalEngine
from graphedx.errors import CostError, DatasetError, MethodError, OutputError
from matrix.samples import hard_graphs

TESTS = Path(__file__).parents[2]
EDGES_TOO = gx.EditCosts(2, 1, 1, 3, 0.5, 0.25)


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(store, "SHARD_PAIRS", 50)


@pytest.fixture
def dataset(tmp_path, small_shards):
    return small_dataset(tmp_path / "small")


@pytest.mark.parametrize("costs", [*PAPER.values(), EDGES_TOO, presets.UNIT], ids=str)
def test_every_label_is_the_distance(dataset, costs):
    label(dataset, costs, progress=False)
    for split in SPLITS:
        table = labels(dataset, split, costs)
        assert [*zip(table.source, table.target, strict=True)] == [tuple(pair) for pair in dataset.pairs(split)]
        truth = [gx.ged(dataset.graphs[i], dataset.graphs[j], costs=costs).distance for i, j in dataset.pairs(split)]
        np.testing.assert_allclose(table.distances, truth, rtol=1e-12)


@pytest.mark.parametrize(
    "costs",
    [
        presets.NON_UNIFORM,
        presets.EDGE_ONLY,
        gx.EditCosts(0, 5, 0, 2, 0, 0),
        gx.EditCosts(0.1, 0.2, 0.3, 0.7, 0, 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_one_search_serves_all_costs_without_substitutions(tmp_path, small_shards, costs, directed):
    dataset = small_dataset(tmp_path / "set", 30, directed=directed)
    label(dataset, presets.UNIFORM, splits=["train"], progress=False)
    [again] = label(dataset, costs, splits=["train"], progress=False)
    assert again.solved_now == 0
    table = labels(dataset, "train", costs)
    for k in range(len(table)):
        result = table.result(k)
        assert gx.induced_cost(result.mapping, costs) == result.upper  # to the last bit
        assert result.distance == gx.ged(result.source, result.target, costs=costs).distance


def test_without_labels_node_substitutions_need_no_search_of_their_own(tmp_path):
    graphs = [gx.Graph(n, [(i, i + 1) for i in range(n - 1)]) for n in range(8)]
    dataset = gx.datasets.from_graphs(graphs, "paths").save(tmp_path / "paths")
    found = label(dataset, [presets.UNIFORM, presets.LABELLED], progress=False)
    assert {one.regime for one in found} == {"structure"}
    assert (
        labels(dataset, "train", presets.LABELLED).distances.max()
        == labels(dataset, "train", presets.UNIFORM).distances.max()
    )


def test_a_second_call_has_nothing_to_do_and_changes_nothing(dataset):
    first = label(dataset, [presets.UNIFORM, presets.LABELLED], progress=False)
    before = contents(dataset)
    second = label(dataset, [presets.LABELLED, presets.NON_UNIFORM], progress=False)
    assert sum(one.solved_now for one in first) == 2 * sum(len(dataset.pairs(split)) for split in SPLITS)
    assert sum(one.solved_now for one in second) == 0
    assert contents(dataset) == before
    assert not [name for name in before if "journal" in name]


def test_the_same_labels_are_the_same_bytes(tmp_path, small_shards):
    one, other = small_dataset(tmp_path / "one"), small_dataset(tmp_path / "other")
    label(one, PAPER.values(), workers=1, progress=False)
    label(other, reversed(PAPER.values()), splits=("test", "train", "val"), workers=3, progress=False)
    assert contents(one) == contents(other)


# -- kill and resume -------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from graphedx.costs import UNIFORM, LABELLED
from graphedx.datasets.dataset import Dataset
from graphedx.datasets.labels import label, store
store.SHARD_PAIRS = 50
left = int(sys.argv[2])
def die(news):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
label(Dataset.load(sys.argv[1]), [UNIFORM, LABELLED], progress=die, workers=2)
"""


def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(tmp_path, dataset):
    whole = small_dataset(tmp_path / "whole")
    label(whole, [presets.UNIFORM, presets.LABELLED], progress=False)
    rng = random.Random(0)
    killed = 0
    while run_child(dataset.folder, reports=4 * killed + rng.randint(0, 3)) != 0:  # each gets a little further
        killed += 1
    assert killed >= 3
    assert contents(dataset) == contents(whole)


def run_child(folder, reports: int) -> int:
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    command = [sys.executable, "-c", KILLED, str(folder), str(reports)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def test_what_a_killed_run_left_half_written_is_swept_away(dataset):
    label(dataset, presets.UNIFORM, progress=False)
    before = contents(dataset)
    (dataset.folder / "labels" / "structure" / ".train-00000.abcdef012345.parquet").write_bytes(b"half")
    label(dataset, presets.UNIFORM, progress=False)
    assert contents(dataset) == before


class Failing:
    """An engine that gives up after so many blocks."""

    def __init__(self, blocks: int) -> None:
        self._left = blocks

    def solve(self, work, ids, collect):
        def counting(block):
            if self._left == 0:
                raise RuntimeError("the power is gone")
            self._left -= 1
            collect(block)

        for k in ids[::-1]:
            LocalEngine(1).solve(work, np.array([k]), counting)


@pytest.mark.parametrize("blocks", [1, 30, 49, 50, 51, 200])
def test_what_was_found_before_a_failure_is_not_asked_for_again(dataset, blocks):
    with pytest.raises(RuntimeError, match="power"):
        label(dataset, presets.UNIFORM, splits=["train"], engine=Failing(blocks), progress=False)
    [found] = label(dataset, presets.UNIFORM, splits=["train"], progress=False)
    assert found.solved_now == len(dataset.pairs("train")) - blocks
    assert found.proven == found.pairs


def test_two_runs_do_not_write_the_same_labels(dataset):
    class Second:
        def solve(self, work, ids, collect):
            label(dataset, presets.UNIFORM, splits=["val"], progress=False)

    with pytest.raises(OutputError, match="another run"):
        label(dataset, presets.UNIFORM, splits=["train"], engine=Second(), progress=False)


# -- pairs that resist -----------------------------------------------------------------------------------------------


@pytest.fixture
def hard(tmp_path, small_shards):
    easy = [gx.Graph(n, [(i, i + 1) for i in range(n - 1)]) for n in range(1, 9)]
    dataset = gx.datasets.from_graphs([*easy, *hard_graphs(2, 34)], "hard", seed=1)
    return Dataset("hard", dataset.graphs, (10, 0, 0)).save(tmp_path / "hard")


def test_pairs_that_resist_keep_their_bounds_and_are_counted(hard):
    found = label(hard, presets.UNIFORM, time_limit=1.0, progress=False)
    train = found[0]
    assert (train.pairs, train.proven) == (55, 54)
    table = labels(hard, "train", presets.UNIFORM)
    [k] = np.flatnonzero(~table.proven)
    assert 0 < table.lower[k] < table.upper[k]
    assert gx.induced_cost(table.result(k).mapping, presets.UNIFORM) == table.upper[k]
    with pytest.raises(gx.NotProvenError, match="1 of 55 distances are not proven"):
        _ = table.distances
    derived = labels(hard, "train", presets.NON_UNIFORM)
    assert derived.lower[k] < derived.upper[k]
    assert gx.induced_cost(derived.result(k).mapping, presets.NON_UNIFORM) == derived.upper[k]


class Slow:
    """An engine that needs a second for graphs of more than four nodes, and a moment for the others.

    By no clock: on a busy machine the limits of these tests are too short for any graph.
    """

    def solve(self, work, ids, collect):
        limit = work.question.time_limit
        work = replace(work, question=work.question._replace(time_limit=None))
        for k in ids:
            source, target = (work.sources[i] for i in work.ends[k])
            if limit is None or limit >= 1 or max(len(source), len(target)) <= 4:
                LocalEngine(1).solve(work, np.array([k]), collect)
            else:
                everything = len(source) + len(target) + source.num_edges + target.num_edges
                answer = Answer(0.0, float(everything), [-1] * len(source), gx.StopReason.TIME)
                collect(Block.of(np.array([k]), [answer]))


def solved_now(dataset, limit):
    return label(dataset, presets.UNIFORM, splits=["train"], time_limit=limit, engine=Slow(), progress=False)[0]


def test_a_longer_limit_tries_just_those_again(dataset):
    first, same, shorter = (solved_now(dataset, limit) for limit in (0.01, 0.01, 0.001))
    assert first.proven < first.pairs
    assert (same.solved_now, shorter.solved_now) == (0, 0)
    assert same.proven == shorter.proven == first.proven
    longer, none = solved_now(dataset, 2.0), solved_now(dataset, None)
    assert (longer.solved_now, longer.proven) == (first.pairs - first.proven, first.pairs)
    assert none.solved_now == 0


def test_labels_under_a_limit_that_was_raised_end_with_the_same_bytes(tmp_path, dataset):
    whole = small_dataset(tmp_path / "whole")
    solved_now(whole, None)
    solved_now(dataset, 0.01)
    solved_now(dataset, None)
    assert contents(dataset) == contents(whole)


@pytest.mark.parametrize("blocks", [0, 20, 60])
def test_what_resisted_is_tried_again_also_after_a_failure_in_between(dataset, blocks):
    first = solved_now(dataset, 0.01)
    with pytest.raises(RuntimeError, match="power"):
        label(dataset, presets.UNIFORM, splits=["train"], engine=Failing(blocks), progress=False)
    again = solved_now(dataset, None)
    assert again.solved_now == first.pairs - first.proven - blocks
    assert again.proven == again.pairs


def test_what_a_killed_run_gave_up_is_not_lost_either(dataset):
    class Cut(Slow):
        def solve(self, work, ids, collect):
            super().solve(work, ids[:100], collect)
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError, match="power"):
        label(dataset, presets.UNIFORM, splits=["train"], time_limit=0.01, engine=Cut(), progress=False)
    assert solved_now(dataset, 0.01).solved_now == len(dataset.pairs("train")) - 100


def test_a_shard_that_was_not_written_is_not_solved_for_a_third_time(dataset, monkeypatch):
    """What resists the longer limit too looks like what the shard of the shorter one holds, and is known better."""

    def cut(*_):
        raise RuntimeError("the power is gone")

    first = solved_now(dataset, 0.01)
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="power"):
        patch.setattr(store.Store, "write_shard", cut)
        solved_now(dataset, 0.02)
    rest, again = solved_now(dataset, 0.02), solved_now(dataset, 0.02)
    assert 0 < rest.solved_now < first.pairs - first.proven
    assert again.solved_now == 0


# -- nonsense --------------------------------------------------------------------------------------------------------


def test_a_split_that_is_not_labelled_says_what_to_run(dataset):
    label(dataset, presets.UNIFORM, splits=["test"], progress=False)
    with pytest.raises(DatasetError, match=r"train is not labelled .* --costs 1,1,1,1,0,0 --split train"):
        labels(dataset, "train", presets.UNIFORM)
    with pytest.raises(DatasetError, match=r"test is not labelled for costs 1,1,1,1,1,1"):
        labels(dataset, "test", presets.UNIT)


@pytest.mark.parametrize(
    ("keywords", "error", "says"),
    [
        ({"splits": ["dev"]}, DatasetError, "there is no split 'dev'"),
        ({"engine": "spark"}, MethodError, "no engine 'spark'"),
        ({"time_limit": -1}, MethodError, "time_limit must be"),
        ({"workers": 0}, MethodError, "workers must be"),
        ({"costs": "uniform"}, CostError, "EditCosts"),
        ({"costs": gx.EditCosts(node_del={"a": 1.0})}, CostError, "costs that are numbers"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_nonsense_is_refused_before_anything_is_written(dataset, keywords, error, says):
    with pytest.raises(error, match=says):
        label(**{"dataset": dataset, "costs": presets.UNIFORM, "progress": False} | keywords)
    assert not (dataset.folder / "labels").exists()


def test_a_dataset_in_memory_has_no_place_for_labels():
    dataset = gx.datasets.from_graphs([gx.Graph(1), gx.Graph(2)], "memory")
    with pytest.raises(DatasetError, match="save it"):
        label(dataset, presets.UNIFORM, progress=False)


@pytest.mark.parametrize("place", [0, 100, -200, -1])
def test_a_damaged_shard_is_refused(dataset, place):
    label(dataset, presets.UNIFORM, progress=False)
    path = dataset.folder / "labels" / "structure" / "train-00001.parquet"
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)
    for read in (lambda: labels(dataset, "train", presets.UNIFORM), lambda: label(dataset, presets.UNIFORM)):
        with pytest.raises(DatasetError, match=r"train-00001\.parquet: is damaged .*delete it"):
            read()
    path.unlink()
    assert label(dataset, presets.UNIFORM, splits=["train"], progress=False)[0].solved_now == 50


def test_a_shard_cut_short_is_refused_also_before_the_split_is_sealed(dataset):
    with pytest.raises(RuntimeError):
        label(dataset, presets.UNIFORM, splits=["train"], engine=Failing(200), progress=False)
    path = next((dataset.folder / "labels" / "structure").glob("train-*.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DatasetError, match="is damaged"):
        label(dataset, presets.UNIFORM, progress=False)


def test_labels_of_other_graphs_are_refused(tmp_path, dataset):
    label(dataset, presets.UNIFORM, progress=False)
    other = small_dataset(tmp_path / "other", 40)
    (dataset.folder / "labels").rename(other.folder / "labels")
    with pytest.raises(DatasetError, match="of other graphs, costs or another method"):
        labels(other, "train", presets.UNIFORM)


def test_damage_of_a_journal_costs_one_pair_and_is_told(dataset):
    with pytest.raises(RuntimeError):
        label(dataset, presets.UNIFORM, splits=["train"], engine=Failing(30), progress=False)
    path = dataset.folder / "labels" / "structure" / "train.journal"
    content = bytearray(path.read_bytes())
    content[len(content) * 3 // 4] ^= 1  # the first half is in a shard already
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"train\.journal: the checkpoint is damaged"):
        [found] = label(dataset, presets.UNIFORM, splits=["train"], progress=False)
    assert found.solved_now == found.pairs - 29
    assert found.proven == found.pairs


def test_costs_are_told_to_the_last_digit_and_none_more(dataset):
    costs = gx.EditCosts(0.1, 1e-9, 1 / 3, 1e22, 0.7, 0)
    [found] = label(dataset, costs, splits=["test"], progress=False)
    assert found.regime == "0.1,1e-09,0.3333333333333333,1e+22,0.7,0"
    assert gx.EditCosts.parse(found.regime) == costs
    assert gx.datasets.stats(dataset)["ged"].keys() == {found.regime}
    with pytest.raises(DatasetError, match=r"--costs 0\.123456789,1,1,1,0,0 --split train"):
        labels(dataset, "train", gx.EditCosts(0.123456789, 1, 1, 1, 0, 0))


def test_one_split_may_be_named_alone_and_costs_are_no_words(dataset):
    assert [one.split for one in label(dataset, presets.UNIFORM, splits="test", progress=False)] == ["test"]
    with pytest.raises(CostError, match=r"got 'uniform'; for text use EditCosts\.parse"):
        label(dataset, "uniform")
    with pytest.raises(CostError, match="got None"):
        label(dataset, None)


def test_what_a_kill_left_of_a_manifest_is_swept_away(dataset):
    label(dataset, presets.UNIFORM, progress=False)
    before = contents(dataset)
    (dataset.folder / "labels" / "structure" / ".labels.0123456789ab.json").write_text("{")
    label(dataset, presets.UNIFORM, progress=False)
    assert contents(dataset) == before


def test_labels_that_cannot_be_written_are_an_output_error(dataset):
    (dataset.folder / "labels").write_text("a file in the way")
    with pytest.raises(OutputError, match="cannot be used as a folder"):
        label(dataset, presets.UNIFORM, progress=False)


def test_what_derives_to_a_proven_distance_is_called_proved(tmp_path):
    dataset = gx.datasets.from_graphs([*hard_graphs(3), gx.Graph(2)], "hard").save(tmp_path / "hard")
    label(dataset, presets.UNIFORM, time_limit=0, progress=False)
    table = labels(dataset, "train", gx.EditCosts(2, 3, 0, 0, 0, 0))
    assert table.proven.all() and not labels(dataset, "train", presets.UNIFORM).proven.all()
    assert {table.result(k).stopped_by for k in range(len(table))} == {gx.StopReason.PROVED}
