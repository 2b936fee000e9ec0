"""Layouts: nothing overlaps, matched nodes stay in place, rings are round, and trees grow."""

import numpy as np
import pytest

from drawing.samples import SAMPLES, circulant, path_between, relabelled_ring, ring, syntax_trees, wide_trees
from graphedx.drawing.layout import layout_graph, layout_pair
from graphedx.drawing.scene import edit_path_panels, lay_out
from graphedx.drawing.trees import as_forest
from graphedx.edits import EditPath
from graphedx.graph import Graph


def circles(n):
    return np.full((n, 2), 16.0)


def gaps(places, extents):
    """For each pair of nodes, how far their boxes are apart (negative where they overlap); circles by distance."""
    result = []
    for i in range(len(places)):
        for j in range(i):
            delta, room = np.abs(places[i] - places[j]), extents[i] + extents[j]
            is_round = (extents[i] == extents[i][0]).all() and (extents[j] == extents[j][0]).all()
            result.append(np.hypot(*delta) - room[0] if is_round else (delta - room).max())
    return result


def laid_panels(path):
    return edit_path_panels(path, lay_out(path))


def test_no_two_nodes_overlap(panels):
    for panel in panels:
        assert all(gap > 0 for gap in gaps(panel.places, panel.extents))


def test_inserted_nodes_are_clear_of_the_source(path, laid_out):
    extents, layout = laid_out.room, laid_out.places
    inserted = [path.target.position[node] for node in path.mapping.insertions]
    together = np.vstack([layout.source, layout.inserted])
    assert all(gap > 0 for gap in gaps(together, np.vstack([extents[0], extents[1][inserted]])))


def test_layout_is_deterministic(path, panels):
    for a, b in zip(laid_panels(path), panels, strict=True):
        assert (a.places == b.places).all()


def agreement(path):
    """How far the places of the target's matched nodes vary as the source's do: 1 if they are the same."""
    source, target = laid_panels(path)
    pairs = [(i, j) for i, j in enumerate(path.mapping.images) if j >= 0]
    before = np.array([source.places[i] for i, _ in pairs])
    after = np.array([target.places[j] for _, j in pairs])
    before, after = before - before.mean(axis=0), after - after.mean(axis=0)
    return (before * after).sum() / np.sqrt((before**2).sum() * (after**2).sum())


@pytest.mark.parametrize("name", ["relabelled_ring", "components", "sixty_nodes", "syntax_trees"])
def test_matched_nodes_keep_their_relative_places(name):
    assert agreement(SAMPLES[name]()) > 0.9


def test_a_ring_that_loses_an_edge_stays_a_ring():
    """Alone, the target would be drawn as a straight chain."""
    assert agreement(path_between(Graph(8, ring(8)), Graph(8, ring(8)[1:]), range(8))) > 0.9


def test_renumbering_the_target_changes_no_place():
    n = 12
    source = Graph(n, [*ring(n), (0, 6)])
    turned = [(i + 5) % n for i in range(n)]
    target = Graph(n, [(turned[u], turned[v]) for u, v in source.edge_index])
    layout = layout_pair(path_between(source, target, turned).mapping, circles(n), circles(n))
    assert np.abs(layout.source - layout.target[turned]).max() < 12


def test_equal_graphs_look_equal():
    path = path_between(Graph(6, ring(6)), Graph(6, ring(6)), range(6))
    source, target = laid_panels(path)
    assert np.abs(source.places - target.places).max() < 1.0


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
def test_small_rings_are_regular_polygons(n):
    places = layout_graph(Graph(n, ring(n)), circles(n), 58.0)
    from_middle = np.linalg.norm(places - places.mean(axis=0), axis=1)
    assert np.ptp(from_middle) < 0.02 * from_middle.mean()


def test_fused_rings_have_equal_bonds():
    """Naphthalene."""
    edges = [*ring(10), (0, 5)]
    places = layout_graph(Graph(10, edges), circles(10), 58.0)
    lengths = [np.hypot(*(places[u] - places[v])) for u, v in edges]
    assert max(lengths) < 1.12 * min(lengths)


def test_a_ring_in_a_chain_is_not_folded():
    """From one start alone, the ring of this molecule ends up twisted."""
    edges = [
        (0, 1),
        (1, 2),
        (1, 3),
        (3, 4),
        (4, 5),
        (5, 6),
        (6, 7),
        (7, 8),
        (8, 9),
        (9, 4),
        (7, 10),
        (10, 11),
        (10, 12),
    ]
    places = layout_graph(Graph(13, edges), circles(13), 58.0)
    six = places[4:10]
    x, y = six[:, 0], six[:, 1]
    area = 0.5 * abs((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    assert area == pytest.approx(58.0**2 * 3 * 3**0.5 / 2, rel=0.2)


def test_trees_grow_downwards():
    path = syntax_trees()
    for panel in laid_panels(path):
        assert all(panel.places[u, 1] < panel.places[v, 1] for u, v in panel.graph.edge_index)
        for u in range(len(panel.graph)):
            below = [panel.places[v, 0] for a, v in panel.graph.edge_index if a == u]
            if below:
                assert panel.places[u, 0] == pytest.approx((min(below) + max(below)) / 2)


def test_wide_trees_grow_rightwards():
    source, _ = laid_panels(wide_trees())
    assert all(source.places[u, 0] < source.places[v, 0] for u, v in source.graph.edge_index)


def test_which_graphs_are_trees_with_a_root():
    words = ["Module", "Assign", "Name"]
    assert as_forest(Graph(3, [(0, 1), (0, 2)], directed=True))
    assert as_forest(Graph(3, [(0, 1), (1, 2)], node_labels=words))
    assert not as_forest(Graph(3, [(0, 1), (1, 2)], node_labels="CCO"))  # a chain of atoms
    assert not as_forest(Graph(3, [(0, 2), (1, 2)], directed=True))  # two parents
    assert not as_forest(Graph(3, ring(3), directed=True))  # no root
    assert not as_forest(Graph(3, ring(3), node_labels=words))


def test_deep_trees_do_not_exhaust_the_stack():
    chain = Graph(3000, [(k, k + 1) for k in range(2999)], directed=True)
    forest = as_forest(chain)
    assert forest is not None and max(forest.depths()) == 2999


def test_long_axis_lies_across_the_page():
    places = layout_graph(Graph(8, [(k, k + 1) for k in range(7)]), circles(8), 58.0)
    width, height = np.ptp(places, axis=0)
    assert width > 4 * height


def test_components_do_not_cross():
    """No node lies on an edge it has no part in, in either graph."""
    for panel in laid_panels(SAMPLES["components"]()):
        for u, v in panel.graph.edge_index:
            for k in set(range(len(panel.graph))) - {u, v}:
                along = np.linspace(panel.places[u], panel.places[v], 20)
                assert np.linalg.norm(along - panel.places[k], axis=1).min() > 16


def test_two_hundred_nodes_are_laid_out_without_overlap():
    path: EditPath = circulant(200, 17)
    layout = layout_pair(path.mapping, circles(200), circles(202))
    assert min(gaps(layout.source, circles(200))) > 0
    assert min(gaps(layout.target, circles(202))) > 0


def test_sample_covers_every_kind_of_edit():
    assert {type(edit).__name__ for edit in relabelled_ring()} >= {"InsertNode", "SubstituteNode", "DeleteNode"}
