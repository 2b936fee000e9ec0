"""The tables of the baselines: what they say of given rows, and that the page has those of the result files."""

from __future__ import annotations

import baselines_table
import models_table
from record import load


def row(**changed: str) -> dict[str, str]:
    usual = {
        "dataset": "Linux",
        "costs": "uniform",
        "method": "GREED",
        "seed": "0",
        "parameters": "2434",
        "epochs": "120",
        "best_epoch": "100",
        "stopped_early": "True",
        "mse": "1.5",
        "mse_stderr": "0.2",
        "kendall_tau": "0.75",
        "paper_mse": "1.331",
        "paper_tau": "0.756",
    }
    return usual | changed


def test_seeds_are_averaged() -> None:
    text = baselines_table.tables([row(), row(seed="1", mse="0.5", mse_stderr="0.1", kendall_tau="0.85")])
    assert "| GREED | 2,434 | 100 | 1.000 ± 0.707 | 0.150 | 1.331 | 0.800 ± 0.071 | 0.756 |" in text
    assert "cut off" not in text.lower()


def test_sets_and_costs_have_tables_of_their_own_and_what_was_cut_off_is_marked() -> None:
    rows = [row(costs="non-uniform", stopped_early="False"), row(dataset="AIDS"), row(method="GREED*", paper_mse="")]
    text = baselines_table.tables(rows)
    heads = [line for line in text.splitlines() if line.startswith("###")]
    assert heads == ["### AIDS, uniform", "### Linux, uniform", "### Linux, (3,1,2,1)"]
    assert "| GREED | 2,434 | 100 of 120\\* | 1.500 | 0.200 | 1.331 | 0.750 | 0.756 |\n\n\\* Cut off" in text
    assert "| GREED\\* | 2,434 | 100 | 1.500 | 0.200 |  | 0.750 | 0.756 |" in text


def test_the_fastest_model_comes_first() -> None:
    times = {"pairs": "820", "data": "AIDS", "machine": "one", "output": "distance", "parameters": "3030"}
    fast = times | {"model": "greed", "interaction": "late", "microseconds": "2.4", "microseconds_encoded": "0.18"}
    slow = times | {"model": "h2mn", "interaction": "early", "microseconds": "70", "microseconds_encoded": "69"}
    text = models_table.table([slow | {"steps_per_second": "10.4"}, fast | {"steps_per_second": "273"}])
    first, second = text.splitlines()[2:4]
    assert first == "| `greed` | late | distance | 3,030 | 2.40 | 0.18 | 273 |"
    assert second == "| `h2mn` | early | distance | 3,030 | 70.00 | 69.00 | 10 |"


def test_the_page_has_the_results() -> None:
    page = baselines_table.PAGE.read_text(encoding="utf-8")
    assert baselines_table.tables(load(baselines_table.FROM)) in page, "run benchmarks/studies/baselines.py --table"
    assert models_table.table(load(models_table.FROM)) in page, "run benchmarks/kernels/models.py --table"


def test_cost_guided_scores_repair_what_differing_costs_break() -> None:
    """What the page says of the three models that have both."""
    found = {(row["method"], row["seed"]): float(row["mse"]) for row in linux("non-uniform")}
    plain = {(name, seed): mse for (name, seed), mse in found.items() if (f"{name}*", seed) in found}
    assert len(plain) == 9
    assert all(mse > 5 * found[f"{name}*", seed] for (name, seed), mse in plain.items())


def linux(costs: str) -> list[dict[str, str]]:
    return [row for row in load(baselines_table.FROM) if (row["dataset"], row["costs"]) == ("Linux", costs)]
