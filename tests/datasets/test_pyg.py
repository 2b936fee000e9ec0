"""GraphPairDataset: what ``ged`` says of every pair, in tensors that PyTorch Geometric batches as they are."""

import copy
import importlib
import pickle
import runpy
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch.utils.data import Subset, random_split  # noqa: E402
from torch_geometric.data import Data  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402

import graphedx as gx  # noqa: E402
from graphedx import datasets  # noqa: E402
from graphedx.costs import LABELLED, NON_UNIFORM, UNIFORM  # noqa: E402
from graphedx.datasets.pyg import GraphPair, GraphPairDataset  # noqa: E402
from graphedx.errors import DatasetError, MissingExtraError, NotProvenError  # noqa: E402
from matrix.samples import hard_graphs, some_graphs  # noqa: E402

LABELS_MATTER = gx.EditCosts(3, 1, 2, 1, 1.5, 0.25)
KINDS = {
    "labelled": some_graphs(14, seed=3),
    "unlabelled": [graph.unlabelled() for graph in some_graphs(14, seed=3)],
    "directed": some_graphs(12, most_nodes=5, seed=5, directed=True),
}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Threads that wait for each other on a busy machine make tiny tensors slow."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=KINDS)
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param) / "made"
    saved = datasets.from_graphs(KINDS[request.param], request.param, distinct=False).save(folder)
    datasets.label(saved, [UNIFORM, LABELS_MATTER], workers=1, progress=False)
    assert any(graph.num_nodes == 0 for graph in saved.split("train"))
    return saved


def edges_with_labels(edge_index, labels):
    return sorted(zip(*edge_index.tolist(), labels, strict=True))


def both_ways(graph):
    edges = [(*edge, label) for edge, label in zip(graph.edge_index, graph.edge_labels, strict=True)]
    return sorted(edges if graph.directed else edges + [(v, u, label) for u, v, label in edges])


def same(a, b):
    """Whether two pairs hold the same tensors."""
    return set(a.keys()) == set(b.keys()) and all(torch.equal(a[key], b[key]) for key in a.keys())  # noqa: SIM118


def embedded(x, edge_index, batch, size):
    """Two rounds of messages and a sum for each graph, in whole numbers, so that the order of sums does not matter."""
    state = x @ (torch.arange(x.size(1) * 4.0).reshape(-1, 4) % 5 - 1)
    for _ in range(2):
        messages = state[edge_index[0]].relu().floor()
        state = state + torch.zeros_like(state).index_add(0, edge_index[1], messages)
    return torch.zeros(size, 4).index_add(0, batch, state)


def outcome(pair, size):
    source = embedded(pair.x_s, pair.edge_index_s, pair.batch_s, size)
    return torch.cat([source, embedded(pair.x_t, pair.edge_index_t, pair.batch_t, size)], dim=1)


@pytest.mark.parametrize("costs", [UNIFORM, NON_UNIFORM, LABELS_MATTER], ids=["uniform", "non-uniform", "labels"])
@pytest.mark.parametrize("split", datasets.SPLITS)
def test_every_pair_has_the_distance_that_ged_finds(made, split, costs):
    pairs = GraphPairDataset(made, split, costs)
    assert pairs.pairs.tolist() == made.pairs(split).tolist()
    assert len(pairs) == len(made.pairs(split))
    for (source, target), pair in zip(pairs.pairs.tolist(), pairs, strict=True):
        distance = gx.ged(made.graphs[source], made.graphs[target], costs=costs).distance
        assert pair.y.tolist() == pair.lower.tolist() == pair.upper.tolist() == [distance]
        assert pair.proven.tolist() == [True]
        assert (pair.y.dtype, pair.proven.dtype) == (torch.float32, torch.bool)
    assert torch.equal(pairs.y, torch.cat([pair.y for pair in pairs]))


def test_the_tensors_are_those_of_the_graphs(made):
    pairs = GraphPairDataset(made, "val")
    for (source, target), pair in zip(pairs.pairs.tolist(), pairs, strict=True):
        assert isinstance(pair, GraphPair)
        for end, position in (("s", source), ("t", target)):
            graph, x = made.graphs[position], pair[f"x_{end}"]
            assert x.dtype == torch.float32
            assert torch.equal(x.sum(dim=1), torch.ones(len(graph)))
            assert [pairs.node_vocabulary[k] for k in x.argmax(dim=1)] == list(graph.node_labels)
            edge_index = pair[f"edge_index_{end}"]
            labels = [None] * edge_index.size(1)
            if pairs.edge_vocabulary:
                labels = [pairs.edge_vocabulary[k] for k in pair[f"edge_attr_{end}"].argmax(dim=1)]
            assert edges_with_labels(edge_index, labels) == both_ways(graph)
        assert pair.num_nodes == len(made.graphs[source]) + len(made.graphs[target])
        assert pair.num_edges == len(both_ways(made.graphs[source])) + len(both_ways(made.graphs[target]))


