# SPDX-License-Identifier: Apache-2.0
"""Runs of the primitive equations: as many steps as the model makes, and times for all of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.advisor.own.equations import work_of
from thalweg.advisor.own.time_steps import steps_of
from thalweg.config.experiment import Experiment
from thalweg.run.runner import RunRequest, run_case

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
CASE = """
[grid]
name = "R2B2"
[model]
equations = "primitive"
case = "baroclinic_wave"
levels = 6
[time]
duration = "PT6H"
[[output]]
name = "layers"
variables = ["ps", "ta", "ua"]
interval = "PT2H"
[io]
mode = "serial"
[machine]
ranks = 2
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "wave.toml"
    path.write_text(CASE)
    return path


@pytest.mark.parametrize(
    "words", [(), ("grid.name=R3B1", "model.cfl=0.3"), ("model.time_scheme=rk3",)]
)
def test_steps_are_those_that_the_model_makes(
    case: Path, tmp_path: Path, model: Path, words: tuple[str, ...]
) -> None:
    made = RunRequest(case, overrides=words, directory=tmp_path / "run", quiet=True)
    steps = run_case(made).summary()["start"]["steps"]
    assert steps_of(Experiment.read(case, words)) == steps


def test_a_step_is_more_work_than_one_of_shallow_water(case: Path) -> None:
    air = work_of(Experiment.read(case))
    water = work_of(Experiment.read(case, ["model.equations=shallow_water", "model.case=jet"]))
    assert air.of_a_step > water.of_a_step
    assert air.diagnostics > water.diagnostics
    calm = work_of(Experiment.read(case, ["model.hyperdiffusion=0"]))
    assert calm.of_a_step < air.of_a_step
    rk3 = work_of(Experiment.read(case, ["model.time_scheme=rk3"]))
    assert rk3.of_a_step - rk3.once == pytest.approx(0.75 * (air.of_a_step - air.once))


def test_times_and_a_proposal_are_told(case: Path, cli: Cli, calibrated_file: Path) -> None:
    done = cli("advise", case, "--machine", calibrated_file, "--json")
    assert done.returncode == 0, done.stderr
    proposal = json.loads(done.stdout)["proposal"]
    assert 0.0 < proposal["low_s"] < proposal["total_s"] < proposal["high_s"]
    longer = ("--set", "time.duration=P1D")
    twice = cli("advise", case, "--machine", calibrated_file, "--json", *longer)
    assert json.loads(twice.stdout)["proposal"]["total_s"] > 1.5 * proposal["total_s"]
