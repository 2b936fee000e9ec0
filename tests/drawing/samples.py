"""Edit paths to draw: one for every kind of trouble a picture can meet."""

from collections.abc import Callable, Sequence

from graphedx.costs import UNIT, EditCosts
from graphedx.edits import EditPath, NodeMapping
from graphedx.graph import Graph

HOSTILE = (
    "a<b>&\"'",
    "</script><script>alert(1)</script>",
    "]]>",
    "x\x00y\u202e\ud800",
    "$\\frac{1}{2}$",
    "<!--",
    "日本語",
    "",
)


def path_between(source: Graph, target: Graph, images: Sequence[int], costs: EditCosts = UNIT) -> EditPath:
    return EditPath.from_mapping(NodeMapping(source, target, images), costs)


def ring(n: int) -> list[tuple[int, int]]:
    return [(i, (i + 1) % n) for i in range(n)]


def relabelled_ring() -> EditPath:
    """Benzene to pyridine with a methyl group gone and an oxygen new: every kind of edit but an edge relabelled."""
    source = Graph(
        7, [*ring(6), (0, 6)], node_labels="CCCCCCC", edge_labels=[*["AROMATIC"] * 6, "SINGLE"], name="toluene"
    )
    target = Graph(7, [*ring(6), (3, 6)], node_labels="CCCNCCO", edge_labels=[*["AROMATIC"] * 6, "DOUBLE"])
    return path_between(source, target, [0, 1, 2, 3, 4, 5, -1])


def relabelled_edges() -> EditPath:
    """Directed, with twins: one edge relabelled, one deleted, one inserted."""
    edges = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d")]
    source = Graph("abcd", edges, edge_labels=["calls", "returns", "calls", "calls"], directed=True)
    target = Graph("abcd", [*edges[:3], ("d", "a")], edge_labels=["calls", "yields", "calls", "calls"], directed=True)
    return path_between(source, target, range(4))


def replaced_edge() -> EditPath:
    """Relabelling dearer than replacing: one edge of the source is deleted, the same one inserted in the target."""
    source, target = (Graph(2, [(0, 1)], edge_labels=[label]) for label in "xy")
    return path_between(source, target, [0, 1], EditCosts(edge_sub=5))


def syntax_trees() -> EditPath:
    words = ["Module", "If", "Compare", "Return", "Name", "Name", "Constant"]
    source = Graph(7, [(0, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 6)], node_labels=words, directed=True)
    edges = [(0, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 6), (1, 7), (7, 8)]
    target = Graph(9, edges, node_labels=["Module", "While", *words[2:], "Expr", "Call"], directed=True)
    return path_between(source, target, range(7))


def wide_trees() -> EditPath:
    """A root with many long-named children is too wide to grow downwards."""
    words = ["Module", *(f"Statement{k}" for k in range(14))]
    tree = Graph(15, [(0, k) for k in range(1, 15)], node_labels=words, directed=True)
    return path_between(tree, tree, range(15))


def components() -> EditPath:
    edges = [*ring(5), (5, 6), (6, 7), (7, 8), (14, 15), (14, 16), (14, 17)]
    source = Graph(18, edges)
    target = Graph(21, [*edges[1:], (4, 5), (18, 19)])
    return path_between(source, target, range(18))


def hostile_labels() -> EditPath:
    n = len(HOSTILE)
    source = Graph(HOSTILE, [], node_labels=HOSTILE, name="<b>&")
    edges = [(HOSTILE[u], HOSTILE[v]) for u, v in ring(n)]
    source = Graph(HOSTILE, edges, node_labels=HOSTILE, edge_labels=HOSTILE, name="<b>&")
    target = Graph(n + 1, ring(n), node_labels=[*HOSTILE[1:], *HOSTILE[:2]], edge_labels=HOSTILE[::-1], name="'\"")
    return path_between(source, target, range(n))


def circulant(n: int, skip: int) -> EditPath:
    edges = [*ring(n), *((i, (i + skip) % n) for i in range(0, n, 3))]
    edges = list({(min(e), max(e)): None for e in edges})
    return path_between(Graph(n, edges), Graph(n + 2, [*edges[5:], (n, 3), (n, n + 1)]), [*range(n - 1), -1])


def from_nothing() -> EditPath:
    return path_between(Graph(), Graph(3, [(0, 1)], node_labels="CCO"), [])


def nothing() -> EditPath:
    return path_between(Graph(), Graph(), [])


def to_nothing() -> EditPath:
    return path_between(Graph(1), Graph(), [-1])


SAMPLES: dict[str, Callable[[], EditPath]] = {
    "relabelled_ring": relabelled_ring,
    "relabelled_edges": relabelled_edges,
    "replaced_edge": replaced_edge,
    "syntax_trees": syntax_trees,
    "wide_trees": wide_trees,
    "components": components,
    "hostile_labels": hostile_labels,
    "sixty_nodes": lambda: circulant(60, 11),
    "from_nothing": from_nothing,
    "nothing": nothing,
    "to_nothing": to_nothing,
}
