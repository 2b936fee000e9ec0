"""The report: tables, claims and figures from the rows that are there, as HTML, Markdown and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graphedx._files import AnyPath, atomic_write
from graphedx.errors import ExperimentError, OutputError
from graphedx.experiments.declared import experiments as declared
from graphedx.experiments.declared import under
from graphedx.experiments.protocols import PROTOCOLS, PUBLISHED
from graphedx.experiments.report.claims import Judged, judged
from graphedx.experiments.report.csv import report_csv
from graphedx.experiments.report.figures import pictures
from graphedx.experiments.report.grid import grids
from graphedx.experiments.report.html import TITLE, report_html
from graphedx.experiments.report.markdown import report_markdown
from graphedx.experiments.report.summary import Part, rows_of
from graphedx.experiments.store import Row, Rows
from graphedx.experiments.table import Experiment

__all__ = ["FILES", "Report", "gathered", "write_report"]

FILES = ("report.html", "report.md", "report.csv")


class Report(NamedTuple):
    """What there is to report of a folder."""

    parts: Sequence[Part]  # each has trainings of one protocol
    claims: Mapping[str, Sequence[Judged]]  # by protocol
    rows: Sequence[Row]  # that the parts rest on, each once, none of them stale

    @property
    def markdown(self) -> str:
        return report_markdown(TITLE, self.parts, self.claims)


def gathered(folder: AnyPath, experiments: Sequence[Experiment] | None = None) -> Report:
    """All experiments of a folder, unless some are given; then also only the claims that rest on one of them.

    Raises:
        ExperimentError: the folder has no rows.
    """
    rows = Rows(folder)
    if not len(rows):
        raise ExperimentError(f"{folder}: has no rows to report; `graphedx experiment run` computes some")
    shown = list(declared().values() if experiments is None else experiments)
    everything = dict(declared()) | {experiment.name: experiment for experiment in shown}
    parts, claims = [], {}
    for protocol in PROTOCOLS:
        of_protocol = under(shown, [protocol])
        parts += [Part(experiment, grids(experiment, rows), rows_of(experiment, rows)) for experiment in of_protocol]
        found = judged(under(everything.values(), [protocol]), rows)
        if experiments is not None:
            found = [one for one in found if _rests_on(one.claim.experiments, [table.name for table in of_protocol])]
        claims[protocol] = [one for one in found if protocol == PUBLISHED or one.ours.checks]
    counted = {row.key: row for part in parts for row in part.rows if not row.is_stale}
    return Report(parts, claims, list(counted.values()))


def write_report(folder: AnyPath, out: AnyPath, experiments: Sequence[Experiment] | None = None) -> list[Path]:
    """Write ``report.html``, ``report.md`` and ``report.csv`` into ``out`` and return where they are.

    Of what is ``gathered``. Files of an earlier report are replaced.

    Raises:
        ExperimentError: the folder has no rows.
        OutputError: a file cannot be written.
    """
    found = gathered(folder, experiments)
    drawn = pictures(found.rows, Path(folder))
    texts = (report_html(found.parts, found.claims, drawn), found.markdown, report_csv(found.parts))
    target = Path(out)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{target}: cannot be used: {(error.strerror or str(error)).lower()}") from None
    for name, text in zip(FILES, texts, strict=True):
        with atomic_write(target / name, overwrite=True, mode="w", newline="\n") as file:
            file.write(text)
    return [target / name for name in FILES]


def _rests_on(needed: Sequence[str], names: Sequence[str]) -> bool:
    return any(name == need or name.startswith(f"{need}-") for need in needed for name in names)
