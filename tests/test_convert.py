"""Other libraries' graphs become ours, and ours become theirs, without losing anything silently."""

from __future__ import annotations

import builtins
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphedx.convert import (
    as_graph,
    from_edges,
    from_networkx,
    from_pyg,
    from_rdkit,
    from_smiles,
    to_networkx,
    to_pyg,
    to_rdkit,
    to_smiles,
)
from graphedx.errors import GraphError, MissingExtraError
from graphedx.graph import Graph

ANY_LABELS = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.tuples(st.integers(), st.text())


@st.composite
def graphs(draw: st.DrawFn, nodes: Any = None, node_labels: Any = ANY_LABELS, edge_labels: Any = ANY_LABELS) -> Graph:
    names = draw(nodes if nodes is not None else st.integers(0, 6).map(range).map(list))
    directed = draw(st.booleans())
    pairs = [(u, v) for i, u in enumerate(names) for j, v in enumerate(names) if (i != j if directed else i < j)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(
        names,
        edges,
        node_labels=[draw(node_labels) for _ in names],
        edge_labels=[draw(edge_labels) for _ in edges],
        directed=directed,
        name=draw(st.text(max_size=3)),
    )


NAMES = st.lists(st.integers() | st.text(max_size=3) | st.tuples(st.integers()), max_size=6, unique=True)


# -- edge lists ------------------------------------------------------------------------------------------------------


def test_nodes_of_an_edge_list_come_in_order_of_appearance() -> None:
    assert from_edges([("b", "a"), ("a", "c")]).nodes == ("b", "a", "c")


def test_given_nodes_come_first_and_may_be_isolated() -> None:
    graph = from_edges([(2, 0)], nodes=3, node_labels={0: "C"}, edge_labels=["x"], name="g", directed=True)
    assert graph.nodes == (0, 1, 2)
    assert graph.node_labels == ("C", None, None)
    assert (graph.edge_labels, graph.name, graph.directed) == (("x",), "g", True)


@pytest.mark.parametrize("edges", [[(1,)], [1], [([], 2)], [(1, 2, 3)]])
def test_what_is_no_pair_of_names_is_a_graph_error(edges: Any) -> None:
    with pytest.raises(GraphError):
        from_edges(edges)


@pytest.mark.parametrize("edges", [5, None])
def test_what_is_no_edge_list_is_a_graph_error(edges: Any) -> None:
    with pytest.raises(GraphError, match="edges must be pairs of node names, got"):
        from_edges(edges)


def test_no_node_of_an_edge_list_is_named_none() -> None:
    with pytest.raises(GraphError, match="a node is named None"):
        from_edges([(0, None)])


def test_self_loops_and_parallel_edges_are_refused_by_name() -> None:
    with pytest.raises(GraphError, match="self-loop at node 'a'"):
        from_edges([("a", "a")])
    with pytest.raises(GraphError, match=r"edge \('b', 'a'\) is there twice"):
        from_edges([("a", "b"), ("b", "a")])


# -- networkx --------------------------------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True)
@given(graphs(nodes=NAMES))
def test_networkx_round_trip(graph: Graph) -> None:
    back = from_networkx(to_networkx(graph))
    assert back == graph
    assert (back.nodes, back.name) == (graph.nodes, graph.name)


@settings(deadline=None, derandomize=True)
@given(graphs(nodes=NAMES, node_labels=st.tuples(st.none() | st.integers(), st.integers())))
def test_networkx_round_trip_over_several_attributes(graph: Graph) -> None:
    theirs = to_networkx(graph, node_label=("a", "b"), edge_label=None)
    assert from_networkx(theirs, node_label=("a", "b")).node_labels == graph.node_labels
    assert all(not data for _, _, data in theirs.edges(data=True))


def molecule() -> Any:
    graph = nx.Graph(name="water")
    graph.add_node("O", label="O", charge=0)
    graph.add_node("H", label="H")
    graph.add_edge("O", "H", label=1, weight=0.5)
    return graph


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("label", ("O", "H")),
        ("charge", (0, None)),
        (("label", "charge"), (("O", 0), ("H", None))),
        (lambda data: len(data), (2, 1)),
        (None, (None, None)),
    ],
)
def test_node_labels_by_name_names_callable_or_not_at_all(rule: Any, labels: tuple[Any, ...]) -> None:
    assert from_networkx(molecule(), node_label=rule).node_labels == labels


