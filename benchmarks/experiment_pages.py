"""The pages that say what the rows of experiments in this repository say: docs/paper.md and the README's table.

    python benchmarks/experiment_pages.py [--take FOLDER]

Rows are in results/experiments/rows.jsonl, so that ``graphedx experiment report --folder results/experiments`` reads
them, too. With ``--take`` the rows of a folder where ``graphedx experiment run`` was run are added first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from graphedx._files import atomic_write
from graphedx.experiments import Rows, experiments, jobs_of, under
from graphedx.experiments.protocols import PROTOCOLS
from graphedx.experiments.report import gathered
from graphedx.experiments.report.examples import examples
from graphedx.experiments.report.picture import Picture
from graphedx.experiments.report.times import TRADEOFFS, time_pictures
from graphedx.experiments.store import ROWS
from headline import table
from page_tables import DOCS, put_into
from record import HERE, IMAGES, RESULTS

FOLDER = RESULTS / "experiments"
README, PAGE, PICTURES = HERE.parent / "README.md", DOCS / "paper.md", IMAGES / "paper"
MARK = "<!-- From benchmarks/results/experiments, by experiment_pages.py; not by hand. -->\n"


def take(folder: Path) -> int:
    """Add the rows of the jobs that experiments ask for, sorted by key; return how many the folder has.

    Rows that are here already stay, stale ones too, unless the folder has one of the same job.
    """
    rows = Rows(folder)
    asked = jobs_of(under(experiments().values(), PROTOCOLS))
    found = {job.key: row for job in asked if (row := rows.get(job) or rows.latest(job))}
    if not found:
        raise SystemExit(f"{folder}: has no rows of these experiments; give the folder of `graphedx experiment run`")
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = {row.key: row for row in Rows(FOLDER)} | found
    with atomic_write(FOLDER / ROWS, overwrite=True, mode="w", encoding="utf-8") as file:
        for _, row in sorted(kept.items()):
            file.write(
                json.dumps(
                    asdict(row) | {"job": row.asked().to_json()},
                    sort_keys=True,
                    separators=(",", ":"),
                    ensure_ascii=False,
                )
                + "\n"
            )
    return len(found)


def report() -> str:
    """The report's Markdown below a title of its own, and its figures; what several say is said once."""
    _, _, text = gathered(FOLDER).markdown.partition("\n\n")
    lines, said = [text, "## Figures", ""], ""
    for path, picture in drawn().items():
        name = f"{picture.title}: {picture.panel}"
        told = [] if picture.text == said else [picture.text, ""]
        lines += [f"### {name}", "", *told, f"![{name}]({path})", ""]
        said = picture.text
    return "\n".join(lines)


def drawn() -> dict[str, Picture]:
    """Those figures that need nothing but rows, by their place below docs: accuracy against time, and examples."""
    rows = gathered(FOLDER).rows
    times = [one for one in time_pictures(rows, dark=False) if one.title == TRADEOFFS]
    some = [one for one in (*times, *examples(rows, dark=False)) if one.svg]
    return {f"images/paper/{_name(one)}.svg": one for one in some}


def _name(picture: Picture) -> str:
    words = "".join(char if char.isalnum() else " " for char in f"{picture.title} {picture.panel}".lower())
    return "_".join(words.split())


def refresh() -> Iterator[Path]:
    """Make pages and pictures say what the rows say; figures that are no more go."""
    pictures = drawn()
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        if f"images/paper/{old.name}" not in pictures:
            old.unlink()
    for place, picture in pictures.items():
        with atomic_write(DOCS / place, overwrite=True, mode="w", encoding="utf-8") as file:
            file.write(picture.svg)
        yield DOCS / place
    put_into(PAGE, MARK, report())
    put_into(README, MARK, table(Rows(FOLDER)))
    yield from (PAGE, README)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="of experiments, whose rows are added here")
    options = parser.parse_args()
    taken = None if options.take is None else take(options.take)
    paths = list(refresh())  # before anything is said: whoever listens may hang up
    if taken is not None:
        print(f"{FOLDER / ROWS}: {taken:,} rows")
    print(*paths, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
