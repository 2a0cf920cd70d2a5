# SPDX-License-Identifier: Apache-2.0
"""`thalweg tune`: which calibration it takes, and what it says of its runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from thalweg.advisor.own import tune
from thalweg.advisor.own.situation import OwnChoice
from thalweg.advisor.own.tune import TunedWay, conclusion
from thalweg.advisor.shapes import Nodes, Prediction
from thalweg.calibrate.command import name_here, versions_here
from thalweg.calibrate.machine_file import Machine, write_machine
from thalweg.errors import ThalwegError

Cli = Callable[..., Any]
Calibrated = Callable[..., Machine]


@pytest.fixture
def this_machine(calibrated: Calibrated) -> Machine:
    """As a calibration on this machine has it."""
    return replace(calibrated(), name=name_here(), versions=versions_here())


def test_a_calibration_in_the_directory_is_reused_and_told(
    here: Cli, small_case: Path, tmp_path: Path, this_machine: Machine, model: Path
) -> None:
    out = tmp_path / "tuned"
    out.mkdir()
    write_machine(this_machine, out / "machine.toml")
    before = (out / "machine.toml").read_bytes()
    done = here("tune", small_case, "--neighbours", 0, "--out", out)
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
    here: Cli, small_case: Path, tmp_path: Path, this_machine: Machine, change: dict[str, Any],
    sentence: str, model: Path,
) -> None:  # fmt: skip
    write_machine(replace(this_machine, **change), tmp_path / "machine.toml")
    done = here("tune", small_case, "--neighbours", 0, "--out", tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "proposed").exists()


def test_the_shortest_is_told_with_how_far_runs_repeat() -> None:
    told = Prediction(1.0, 0.9, 1.1)

    def way(name: str, *times_s: float) -> TunedWay:
        return TunedWay(name, OwnChoice(name), told, times_s, told)

    once = " ".join(conclusion([way("proposed", 1.1), way("now", 1.0)]))
    assert "of one run each: now" in once
    assert "proposal took 10.0 % longer" in once
    assert "was not measured: --repeats 3 tells" in once
    best, slow = way("proposed", 1.0, 1.2, 1.1), way("or 1", 2.0, 2.1, 1.9)
    thrice = list(conclusion([best, way("now", 1.15, 1.3, 1.4), slow]))
    assert thrice == [
        "shortest, by the median of 3 runs each: proposed (proposed), 1.1 s",
        "not told apart from it, whose runs took 1 s to 1.2 s: now",
    ]
    assert list(conclusion([best, slow]))[1:] == [
        "all runs of the others took longer than any of its: 1 s to 1.2 s"
    ]
    assert len(list(conclusion([way("proposed", 1.0)]))) == 1


def test_every_repeat_keeps_its_directory(
    here: Cli, small_case: Path, tmp_path: Path, calibrated_file: Path, model: Path
) -> None:
    words = ("--neighbours", 0, "--repeats", 2, "--out", tmp_path / "tuned", "--json")
    done = here("tune", small_case, "--machine", calibrated_file, *words)
    assert done.returncode == 0, done.stderr
    times = [each for way in json.loads(done.stdout)["ways"] for each in way["measured_s"]]
    assert len(times) >= 2
    found = here("advise", "--validate", tmp_path / "tuned", "--machine", calibrated_file, "--json")
    runs = json.loads(found.stdout)["validation"]["per_run"]
    assert sorted(each["total_s"] for each in runs) == sorted(times)


@pytest.mark.parametrize("nodes", ["abc", "1.5", "-1", "9" * 20])
def test_an_allocation_of_no_number_of_nodes_is_named(
    nodes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", nodes)
    with pytest.raises(ThalwegError, match="SLURM_JOB_NUM_NODES is '"):
        tune._refuse_other_nodes(Nodes(1, 2))
