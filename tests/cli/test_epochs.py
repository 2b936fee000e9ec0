"""What is told of an epoch, and when."""

import sys

from graphedx.cli import epochs
from graphedx.training import Epoch, TrainConfig

CONFIG = TrainConfig(patience=10, max_epochs=100)


def test_the_time_left_is_that_of_the_patience_or_of_the_last_epochs():
    assert epochs.left(Epoch(20, 1.0, 1.0, 1.0, 20, 6.0), CONFIG) == "0:01:00"
    assert epochs.left(Epoch(20, 1.0, 1.0, 1.0, 15, 6.0), CONFIG) == "0:00:30"
    assert epochs.left(Epoch(99, 1.0, 1.0, 1.0, 99, 6.0), CONFIG) == "0:00:06"


def test_plain_lines_come_at_intervals(capsys, monkeypatch):
    now = 100.0
    monkeypatch.setattr(epochs, "perf_counter", lambda: now)
    with epochs.shown(CONFIG) as report:
        for number in range(1, 31):
            report(Epoch(number, 2.0, 1.5, 1.5, number, 1.0))
            now += 1.0
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in said] == ["epoch 1", "epoch 11", "epoch 21"]
    assert "validation 1.5" in said[0]


def test_a_terminal_gets_a_live_view(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    with epochs.shown(CONFIG) as report:
        report(Epoch(3, 2.0, 1.5, 1.25, 2, 1.0))
    said = capsys.readouterr().err
    assert "best 1.25 (epoch 2)" in said
    assert "ends in 0:00:09 without a gain" in said


def test_where_the_number_of_epochs_is_fixed_the_time_left_is_theirs(capsys, monkeypatch):
    fixed = TrainConfig(patience=100, max_epochs=8)
    said = epochs.line(Epoch(3, 2.0, 1.5, 1.25, 2, 6.0), fixed)
    assert said.startswith("epoch 3 of 8: ") and said.endswith("best 1.25 (epoch 2), 0:00:30 left")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    with epochs.shown(fixed) as report:
        report(Epoch(8, 2.0, 1.5, 1.25, 2, 6.0))
    assert "epoch 8 of 8" in capsys.readouterr().err
