# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise --validate RUNS --machine M --check`: the bars of runs of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thalweg.advisor.own.form import services_of
from thalweg.advisor.own.learned import OwnRun
from thalweg.advisor.own.memory import remember
from thalweg.advisor.own.rates import FACTORS, rates_of
from thalweg.advisor.own.situation import own_situation
from thalweg.advisor.own.validation import OwnResult
from thalweg.advisor.own_experiment import find_own_streams
from thalweg.advisor.prediction.validation import Result
from thalweg.advisor.shapes import Nodes
from thalweg.calibrate.machine_file import Machine, write_machine
from thalweg.config.experiment import Experiment

Cli = Callable[..., Any]
Calibrated = Callable[..., Machine]
CASE = """
[grid]
name = "R2B3"
[[output]]
name = "all"
interval = "PT15M"
[machine]
ranks = 4
"""
WAYS = (("serial", 0), ("async", 1), ("file_parallel", 0), ("file_parallel", 2))


@pytest.fixture
def runs(tmp_path: Path, calibrated: Calibrated, model: Path) -> Callable[..., list[OwnRun]]:
    """Two groups on the machine of the calibration; words: repeats, and a factor of each way."""

    def made(repeats: int, off: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)) -> list[OwnRun]:
        path = tmp_path / "case.toml"
        path.write_text(CASE)
        rates = rates_of(calibrated(), {name: np.ones(1) for name in FACTORS})
        found = []
        for interval in ("PT10M", "PT2H"):
            for (mode, ranks), factor in zip(WAYS, off, strict=True):
                words = [f"io.mode={mode}", f"io.ranks={ranks}", f"output.all.interval={interval}"]
                experiment = Experiment.read(path, words)
                given = own_situation(experiment, find_own_streams(experiment, checked=False))
                right = services_of(given, given.chosen, Nodes(1, 4), rates).total[0]
                found += [
                    OwnRun("a", given, given.chosen, Nodes(1, 4), float(right) * factor * again)
                    for again in (1.0, 0.98, 1.03)[:repeats]
                ]
        return found

    return made


def check(here: Cli, tmp_path: Path, machine: Machine, found: list[OwnRun], *words: str) -> Any:
    path = tmp_path / "made_up.toml"
    write_machine(machine, path)
    memory = path.with_suffix(".runs.jsonl")
    memory.unlink(missing_ok=True)
    for run in found:
        remember(path, machine, run)
    return here("advise", "--validate", memory, "--machine", path, "--check", *words)


def test_bars_are_met_by_a_machine_that_is_as_calibrated(
    here: Cli, tmp_path: Path, calibrated: Calibrated, runs: Callable[..., list[OwnRun]]
) -> None:
    done = check(here, tmp_path, calibrated(), runs(3))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "met     within_repeats: 100.0 % (at least 80 %" in done.stdout
    assert re.search(r"met     regret: 0\.\d % \(below that of the best rule\)", done.stdout)


def test_a_bar_that_is_missed_fails_the_check(
    here: Cli, tmp_path: Path, calibrated: Calibrated, runs: Callable[..., list[OwnRun]]
) -> None:
    """Ways take times that no form explains."""
    done = check(here, tmp_path, calibrated(), runs(3, (0.3, 3.0, 0.4, 2.5)), "--json")
    assert done.returncode == 1
    bars = {bar["name"]: bar for bar in json.loads(done.stdout)["validation"]["bars"]}
    assert set(bars) == {"within_repeats", "regret"}
    assert not bars["within_repeats"]["met"]


def test_runs_without_repeats_measure_no_spread(
    here: Cli, tmp_path: Path, calibrated: Calibrated, runs: Callable[..., list[OwnRun]]
) -> None:
    done = check(here, tmp_path, calibrated(), runs(1))
    assert done.returncode == 1
    assert "MISSED  within_repeats: nothing measures it" in done.stdout


def test_regrets_and_rules_stand_once() -> None:
    assert Result.regret is OwnResult.regret
    assert Result.rules is OwnResult.rules
