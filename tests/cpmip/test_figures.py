# SPDX-License-Identifier: Apache-2.0
"""Figures of rows whose values were worked out by hand; what is not known has its reason."""

from __future__ import annotations

from typing import Any

import pytest

from thalweg.cpmip.metrics import Figures, Given, figures_of
from thalweg.cpmip.post_processing import tell_post_processing
from thalweg.cpmip.quantities import QUANTITIES
from thalweg.logs.columns import Row

YEAR_S = 365.25 * 86400.0
# A hundredth of a year in half an hour on 2 nodes: 20 ranks, 4 of which only write.
ICON: dict[str, Any] = {
    "model": "ICON", "nodes": 2, "ranks": 20, "compute_ranks": 16, "io_ranks": 4,
    "restart_ranks": 0, "cells": 1000, "levels": 30, "simulated_s": YEAR_S / 100.0,
    "total_s": 1700.0, "total_max_s": 1800.0, "output_s": 200.0, "restart_s": 100.0,
    "output_bytes": 36_000_000_000, "output_bytes_from": "files", "output_rate": 400e6,
}  # fmt: skip
OWN: dict[str, Any] = {
    "model": "mini-model", "status": "complete", "ranks": 3, "compute_ranks": 2,
    "simulated_s": 7200.0, "total_s": 8.0, "total_max_s": 10.0, "wait_s": 1.5, "copy_s": 0.5,
    "output_s": 99.0, "output_bytes": 3_000_000_000, "state_fields": 3,
}  # fmt: skip


def told(given: Given | None = None, **values: Any) -> Figures:
    row = Row(run="x", sources=("x",), **values)
    figures = figures_of(row, given or Given())
    tell_post_processing(figures, row, given or Given())
    return figures


def test_figures_of_a_run_follow_the_definitions() -> None:
    values = told(Given(read_rate=500e6, write_share=0.5), **ICON).values
    assert values["run_time_s"] == 1800.0
    assert values["sypd_years_per_day"] == pytest.approx(0.01 * 48.0)
    assert values["parallelization_cores"] == 20
    assert values["chsy_core_hours_per_year"] == pytest.approx(20 * 0.5 * 100.0)
    assert values["node_hours_per_year"] == pytest.approx(2 * 0.5 * 100.0)
    assert values["data_intensity_gb_per_core_hour"] == pytest.approx(36.0 / 10.0)
    assert values["data_output_cost_ratio"] == pytest.approx(1800.0 / 1500.0)
    assert values["data_output_cost_with_io_ranks_ratio"] == pytest.approx(1.2 * 20 / 16)
    assert values["resolution_points"] == 30_000
    assert values["output_gb_per_year"] == pytest.approx(3600.0)
    hours = (3.6e12 / 500e6 + 0.5 * 3.6e12 / 400e6) / 3600.0
    assert values["post_processing_hours_per_year"] == pytest.approx(hours)


def test_cores_times_hours_of_a_year_are_chsy() -> None:
    """The paper: parallelization is CHSY times SYPD over 24."""
    values = told(**ICON).values
    product = values["chsy_core_hours_per_year"] * values["sypd_years_per_day"] / 24.0
    assert product == pytest.approx(values["parallelization_cores"])


def test_output_of_our_runs_is_what_compute_ranks_wait_and_copy() -> None:
    figures = told(**OWN)
    assert figures.values["output_time_s"] == 2.0
    assert figures.values["data_output_cost_ratio"] == pytest.approx(10.0 / 8.0)
    assert figures.values["data_output_cost_with_io_ranks_ratio"] == pytest.approx(1.25 * 1.5)
    assert figures.values["complexity_fields"] == 3


@pytest.mark.parametrize("row", [ICON, OWN])
def test_each_figure_is_told_or_has_a_reason(row: dict[str, Any]) -> None:
    for dropped in (None, *row):
        figures = told(**{name: value for name, value in row.items() if name != dropped})
        for quantity in QUANTITIES:
            known, lacking = quantity.name in figures.values, quantity.name in figures.not_known
            assert known != lacking, (dropped, quantity.name)
        assert {"jpsy_joules_per_year", "asypd_years_per_day"} <= set(figures.not_known)


