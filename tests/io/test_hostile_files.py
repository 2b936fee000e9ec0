"""Small files that declare, or unfold to, far more than their bytes account for."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from graphedx import io
from graphedx.convert import from_smiles
from graphedx.convert.rdkit import MAX_RINGS, MAX_SMILES
from graphedx.errors import FormatError, GraphError
from graphedx.io import _load, python_source
from graphedx.io._budget import FREE_NODES, MAX_NODES, NodeBudget

BOMB = '{"n":10000000,"graph":[]}'


def saved(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# -- declared nodes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", BOMB), ("a.json", f"[{','.join([BOMB] * 20)}]"), ("a.jsonl", f"{BOMB}\n" * 20)],
)
def test_a_few_bytes_cannot_declare_millions_of_nodes(tmp_path: Path, name: str, content: str) -> None:
    path = saved(tmp_path, name, content)
    tracemalloc.start()
    with pytest.raises(FormatError, match="declares 10,000,000 nodes, more than the limit of 10,"):
        io.read_all(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_the_budget_is_one_for_all_graphs_of_a_file(tmp_path: Path, name: str) -> None:
    half = f'{{"n":{FREE_NODES // 2 + 100},"graph":[]}}'
    assert len(io.read_all(saved(tmp_path, name, half))) == 1
    lines = [half] * 3
    with pytest.raises(FormatError, match="more than the limit"):
        io.read_all(saved(tmp_path, name, f"[{','.join(lines)}]" if name == "a.json" else "\n".join(lines)))


def test_bytes_account_for_nodes(tmp_path: Path) -> None:
    nodes = 3 * FREE_NODES
    edges = [[i, i + 1] for i in range(nodes - 1)]
    assert len(io.read(saved(tmp_path, "path.json", json.dumps({"n": nodes, "graph": edges})))) == nodes
    assert NodeBudget(10**12).limit == MAX_NODES


# -- packed files ----------------------------------------------------------------------------------------------------


def test_a_packed_file_cannot_unfold_without_end(tmp_path: Path) -> None:
    packed = gzip.compress(b"[" + b" " * (_load.MAX_RATIO * _load._SMALL) + b"]")
    with pytest.raises(FormatError, match=r"unpacks to more than the limit of 12\.5 MB for a packed file of"):
        io.read_all(saved(tmp_path, "a.json.gz", packed))
    assert io.read_all(saved(tmp_path, "b.json.gz", gzip.compress(b"[" + b" " * 10**6 + b"]"))) == []


# -- hashes and defaults ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.gml"])
def test_many_colliding_numbers_are_refused(tmp_path: Path, name: str) -> None:
    ids = [k * (2**61 - 1) for k in range(500, 500 + 2 * _load.MAX_LONG_NUMBERS)]
    nodes = " ".join(f"node [ id {number} ]" for number in ids)
    content = f"graph [ {nodes} ]" if name == "a.gml" else json.dumps({"nodes": [{"id": number} for number in ids]})
    with pytest.raises(FormatError, match="whole numbers of more than 20 digits; write them as text"):
        io.read_all(saved(tmp_path, name, content))
    as_text = json.dumps({"nodes": [{"id": str(number), "x": number / 10**30} for number in ids]})
    assert len(io.read(saved(tmp_path, "text.json", as_text))) == len(ids)


@pytest.mark.parametrize("name", ["a.graphml", "a.gexf"])
def test_defaults_are_not_multiplied_by_nodes(tmp_path: Path, name: str) -> None:
    count = 500
    if name == "a.graphml":
        keys = "".join(f'<key id="k{i}" for="node" attr.name="n{i}"><default>{i}</default></key>' for i in range(count))
        nodes = "".join(f'<node id="{i}"><data key="k1">own</data></node>' for i in range(count))
        content = f"<graphml>{keys}<graph>{nodes}</graph></graphml>"
    else:
        keys = "".join(
            f'<attribute id="k{i}" title="n{i}" type="string"><default>{i}</default></attribute>' for i in range(count)
        )
        value = '<attvalues><attvalue for="k1" value="own"/></attvalues>'
        nodes = "".join(f'<node id="{i}">{value}</node>' for i in range(count))
        content = f'<gexf><graph><attributes class="node">{keys}</attributes><nodes>{nodes}</nodes></graph></gexf>'
    path = saved(tmp_path, name, content)
    io.read(path)
    tracemalloc.start()
    graph = io.read(path, node_label=("n1", "n7"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.node_labels == (("own", "7"),) * count
    assert peak < 5 * 2**20  # 500 dictionaries of 500 entries have 9 MB


# -- Python source ---------------------------------------------------------------------------------------------------


def test_functions_in_functions_share_one_budget(tmp_path: Path) -> None:
    source = "".join(" " * i + "def f():\n" for i in range(90)) + " " * 90 + "a;" * 2_000 + "\n"
    with pytest.raises(FormatError, match=r"declares [\d,]+ nodes, more than the limit"):
        io.read_all(saved(tmp_path, "a.py", source))


def test_source_has_a_limit(tmp_path: Path) -> None:
    source = "def f(): pass\n" + "#" * python_source.MAX_SOURCE
    with pytest.raises(FormatError, match=r"has 1,048,590 bytes of Python source, more than the limit of 1,048,576"):
        io.read_all(saved(tmp_path, "a.py", source))


@pytest.mark.parametrize(("prefix", "mark"), [("f", '"'), ("F", "'"), ("rf", '"""'), ("fR", "'''")])
def test_f_strings_have_a_limit(tmp_path: Path, prefix: str, mark: str) -> None:
    text = "{a}" * (python_source.MAX_F_STRING // 3 + 1)
    source = f"def f():\n  return {prefix}{mark}{text}{mark}\n"
    with pytest.raises(FormatError, match="line 2: has an f-string of more than the limit of 50,000 bytes"):
        io.read_all(saved(tmp_path, "a.py", source))
    fine = f"def f():\n  return {mark}{text}{mark}, {prefix}{mark}{{a}}{mark}\n" + "# comment\n" * 10_000
    assert len(io.read_all(saved(tmp_path, "fine.py", fine))) == 1


def test_long_names_are_shortened(tmp_path: Path) -> None:
    source = f"class {'A' * 5_000}:\n" + " def f(self): pass\n" * 10
    graphs = io.read_all(saved(tmp_path, "a.py", source))
    assert [len(graph.name) for graph in graphs] == [102] * 10


@pytest.mark.parametrize(
    "body", ["-" * 10_000 + "1", "a" + ".a" * 10_000, "a" + "+a" * 10_000, "(" * 500, "not " * 9_000]
)
def test_deeply_nested_source_is_a_format_error(tmp_path: Path, body: str) -> None:
    with pytest.raises(FormatError, match=r"nested too deeply|too many nested parentheses"):
        io.read_all(saved(tmp_path, "a.py", f"def f():\n return {body}\n"))


# -- SMILES ----------------------------------------------------------------------------------------------------------


def test_smiles_have_limits() -> None:
    pytest.importorskip("rdkit")
    assert len(from_smiles("C" * 1_000)) == 1_000
    with pytest.raises(GraphError, match="has 10,001 characters, more than the limit of 10,000 for SMILES"):
        from_smiles("C" * (MAX_SMILES + 1))
    with pytest.raises(GraphError, match="closes 501 rings, more than the limit of 500 for SMILES"):
        from_smiles("C1CC1" * (MAX_RINGS + 1))
    with pytest.raises(GraphError, match="closes 600 rings"):
        from_smiles("".join(f"C%({i})" for i in range(600)) * 2)
    assert len(from_smiles("[13CH3][2H]." * 600 + "C")) == 1_201  # digits inside brackets close no rings


@pytest.mark.parametrize(
    ("smiles", "reason"),
    [
        ("C1CC", "unclosed ring"),
        ("CCX", "syntax error around position 3"),
        ("C)C", "extra close parentheses around position 2"),
        ("C(C)(C)(C)(C)C", "Explicit valence for atom # 0 C, 5, is greater than permitted; strict=False"),
        ("c1cccc1", "Can't kekulize mol"),
    ],
)
def test_the_reason_of_rdkit_is_in_the_error(
    smiles: str, reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    base = pytest.importorskip("rdkit.rdBase")
    if not hasattr(base, "CaptureErrorLog") and "valence" not in reason and "kekulize" not in reason:
        pytest.skip("this RDKit does not give its reason")
    with pytest.raises(FormatError, match=r"line 2: .* is not valid SMILES: ") as caught:
        io.read_all(saved(tmp_path, "a.smi", f"CCO\n{smiles} name\n"))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_without_a_log_the_reason_comes_from_the_chemistry_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    base = pytest.importorskip("rdkit.rdBase")
    monkeypatch.delattr(base, "CaptureErrorLog", raising=False)
    with pytest.raises(GraphError, match="is not valid SMILES: Explicit valence for atom # 0 C, 5"):
        from_smiles("C(C)(C)(C)(C)C")
    with pytest.raises(GraphError, match="is not valid SMILES: RDKit cannot parse it"):
        from_smiles("C1CC")
