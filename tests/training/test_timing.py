"""Times of models, of which only the order is certain."""

import pytest
import torch

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.training.timing import model_times

PATHS = [Graph(size, [(node, node + 1) for node in range(size - 1)]) for size in range(1, 9)]


def test_what_is_measured():
    threads = torch.get_num_threads()
    times = model_times(["greed", "graphsim"], PATHS, 8, rounds=1)
    assert list(times) == ["greed", "graphsim"]
    assert all(one.pairs == 8 * 9 // 2 and one.parameters > 1000 for one in times.values())
    assert 0 < times["greed"].guess < times["graphsim"].guess
    assert 0 < times["greed"].step < times["graphsim"].step
    assert torch.get_num_threads() == threads


def test_graphs_that_are_too_large():
    with pytest.raises(ModelError, match="at most 7 nodes"):
        model_times(["graphedx"], PATHS, 7)
