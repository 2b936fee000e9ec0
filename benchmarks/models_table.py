"""The times of ``kernels/models.py`` as a table of the page of baselines, and as the paper's figure of times."""

from __future__ import annotations

from page_tables import DOCS, begin, markdown, put_into
from record import IMAGES, RESULTS, load

PAGE = DOCS / "baselines.md"
FROM = RESULTS / "models.csv"
Rows = list[dict[str, str]]


def table(rows: Rows) -> str:
    """The fastest first."""
    head = ["model", "interaction", "output", "parameters", "µs a pair", "from encoded graphs", "steps a second"]
    lines = [
        [
            *(f"`{row['model']}`", row["interaction"], row["output"], f"{int(row['parameters']):,}"),
            *(f"{float(row['microseconds']):.2f}", f"{float(row['microseconds_encoded']):.2f}"),
            f"{float(row['steps_per_second']):.0f}",
        ]
        for row in sorted(rows, key=lambda row: float(row["microseconds"]))
    ]
    about = f"\n{rows[0]['data']}: {int(rows[0]['pairs']):,} pairs, one thread of {rows[0]['machine']}.\n"
    return markdown(head, 3, lines) + "\n" + about


def refresh() -> None:
    """Make page and figure say what the result file says."""
    from studies.figures import draw_model_times  # needs matplotlib, which the table does not

    rows = load(FROM)
    put_into(PAGE, begin("models", "kernels"), table(rows))
    draw_model_times(rows, IMAGES / "models.png")
