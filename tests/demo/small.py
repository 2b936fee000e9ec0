"""The demo in small, and what it leaves behind."""

from pathlib import Path

from graphedx import demo


def run(folder, **keywords):
    return demo.run(folder, **({"graphs": 20, "functions": 8, "epochs": 2, "progress": False} | keywords))


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