def test_edge_labels_follow_their_own_rule() -> None:
    assert from_networkx(molecule(), edge_label="weight").edge_labels == (0.5,)
    assert from_networkx(molecule()).edge_labels == (1,)


def test_the_name_is_kept_unless_another_is_given() -> None:
    assert from_networkx(molecule()).name == "water"
    assert from_networkx(molecule(), name="w").name == "w"


@pytest.mark.parametrize("rule", [3, [], [1], b"label"])
def test_a_rule_that_is_none_of_these_is_refused(rule: Any) -> None:
    with pytest.raises(GraphError, match=r"edge_label must be an attribute name.*got"):
        from_networkx(molecule(), edge_label=rule)


def test_unhashable_attributes_are_named() -> None:
    graph = nx.Graph()
    graph.add_node("a", label=[1, 2])
    with pytest.raises(GraphError, match=r"node 'a', \[1, 2\] is not hashable"):
        from_networkx(graph)


def test_multigraphs_are_fine_until_edges_are_parallel() -> None:
    graph = nx.MultiGraph([("a", "b")])
    assert from_networkx(graph).edges == (("a", "b"),)
    graph.add_edge("a", "b")
    with pytest.raises(GraphError, match=r"edge \('a', 'b'\) is there twice"):
        from_networkx(graph)


def test_a_self_loop_is_named() -> None:
    with pytest.raises(GraphError, match="self-loop at node 7"):
        from_networkx(nx.Graph([(7, 7)]))


def test_labels_that_do_not_fit_the_attribute_names_are_refused() -> None:
    with pytest.raises(GraphError, match="tuples of as many"):
        to_networkx(Graph(1, node_labels=["C"]), node_label=("a", "b"))


def test_only_networkx_graphs_are_taken() -> None:
    with pytest.raises(GraphError, match="got list"):
        from_networkx([(1, 2)])  # type: ignore[arg-type]


# -- torch_geometric -------------------------------------------------------------------------------------------------

torch = pytest.importorskip("torch")
Data = pytest.importorskip("torch_geometric.data").Data

FLOATS = st.floats(allow_nan=False)
SMALL = st.integers(-(2**63), 2**63 - 1)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    st.one_of(
        graphs(node_labels=SMALL, edge_labels=FLOATS),
        graphs(node_labels=st.tuples(FLOATS, FLOATS), edge_labels=st.none()),
    )
)
def test_pyg_round_trip(graph: Graph) -> None:
    assert from_pyg(to_pyg(graph), directed=graph.directed) == graph


def path_data(**columns: Any) -> Any:
    return Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3, **columns)


def test_both_directions_are_one_edge() -> None:
    graph = from_pyg(path_data(edge_attr=torch.tensor([[1], [1], [2], [2]])))
    assert graph.edges == ((0, 1), (1, 2))
    assert graph.edge_labels == (1, 2)
    assert from_pyg(path_data(), directed=True).num_edges == 4


def test_directions_that_disagree_are_refused() -> None:
    with pytest.raises(GraphError, match=r"edge \(1, 2\) is labelled 2 but the way back is labelled 3"):
        from_pyg(path_data(edge_attr=torch.tensor([1, 1, 2, 3])))


def test_rows_become_numbers_or_tuples() -> None:
    assert from_pyg(path_data(x=torch.tensor([6, 7, 8]))).node_labels == (6, 7, 8)
    assert from_pyg(path_data(x=torch.tensor([[6], [7], [8]]))).node_labels == (6, 7, 8)
    one_hot = from_pyg(path_data(x=torch.tensor([[1.0, 0], [0, 1], [1, 0]]))).node_labels
    assert one_hot == ((1, 0), (0, 1), (1, 0))
    assert from_pyg(path_data()).node_labels == (None, None, None)


def test_pyg_labels_by_rule() -> None:
    data = path_data(x=torch.tensor([6, 7, 8]), z=torch.tensor([True, False, True]))
    assert from_pyg(data, node_label=("x", "z")).node_labels == ((6, True), (7, False), (8, True))
    assert from_pyg(data, node_label=lambda row: row["x"] * 10).node_labels == (60, 70, 80)
    assert from_pyg(data, node_label=None).node_labels == (None, None, None)