def test_the_vocabulary_is_that_of_all_splits(made):
    pairs = [GraphPairDataset(made, split) for split in datasets.SPLITS]
    assert len({(each.node_vocabulary, each.edge_vocabulary) for each in pairs}) == 1
    nodes, edges = ((None,), ()) if made.name == "unlabelled" else (("a", "b", "c"), ("x", "y"))
    assert tuple(sorted(pairs[0].node_vocabulary, key=str)) == nodes
    assert tuple(sorted(pairs[0].edge_vocabulary)) == edges
    assert (pairs[0].num_node_features, pairs[0].num_edge_features) == (len(nodes), len(edges))
    assert (pairs[0][0].num_node_features, pairs[0][0].num_edge_features) == (len(nodes), len(edges))
    assert ("edge_attr_s" in pairs[0][0]) == bool(edges)


def test_without_labels_every_node_has_the_feature_1(tmp_path):
    path = gx.Graph(3, [(0, 1), (1, 2)])
    saved = datasets.from_graphs([path] * 5, "paths", distinct=False).save(tmp_path / "paths")
    datasets.label(saved, UNIFORM, workers=1, progress=False)
    assert GraphPairDataset(saved, "train")[0].x_s.tolist() == [[1.0]] * 3


@pytest.mark.parametrize("follow", [None, ["x_s", "x_t"]])
def test_a_batch_is_its_pairs(made, follow):
    pairs = GraphPairDataset(made, "train", LABELS_MATTER)
    alone = torch.cat([outcome(pair, 1) for pair in pairs])
    done = []
    for batch in DataLoader(pairs, batch_size=5, follow_batch=follow):
        done.append(outcome(batch, batch.num_graphs))
        assert batch.num_nodes == len(batch.x_s) + len(batch.x_t)
        assert batch.y.shape == batch.lower.shape == batch.upper.shape == (batch.num_graphs,)
        if follow:
            assert torch.equal(batch.batch_s, batch.x_s_batch)
            assert torch.equal(batch.batch_t, batch.x_t_batch)
        for k, pair in enumerate(batch.to_data_list()):
            first = 5 * (len(done) - 1)
            assert same(pair, pairs[first + k])
    assert torch.equal(torch.cat(done), alone)


def test_workers_bring_the_same_batches(made):
    pairs = GraphPairDataset(made, "train")
    here, there = (list(DataLoader(pairs, batch_size=8, num_workers=workers)) for workers in (0, 2))
    assert all(same(a, b) for a, b in zip(here, there, strict=True))


def test_a_pickled_copy_is_the_same_and_holds_no_tensor_a_graph(made):
    pairs = GraphPairDataset(made, "train")[::3]
    for other in (pickle.loads(pickle.dumps(pairs)), copy.deepcopy(pairs)):
        assert len(other) == len(pairs)
        assert all(same(a, b) for a, b in zip(pairs, other, strict=True))
    assert pickle.dumps(pairs).count(b"_rebuild_tensor") <= 10


def test_shuffling_keeps_pairs_and_labels_together(made):
    pairs = GraphPairDataset(made, "train", LABELS_MATTER)
    known = {(*outcome(pair, 1).flatten().tolist(), pair.y.item()) for pair in pairs}
    shuffled = DataLoader(pairs, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(1))
    seen = [torch.cat([outcome(batch, batch.num_graphs), batch.y[:, None]], dim=1) for batch in shuffled]
    assert {tuple(row) for row in torch.cat(seen).tolist()} == known


def test_parts_of_a_dataset(made):
    pairs = GraphPairDataset(made, "train", NON_UNIFORM)
    chosen = [4, 0, 7]
    mask = torch.zeros(len(pairs), dtype=torch.bool)
    mask[chosen] = True
    for part, places in (
        (pairs[2:9:2], range(2, 9, 2)),
        (pairs[chosen], chosen),
        (pairs[torch.tensor(chosen)], chosen),
        (pairs[mask], sorted(chosen)),
        (pairs.index_select(chosen)[1:], chosen[1:]),
    ):
        assert isinstance(part, GraphPairDataset)
        assert all(same(pair, pairs[place]) for pair, place in zip(part, places, strict=True))
        for column in ("y", "lower", "upper", "proven", "pairs"):
            assert torch.equal(getattr(part, column), getattr(pairs, column)[list(places)])
    assert same(pairs[-1], pairs[len(pairs) - 1])
    with pytest.raises(IndexError):
        pairs[len(pairs)]
    first, second = random_split(pairs, [0.5, 0.5], torch.Generator().manual_seed(0))
    assert sorted([*first.indices, *second.indices]) == list(range(len(pairs)))
    batch = next(iter(DataLoader(Subset(pairs, chosen), batch_size=3)))
    assert torch.equal(batch.y, pairs.y[chosen])


