# SPDX-License-Identifier: Apache-2.0
"""What measures says when others keep the machine busy, and nothing when they do not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import thalweg.report
from thalweg.demo import command as demo_command
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.kernels.any_kernel import Shape
from thalweg.kernels.library import find_kernel
from thalweg.lab import bench as bench_command
from thalweg.lab.benchmarks import Benchmark
from thalweg.lab.rank_trials import Wish
from thalweg.run.machine import busy_note
from thalweg.scaling import command as scaling_command

Measure = Callable[[pytest.MonkeyPatch, Path, Path], None]


def measure_bench(patch: pytest.MonkeyPatch, folder: Path, run: Path) -> None:
    nothing = Benchmark("waiting", "", lambda _: iter(()))
    patch.setattr(bench_command, "find_benchmark", lambda _: nothing)
    assert bench_command.bench("waiting", bench_command.BenchOptions(json=True, directory=folder))


def measure_scaling(patch: pytest.MonkeyPatch, folder: Path, run: Path) -> None:
    patch.setattr(scaling_command, "measure", lambda *_: iter(()))
    wish = Wish(find_kernel("pvort"), ["mpi"], [1], [1], Shape(12, 24, 3), 1)
    with pytest.raises(ThalwegError, match="does not exist"):
        scaling_command.scale(wish, folder, as_json=True)


def measure_demo(patch: pytest.MonkeyPatch, folder: Path, run: Path) -> None:
    patch.setattr(demo_command, "_run", lambda *_: RunDirectory(run))
    patch.setattr(demo_command, "same_bits", lambda *_: True)
    patch.setattr(thalweg.report, "write_report", lambda _, page: page)
    demo_command.demo(folder)


@pytest.mark.parametrize("measure", [measure_bench, measure_scaling, measure_demo])
def test_it_is_told_in_one_line(
    measure: Measure, tmp_path: Path, small_run: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cores = os.cpu_count() or 1
    for load, times in ((1.5 * cores, 0), (1.5 * cores + 0.1, 1)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
        measure(monkeypatch, tmp_path, small_run)
        told = "".join(capsys.readouterr()).splitlines()
        said = f"the machine was busy when this began (load {load:.1f} on {cores} cores)"
        assert sum(said in line for line in told) == times


def test_a_lower_bar_may_be_asked_for() -> None:
    cores = os.cpu_count() or 1
    assert busy_note(0.3 * cores, 0.25)
    assert not busy_note(0.2 * cores, 0.25)