@pytest.mark.parametrize(
    ("given", "values", "cores", "source"),
    [
        (Given(), {}, 20, "one core a rank"),
        (Given(), {"threads": 4}, 80, "ranks times threads"),
        (Given(cores=7), {"threads": 4}, 7, "--cores"),
        (Given(cores_per_node=128), {"threads": 4}, 256, "nodes times --cores-per-node"),
    ],
)
def test_cores_have_a_source(given: Given, values: dict[str, Any], cores: int, source: str) -> None:
    figures = told(given, **{**ICON, **values})
    assert figures.values["parallelization_cores"] == cores
    assert source in figures.sources["parallelization_cores"]


@pytest.mark.parametrize(
    ("changed", "name", "reason"),
    [
        ({"simulated_s": None}, "sypd_years_per_day", "give the model time with --simulated"),
        ({"simulated_s": 0.0}, "chsy_core_hours_per_year", "covered 0 s"),
        ({"total_max_s": 0.0}, "sypd_years_per_day", "timer total is 0 s"),
        ({"total_max_s": None, "total_s": None}, "sypd_years_per_day", "no timer total"),
        ({"ranks": None}, "chsy_core_hours_per_year", "give --cores"),
        ({"nodes": None}, "node_hours_per_year", "number of nodes"),
        ({"output_bytes": None}, "data_intensity_gb_per_core_hour", "bytes of output"),
        ({"output_s": None, "restart_s": None}, "data_output_cost_ratio", "no timer of output"),
        ({"output_s": 1800.0}, "data_output_cost_ratio", "1900 s of a run of 1800 s"),
        ({"compute_ranks": None}, "data_output_cost_with_io_ranks_ratio", "numbers of all ranks"),
        ({"levels": None}, "resolution_points", "number of levels"),
        ({"output_rate": None}, "post_processing_hours_per_year", "give --write-rate"),
        ({"simulated_s": 1e-320}, "chsy_core_hours_per_year", "covered 0 s"),
        ({"total_max_s": 1e-320}, "sypd_years_per_day", "timer total is 0 s"),
        ({"total_max_s": 1.7e308}, "chsy_core_hours_per_year", "too large for a number"),
    ],
)  # fmt: skip
def test_what_is_not_known_says_why(changed: dict[str, Any], name: str, reason: str) -> None:
    figures = told(Given(read_rate=1e6), **{**ICON, **changed})
    assert name not in figures.values
    assert reason in figures.not_known[name]


def test_one_timer_of_output_is_taken_and_said() -> None:
    figures = told(**{**ICON, "restart_s": None})
    assert figures.values["data_output_cost_ratio"] == pytest.approx(1800.0 / 1600.0)
    assert figures.sources["output_time_s"].endswith("write_restart is not told")
    figures = told(**{**ICON, "output_s": None})
    assert figures.values["data_output_cost_ratio"] == pytest.approx(1800.0 / 1700.0)


def test_a_run_that_did_not_end_tells_no_speed_unless_its_model_time_is_given() -> None:
    failed = {**OWN, "status": "failed"}
    figures = told(**failed)
    for name in ("sypd_years_per_day", "chsy_core_hours_per_year", "data_output_cost_ratio"):
        assert "the run is 'failed'" in figures.not_known[name]
    values = told(Given(simulated_s=YEAR_S / 864.0), **failed).values
    assert values["sypd_years_per_day"] == pytest.approx(10.0)


def test_a_log_that_is_cut_off_has_the_speed_of_its_steps() -> None:
    figures = told(model="ICON", steps=100, time_step_s=864.0, step_s=0.5, ranks=4)
    assert figures.values["simulated_s"] == 86400.0
    assert figures.values["sypd_years_per_day"] == pytest.approx(86400.0 / 50.0 / 365.25)
    assert "without start and end" in figures.sources["run_time_s"]


def test_what_only_reads_needs_no_rate_of_writing() -> None:
    given = Given(read_rate=1e9, write_share=0.0)
    figures = told(given, **{**ICON, "output_rate": None})
    assert figures.values["post_processing_hours_per_year"] == pytest.approx(1.0)
    assert "write_rate_mb_per_s" in figures.not_known


def test_a_run_without_output_has_no_data_but_is_known() -> None:
    values = told(**{**ICON, "output_bytes": None, "output_file_bytes": 0}).values
    assert values["data_intensity_gb_per_core_hour"] == 0.0
    assert values["output_gb_per_year"] == 0.0