def test_pyg_mistakes_are_graph_errors() -> None:
    with pytest.raises(GraphError, match="2 rows for 3 nodes"):
        from_pyg(path_data(x=torch.tensor([1, 2])))
    with pytest.raises(GraphError, match="self-loop at node 0"):
        from_pyg(Data(edge_index=torch.tensor([[0], [0]]), num_nodes=1))
    with pytest.raises(GraphError, match="there twice"):
        from_pyg(Data(edge_index=torch.tensor([[0, 0], [1, 1]]), num_nodes=2))
    with pytest.raises(GraphError, match="not a node"):
        from_pyg(Data(edge_index=torch.tensor([[0], [5]]), num_nodes=2))
    with pytest.raises(GraphError, match="shape"):
        from_pyg(Data(edge_index=torch.tensor([0, 1]), num_nodes=2))
    with pytest.raises(GraphError, match="shape"):
        from_pyg(Data(edge_index=torch.tensor(0), num_nodes=2))
    with pytest.raises(GraphError, match="whole numbers"):
        from_pyg(Data(edge_index=torch.tensor([[0.0], [1.0]]), num_nodes=2))
    with pytest.raises(GraphError, match=r"a tensor: .*got list"):
        from_pyg(Data(edge_index=[[0], [1]], num_nodes=2))
    with pytest.raises(GraphError, match=r"a tensor: .*got ndarray"):
        from_pyg(Data(edge_index=np.array([[0], [1]]), num_nodes=2))
    with pytest.raises(GraphError, match="got dict"):
        from_pyg({})


def test_a_batch_is_not_one_graph() -> None:
    from torch_geometric.data import Batch

    with pytest.raises(GraphError, match="to_data_list"):
        as_graph(Batch.from_data_list([path_data(), path_data()]))


def test_a_graph_of_several_types_is_refused_and_left_as_it_is() -> None:
    from torch_geometric.data import HeteroData

    data = HeteroData()
    data["user"].x, data["book"].x = torch.zeros(2, 1), torch.zeros(2, 1)
    data["user", "reads", "book"].edge_index = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(GraphError, match="to_homogeneous"):
        as_graph(data)
    assert data.node_types == ["user", "book"]
    assert as_graph(data.to_homogeneous()).num_edges == 2


def test_text_labels_need_a_vocabulary_to_become_tensors() -> None:
    graph = Graph(2, [(0, 1)], node_labels=["C", "O"])
    with pytest.raises(GraphError, match="node_vocabulary"):
        to_pyg(graph)
    assert to_pyg(graph, node_vocabulary=["H", "C", "O"]).x.tolist() == [[1], [2]]
    with pytest.raises(GraphError, match="lacks the label 'O'"):
        to_pyg(graph, node_vocabulary=["C"])
    for nonsense in ([["C"], ["O"]], 5):
        with pytest.raises(GraphError, match="node_vocabulary must be a list of labels"):
            to_pyg(graph, node_vocabulary=nonsense)


@pytest.mark.parametrize("label", [2**63 + 1, 10**400])
def test_whole_numbers_too_large_for_a_tensor_are_refused(label: int) -> None:
    with pytest.raises(GraphError, match="too large"):
        to_pyg(Graph(1, node_labels=[label]))


# -- RDKit and SMILES ------------------------------------------------------------------------------------------------

Chem = pytest.importorskip("rdkit.Chem")


def test_atoms_and_bonds_become_labels() -> None:
    graph = from_smiles("Oc1ccccc1")
    assert sorted(map(str, graph.node_labels)) == ["C"] * 6 + ["O"]
    assert sorted(map(str, graph.edge_labels)) == ["AROMATIC"] * 6 + ["SINGLE"]
    assert graph.name == "Oc1ccccc1"


def test_hydrogens_are_nodes_only_when_asked_for() -> None:
    assert len(from_smiles("CO")) == 2
    assert len(from_smiles("CO", hydrogens=True)) == 6
    assert from_rdkit(Chem.AddHs(Chem.MolFromSmiles("C"))).node_labels == ("C", "H", "H", "H", "H")


def test_atom_labels_by_rule() -> None:
    mol = Chem.MolFromSmiles("C[NH3+]")
    assert from_rdkit(mol, node_label=("symbol", "charge")).node_labels == (("C", 0), ("N", 1))
    assert from_rdkit(mol, node_label=lambda atom: atom.GetAtomicNum(), edge_label=None).node_labels == (6, 7)
    with pytest.raises(GraphError, match=r"node_label must be among symbol, .* got 'weight'"):
        from_rdkit(mol, node_label="weight")


