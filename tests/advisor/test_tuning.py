# SPDX-License-Identifier: Apache-2.0
"""`thalweg tune`: which calibration it takes, and what it says of its runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from thalweg.calibrate.command import name_here, versions_here
from thalweg.calibrate.machine_file import Machine, write_machine

Cli = Callable[..., Any]
Calibrated = Callable[..., Machine]


@pytest.fixture
def here(calibrated: Calibrated) -> Machine:
    """As a calibration on this machine has it."""
    return replace(calibrated(), name=name_here(), versions=versions_here())


def test_a_calibration_in_the_directory_is_reused_and_told(
    cli: Cli, small_case: Path, tmp_path: Path, here: Machine, model: Path
) -> None:
    out = tmp_path / "tuned"
    out.mkdir()
    write_machine(here, out / "machine.toml")
    before = (out / "machine.toml").read_bytes()
    done = cli("tune", small_case, "--neighbours", 0, "--out", out)
    assert done.returncode == 0, done.stderr
    assert f"calibrated on '{name_here()}' with 2 ranks, 2026-11-25 00:00 UTC" in done.stderr
    assert "is reused" in done.stderr
    assert (out / "machine.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "elsewhere"}, f"this is '{name_here()}'"),
        ({"versions": {**versions_here(), "commit": "abc"}}, "commit was abc then"),
        ({"versions": {**versions_here(), "mpi": "MPICH 1"}}, "mpi was MPICH 1 then"),
    ],
)
def test_a_calibration_of_another_machine_or_version_is_refused(
    cli: Cli, small_case: Path, tmp_path: Path, here: Machine, change: dict[str, Any],
    sentence: str, model: Path,
) -> None:  # fmt: skip
    write_machine(replace(here, **change), tmp_path / "machine.toml")
    done = cli("tune", small_case, "--neighbours", 0, "--out", tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "proposed").exists()
