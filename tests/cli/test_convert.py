"""``graphedx convert`` and ``graphedx methods``."""

import json

import graphedx as gx


def test_graphs_come_through(run):
    result = run("convert", "many.jsonl", "many.graphml")
    assert result.exit_code == 0 and result.stdout == "5 graphs written to many.graphml\n"
    before, after = gx.read_all("many.jsonl"), gx.read_all("many.graphml")
    assert all(gx.ged(a, b).distance == 0 for a, b in zip(before, after, strict=True))


def test_formats_can_be_named(run, tmp_path):
    (tmp_path / "functions.txt").write_bytes((tmp_path / "code.py").read_bytes())
    assert run("convert", "functions.txt", "trees.txt", "--format-in", "python", "--format-out", "jsonl").exit_code == 0
    assert gx.read_all("trees.txt", format="jsonl") == gx.read_all("code.py")


def test_a_folder(run, tmp_path):
    assert run("convert", "many.jsonl", "SET", "--unlabelled", "--format-out", "tu").exit_code == 0
    before, after = gx.read_all("many.jsonl"), gx.read_all("SET")
    assert [(len(g), g.num_edges) for g in before] == [(len(g), g.num_edges) for g in after]


def test_one_of_many(run):
    assert run("convert", "code.py::two", "two.gml").exit_code == 0
    assert gx.read("two.gml").num_nodes == gx.read_all("code.py")[1].num_nodes


def test_an_existing_file_is_kept(run, tmp_path):
    before = (tmp_path / "star.json").read_bytes()
    result = run("convert", "path.json", "star.json")
    assert result.exit_code == 1 and "--overwrite" in result.stderr
    assert (tmp_path / "star.json").read_bytes() == before
    assert run("convert", "path.json", "star.json", "--overwrite").exit_code == 0
    assert gx.read("star.json") == gx.read("path.json")


def test_formats_that_cannot_be(run):
    for arguments, word in [
        (("path.json", "path.xyz"), "--format-out"),
        (("path.json", "path.py"), "not written"),
        (("many.jsonl", "many.gml"), "holds one graph"),
        (("path.json", "p.gml", "--format-in", "nonsense"), "no format 'nonsense'"),
    ]:
        result = run("convert", *arguments)
        assert result.exit_code == 1 and word in result.stderr and result.stderr.count("\n") == 1


def test_methods_are_listed_with_what_they_prove(run):
    listed = json.loads(run("methods", "--json").stdout)
    assert {name: each["guarantee"] for name, each in listed.items()} == gx.methods()
    words = run("methods").stdout
    assert all(name in words for name in gx.methods())