@pytest.mark.parametrize("smiles", ["CCO", "c1ccccc1", "C#N", "CC(=O)Oc1ccccc1", "Cl.CC", "[H][H]", "*C"])
def test_smiles_round_trip(smiles: str) -> None:
    graph = from_smiles(smiles)
    assert from_rdkit(to_rdkit(graph)) == graph
    back = from_smiles(to_smiles(graph))
    assert nx.vf2pp_is_isomorphic(to_networkx(back), to_networkx(graph), node_label="label")


def test_hydrogen_nodes_survive_a_smiles_round_trip() -> None:
    graph = from_smiles("CO", hydrogens=True)
    assert len(from_smiles(to_smiles(graph), hydrogens=True)) == len(graph)


@pytest.mark.parametrize("text", ["C1CC", "XYZ", "CN(C)(C)(C)C", "", "  ", "C\x00", "CC O", "C\u00e9"])
def test_bad_smiles_are_graph_errors_and_nothing_is_printed(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GraphError, match="SMILES"):
        from_smiles(text)
    assert capfd.readouterr().err == ""


def test_impossible_valences_are_taken_when_not_strict() -> None:
    assert len(from_smiles("CN(C)(C)(C)C", strict=False)) == 6
    assert from_smiles("C1=CC=CC=C1", strict=False) == from_smiles("C1=CC=CC=C1")


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph(1, node_labels=["Xx"]), "node 0 is labelled 'Xx'"),
        (Graph(1), "node 0 is labelled None"),
        (Graph(2, [(0, 1)], node_labels="CC"), r"edge \(0, 1\) is labelled None"),
        (Graph(2, [(0, 1)], node_labels="CC", edge_labels=["SINGLE"], directed=True), "directed"),
    ],
)
def test_graphs_that_are_no_molecules_are_refused(graph: Graph, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        to_rdkit(graph)


def test_smiles_that_would_say_something_else_are_refused() -> None:
    ring = Graph(6, [(i, (i + 1) % 6) for i in range(6)], node_labels="C" * 6, edge_labels=["SINGLE", "DOUBLE"] * 3)
    with pytest.raises(GraphError, match="other atoms or bonds"):
        to_smiles(ring)
    with pytest.raises(GraphError, match="no molecule"):
        to_smiles(from_smiles("C[N+](=O)[O-]"))


def test_a_molecule_rdkit_could_not_parse_is_explained() -> None:
    with pytest.raises(GraphError, match="RDKit gives None"):
        from_rdkit(None)


# -- the one door ----------------------------------------------------------------------------------------------------


def test_a_graph_is_returned_as_it_is() -> None:
    graph = Graph(2)
    assert as_graph(graph) is graph


def test_every_library_comes_through_the_one_door() -> None:
    class Mine(nx.DiGraph):  # type: ignore[misc]
        """Subclasses are recognised by what they inherit."""

    assert as_graph(molecule()) == from_networkx(molecule())
    assert as_graph(Mine([(1, 2)])).directed
    assert as_graph(path_data()).num_edges == 2
    assert as_graph(Chem.MolFromSmiles("CC")).edge_labels == ("SINGLE",)


@pytest.mark.parametrize("thing", [None, 3, "a.gml", Path("a.gml"), [(0, 1)], {}])
def test_anything_else_is_told_what_would_do(thing: Any) -> None:
    with pytest.raises(GraphError, match=rf"networkx Graph .*RDKit Mol, got {type(thing).__name__}"):
        as_graph(thing)


def test_a_path_is_told_how_to_read_files() -> None:
    with pytest.raises(GraphError, match=r"graphedx\.read"):
        as_graph("a.gml")


def test_importing_convert_loads_no_heavy_library() -> None:
    code = (
        "import sys, graphedx.convert as c, graphedx.io; c.is_graph(3);"
        "print(sorted({'networkx', 'torch', 'torch_geometric', 'rdkit'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("library", "call", "extra"),
    [
        ("rdkit", lambda: from_smiles("C"), "chem"),
        ("rdkit", lambda: to_rdkit(Graph()), "chem"),
        ("torch", lambda: to_pyg(Graph()), "neural"),
    ],
)
def test_a_missing_library_names_its_extra(
    library: str, call: Any, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **keywords: Any) -> Any:
        if name.split(".")[0] == library:
            raise ImportError(name)
        return real(name, *rest, **keywords)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=rf"graphedx\[{extra}\]"):
        call()
