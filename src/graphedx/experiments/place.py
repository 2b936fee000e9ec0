"""Where experiments are kept: ``FOLDER/rows.jsonl``, ``FOLDER/datasets/NAME`` and ``FOLDER/runs/KEY``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import time
from types import MappingProxyType
from typing import Any, NamedTuple

from graphedx.experiments.job import Job

RAW: Mapping[str, str] = MappingProxyType(
    {
        "aids": "AIDS/AIDS_TU.tar.gz",
        "mutagenicity": "Mutagenicity/Mutagenicity_TU.tar.gz",
        "linux": "Linux/LINUX_gexf.tar.gz",
        "molhiv": "ogbg-molhiv/HIV.csv.gz",
        "molpcba": "PCBA_substitute/muv_smiles.csv.gz",
        "yeast": "Yeast_substitute/NCI_balanced.zip",
        "code2": "Code2_substitute/python_stdlib_ast_le20.jsonl.gz",
    }
)
"""The file of each dataset below the folder of raw data."""
SUBSTITUTES = frozenset({"molpcba", "yeast", "code2"})
"""Those that are made of other graphs than the paper's, which cannot be had; their numbers are not its numbers."""


class TimeIsUp(Exception):
    """Raised by a job that was asked to end by now; what is done is kept, and goes on another time."""


class Place(NamedTuple):
    """The folder, and what a job has to know besides itself."""

    folder: Path
    data: Path | None = None  # raw files
    epochs: int | None = None  # trainings are cut off there
    until: float | None = None  # when jobs are to stop and leave the rest for another time, as ``time`` has it

    def dataset(self, name: str) -> Path:
        return self.folder / "datasets" / name

    def run(self, job: Job) -> Path:
        """What a job leaves besides its row: weights, guesses, answers."""
        return self.folder / "runs" / job.key

    def require_time(self) -> None:
        """Raises TimeIsUp if it is."""
        if self.until is not None and time() >= self.until:
            raise TimeIsUp

    def to_json(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "data": None if self.data is None else str(self.data),
            "epochs": self.epochs,
            "until": self.until,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Place:
        data = values["data"]
        return cls(Path(values["folder"]), None if data is None else Path(data), values["epochs"], values["until"])
