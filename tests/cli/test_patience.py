"""What the commands say when ``auto`` gave up by itself: that takes a minute, so here it is only made to look so."""

import json
from dataclasses import replace

import pytest

import graphedx as gx
from graphedx.cli import distance, path

COMMANDS = {"distance": distance, "path": path}


@pytest.fixture(params=COMMANDS)
def impatient(request, monkeypatch):
    def ged(*arguments, **keywords):
        return replace(gx.ged(*arguments, **keywords), lower=1.0, stopped_by=gx.StopReason.PATIENCE)

    monkeypatch.setattr(COMMANDS[request.param], "ged", ged)
    return request.param


def test_people_are_told_what_to_do(run, impatient):
    result = run(impatient, "path.json", "star.json")
    assert result.exit_code == 3
    advice = "not proven in a minute: set --time-limit for more, or --method exact to wait for ever"
    assert f"between 1 and 2; {advice}" in result.stdout


def test_machines_are_told_the_reason(run, impatient):
    result = run(impatient, "path.json", "star.json", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 3
    assert (data["distance"], data["proven"], data["stopped_by"]) == (None, False, "patience")