def test_a_transform_is_applied_and_may_scale_the_label_in_place(made):
    def halved(pair):
        pair.y /= 2
        return pair

    plain, scaled = GraphPairDataset(made, "val"), GraphPairDataset(made, "val", transform=halved)
    for _ in range(2):
        assert torch.equal(torch.cat([pair.y for pair in scaled]), plain.y / 2)
    assert torch.equal(scaled.y, plain.y)


def test_graphs_by_position_share_the_tensors_of_their_pairs(made):
    pairs = GraphPairDataset(made, "test")
    source, target = pairs.pairs[1].tolist()
    a, b, pair = pairs.graph(source), pairs.graph(target), pairs[1]
    assert isinstance(a, Data)
    assert a.x is pair.x_s
    assert b.edge_index is pair.edge_index_t
    assert a.num_nodes == len(made.graphs[source])
    assert ("edge_attr" in a) == ("edge_attr_s" in pair)
    for outside in (made.span("test").start - 1, len(made), -1):
        with pytest.raises(DatasetError, match="test has the graphs"):
            pairs.graph(outside)


def test_a_folder_will_do(made):
    assert torch.equal(GraphPairDataset(str(made.folder), "val").y, GraphPairDataset(made, "val").y)
    assert datasets.GraphPairDataset is GraphPairDataset
    assert repr(GraphPairDataset(made.folder, "val")).startswith(f"GraphPairDataset('{made.name}', 'val', ")


def test_what_is_not_there_is_refused(made, tmp_path):
    with pytest.raises(DatasetError, match="no split 'dev'"):
        GraphPairDataset(made, "dev")
    with pytest.raises(DatasetError, match="'refuse' or 'bounds', got 'ignore'"):
        GraphPairDataset(made, "val", unproven="ignore")
    with pytest.raises(DatasetError):
        GraphPairDataset(tmp_path, "val")
    if made.name != "unlabelled":
        with pytest.raises(DatasetError, match="not labelled"):
            GraphPairDataset(made, "val", LABELLED)


def test_unproven_distances_are_refused_or_bounded(tmp_path):
    saved = datasets.from_graphs(hard_graphs(4, nodes=30), "hard").save(tmp_path / "hard")
    datasets.label(saved, UNIFORM, splits=["train"], workers=1, time_limit=0.02, progress=False)
    table = saved.labels("train", UNIFORM)
    unproven = int((~table.proven).sum())
    assert unproven
    with pytest.raises(NotProvenError, match=f"^{unproven} of {len(table)} distances of train are not proven"):
        GraphPairDataset(saved, "train")
    pairs = GraphPairDataset(saved, "train", unproven="bounds")
    assert pairs.y.tolist() == pairs.upper.tolist() == table.upper.tolist()
    assert pairs.lower.tolist() == table.lower.tolist()
    assert pairs.proven.tolist() == table.proven.tolist()
    assert [bool(pair.proven) for pair in pairs] == [bool(pair.lower == pair.upper) for pair in pairs]


def test_a_split_without_pairs(tmp_path):
    saved = datasets.from_graphs([gx.Graph(2, [(0, 1)])], "one").save(tmp_path / "one")
    datasets.label(saved, UNIFORM, workers=1, progress=False)
    empty = GraphPairDataset(saved, next(split for split in datasets.SPLITS if not saved.split(split)))
    assert len(empty) == 0
    assert empty.y.shape == (0,)
    assert empty.pairs.shape == (0, 2)
    assert empty.num_node_features == 1
    assert list(DataLoader(empty)) == list(empty) == []
    with pytest.raises(DatasetError, match="has no graphs"):
        empty.graph(0)


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "graphedx.datasets.pyg")
    for module in ("torch_geometric", "torch_geometric.data"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"torch_geometric is needed .*graphedx\[neural\]"):
        importlib.import_module("graphedx.datasets").GraphPairDataset  # noqa: B018


def test_the_example_learns(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "pyg_pairs.py"))
    first, *epochs = capsys.readouterr().out.splitlines()
    assert first.startswith("GraphPairDataset('atlas', 'train', 496 pairs)")
    assert float(epochs[-1].split()[-1]) < float(epochs[0].split()[-1])
