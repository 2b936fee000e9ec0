"""A small table with all that can become of a cell, and pages taken apart."""

from html.parser import HTMLParser

from experiments.samples import row_of
from graphedx.experiments import Cell, Experiment, Reported, Rows, Train

NEVER_CLOSED = {"meta", "br"}
DATASETS = ("linux", "code2")
METHODS = {"GMN-Match": "gmn_match", "GREED": "greed", "ERIC": "eric", "GraphEdX": "graphedx"}


def cell(method: str, dataset: str, costs: str = "uniform", seeds: int = 2, **changes) -> Cell:
    about = {
        "panel": costs,
        "row": method,
        "column": dataset,
        "seeds": tuple((Train(dataset, costs, METHODS.get(method, "graphedx"), (), seed),) for seed in range(seeds)),
        "paper": Reported("baselines", method, costs, dataset, "mse"),
    }
    return Cell(**(about | changes))


def baselines(*more: Cell, costs: tuple[str, ...] = ("uniform",), **changes) -> Experiment:
    cells = [cell(method, dataset, prices) for prices in costs for dataset in DATASETS for method in METHODS]
    about = {"name": "baselines", "title": "Models", "about": "GraphEdX is best.", "cells": (*cells, *more)}
    return Experiment(**(about | changes))


def trained(job: Train, mse: float, **more):
    outcome = {"mse": mse, "mse_stderr": mse / 100, "validation": mse, "epochs": 300, "stopped_early": True}
    changes = {name: more.pop(name) for name in ("version", "commit", "machine", "date") if name in more}
    return row_of(job, outcome | more, **changes)


def kept(folder, *rows) -> Rows:
    with Rows.opened(folder) as there:
        for row in rows:
            there.put(row)
    return Rows(folder)


def scored(folder, values: dict[str, float], datasets=DATASETS, costs: str = "uniform", **more) -> Rows:
    """Both seeds of these methods, each with the same error everywhere."""
    return kept(
        folder,
        *(
            trained(group[0], value, **more)
            for method, value in values.items()
            for dataset in datasets
            for group in cell(method, dataset, costs).seeds
        ),
    )


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what a page refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in NEVER_CLOSED:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data.strip())

    @property
    def text(self) -> str:
        return " ".join(word for word in self.words if word)

    def values(self, attribute: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(attribute)) is not None]
