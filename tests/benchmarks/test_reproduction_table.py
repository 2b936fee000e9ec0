"""The tables of the reproduction: what they say of given rows, and that the page has those of the result file."""

from __future__ import annotations

from record import RESULTS, load
from reproduction_table import FROM, PAGE, tables


def row(**changed: str) -> dict[str, str]:
    usual = {
        "dataset": "Linux",
        "costs": "uniform",
        "edge_term": "xor",
        "node_term": "align_diff",
        "seed": "0",
        "node_weight": "1",
        "best_epoch": "70",
        "stopped_early": "True",
        "validation": "0.4",
        "mse": "0.5",
        "mse_stderr": "0.05",
        "kendall_tau": "0.9",
        "paper_mse": "0.416",
    }
    return usual | changed


def test_seeds_are_averaged_and_validation_chooses_among_them() -> None:
    text = tables(
        [
            row(mse="0.5", validation="0.3"),
            row(seed="1", mse="0.3", validation="0.4"),
            row(edge_term="align_diff", mse="0.2", validation="0.6", paper_mse="0.605"),
            row(edge_term="align_diff", seed="1", mse="0.8", validation="0.35", paper_mse="0.605"),
        ]
    )
    assert "| AlignDiff | AlignDiff | 0.500 ± 0.424 | 0.800 | 0.605 |" in text
    assert "| XOR-DiffAlign | AlignDiff | 0.400 ± 0.141 | 0.500 | 0.416 |" in text
    # Seed 0 takes XOR (0.3 < 0.6), seed 1 AlignDiff (0.35 < 0.4); of the two, seed 0.
    assert "| **by validation** |  | 0.650 ± 0.212 | 0.500 | 0.354 |" in text
    assert "uniform: XOR-DiffAlign / AlignDiff, λ = 1, seed 0, epoch 70: 0.300, and 0.500 ± 0.050" in text
    assert "Chosen among 2 combinations (seed 0), 2 combinations (seed 1)." in text


def test_both_costs_stand_side_by_side_and_what_is_missing_is_left_empty() -> None:
    text = tables([row(), row(costs="non-uniform", node_term="xor", mse="1.2", paper_mse="1.193")])
    assert "| XOR-DiffAlign | AlignDiff | 0.500 (one seed) | 0.500 | 0.416 |  |  |  |" in text
    assert "| XOR-DiffAlign | XOR-DiffAlign |  |  |  | 1.200 (one seed) | 1.200 | 1.193 |" in text


def test_every_set_with_rows_has_a_table_and_runs_that_were_cut_off_are_marked() -> None:
    text = tables([row(), row(dataset="AIDS", stopped_early="False")])
    aids, linux = text.index("### AIDS"), text.index("### Linux")
    assert "0.500 (one seed)\\*" in text[aids:linux]
    assert "cut off" in text[aids:linux]
    assert "\\*" not in text[linux:]


def test_the_page_has_the_results() -> None:
    assert tables(load(FROM)) in PAGE.read_text(encoding="utf-8"), "run benchmarks/studies/reproduction.py --table"


def test_what_the_page_says_of_runs_that_got_stuck() -> None:
    rows = load(RESULTS / "alignment_rows_linux.csv")
    stuck = [row for row in rows if float(row["rows_off"]) > 0.2]
    others = [row for row in rows if row not in stuck]
    off, usual = ([float(row["rows_off"]) for row in some] for some in (stuck, others))
    errors, less = (
        [float(row["training_mse"]) for row in some if "-non-uniform-" not in row["run"]] for some in (stuck, others)
    )
    by_edges = sum("uniform-diff_align-" in row["run"] for row in stuck)
    for sentence in (
        f"Of {len(rows)} runs {len(stuck)} are stuck, {by_edges} of them with DiffAlign for edges.",
        f"off by {min(off):.2f} to {max(off):.2f} on average, those of all others by at most {max(usual):.2f}.",
        f"errors are {min(errors):.2f} to {max(errors):.2f}, those of all others at most {max(less):.2f}.",
    ):
        assert sentence in PAGE.read_text(encoding="utf-8")
