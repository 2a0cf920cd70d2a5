# SPDX-License-Identifier: Apache-2.0
"""Scripts of ICON for tests, streams laid into a small namelist, and runs of a made-up machine."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from thalweg.advisor.command import parse_cells
from thalweg.advisor.icon_streams import Answer, find_streams
from thalweg.advisor.own.situation import OwnSituation, own_situation
from thalweg.advisor.own_experiment import find_own_streams
from thalweg.advisor.prediction.parameters import Values
from thalweg.advisor.prediction.run_facts import ManyRuns, MeasuredRun, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.proposing.machine import fit_machine, machine_text
from thalweg.calibrate.machine_file import Figure, Machine, NotSeparated, write_machine
from thalweg.calibrate.quantities import PARAMETERS
from thalweg.config.experiment import Experiment
from thalweg.config.run_script import parse_settings, read_run_script

# A day of NWP physics on R2B4: 20480 cells, 30720 edges, 10242 vertices.
NAMELIST = """
&grid_nml dynamics_grid_filename = {grids} {grid} /
&run_nml iforcing = 3, num_lev = {levels}, dtime = 600, nsteps = 144, output = 'nml' {run} /
&io_nml {io} /
{groups}
&nwp_phy_nml inwp_gscp = 1, inwp_surface = 1 /
"""
STREAM = "&output_nml output_bounds = 0, 86400, 3600 steps_per_file = 0 {stream} /"
Advise = Callable[..., Answer]
Streams = Callable[..., Answer]
Cli = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def situation(
    request: pytest.FixtureRequest, tmp_path: Path, model: Path
) -> Callable[..., OwnSituation]:
    """Of the experiment that the module calls CASE, with words of --set."""

    def of(*words: str) -> OwnSituation:
        path = tmp_path / "case.toml"
        path.write_text(request.module.CASE)
        experiment = Experiment.read(path, words)
        return own_situation(experiment, find_own_streams(experiment, checked=False))

    return of


@pytest.fixture
def advise(tmp_path: Path) -> Advise:
    """The answer on a script, with words of --set, --cells and --bytes-per-output."""

    def answer(
        text: str, *settings: str, cells: tuple[str, ...] = (), given: dict[str, int] | None = None
    ) -> Answer:
        path = tmp_path / "exp.test"
        path.write_text(text, encoding="utf-8")
        script = read_run_script(path, parse_settings(settings))
        return find_streams(script, parse_cells(cells), given or {})

    return answer


@pytest.fixture
def streams(advise: Advise) -> Streams:
    """The answer on output_nml groups with these items. Words named go where NAMELIST has them."""

    def answer(
        *items: str, cells: tuple[str, ...] = (), bare: bool = False, **words: str
    ) -> Answer:
        head = {"grids": "'iconR02B04_G.nc'", "levels": "10", "grid": "", "run": "", "io": ""}
        head |= {"groups": "", **words}
        group = "&output_nml {stream} /" if bare else STREAM
        groups = [group.format(stream=item) for item in items]
        return advise("\n".join([NAMELIST.format(**head), *groups]), cells=cells)

    return answer


# A machine that no one has, of the size of Levante.
MADE_UP = Values({
    "cell_step_s": 3e-4, "shared_cell_step_s": 1e-7, "fixed_step_s": 0.0, "startup_s": 0.0,
    "write_s_per_gb": 1.2, "output_gather_s": 8e-6, "restart_gather_s": 1.2e-5,
    "io_s_per_gb": 2.2, "io_event_s": 0.0, "async_restart_s_per_gb": 1.6,
    "async_restart_exponent": 0.15, "multifile_event_s": 0.25, "all_writers_s_per_gb": 0.0,
    "sharpness": 4.0,
})  # fmt: skip
CELLS = {"r2b5": 81920, "r2b6": 327680}
OUTPUT, STATE = 388 * 8.0, 1364 * 8.0  # bytes of a cell


def made_up_run(grid: str = "r2b5", nodes: int = 1, **given: float | str) -> RunFacts:
    """128 ranks a node, 7200 steps. outputs and checkpoints are counts; ranks what is left."""
    words = {"io_ranks": 0, "restart_ranks": 0, "outputs": 0, "checkpoints": 0, **given}
    dedicated = float(words["io_ranks"]) + float(words["restart_ranks"])
    facts = {
        "cells": CELLS[grid],
        "steps": 7200,
        "nodes": nodes,
        "ranks_per_node": 128,
        "compute_ranks": 128 * nodes - dedicated,
        "output_bytes": CELLS[grid] * OUTPUT,
        "checkpoint_bytes": CELLS[grid] * STATE,
    }
    return RunFacts(**{**facts, **words})  # type: ignore[arg-type]


def made_up_runs() -> list[RunFacts]:
    """Every mode, on two grids and one to four nodes, far from saturation and beyond it."""
    runs = []
    for grid, nodes in (("r2b5", 1), ("r2b5", 2), ("r2b6", 1), ("r2b6", 2), ("r2b6", 4)):
        for outputs in (1201, 3601):
            ways = [{"outputs": outputs, "io_ranks": n} for n in (0, 1, 2, 4, 8, 16)]
            runs += [made_up_run(grid, nodes, **words) for words in ways]
        for mode, ranks in (("sync", 0), ("joint_multifile", 0), ("async", 1), ("async", 4),
                            ("dedicated_multifile", 1), ("dedicated_multifile", 4)):  # fmt: skip
            words = {"restart_mode": mode, "restart_ranks": ranks}
            runs += [made_up_run(grid, nodes, checkpoints=n, **words) for n in (20, 1200)]
        both = {"outputs": 1201, "checkpoints": 20, "restart_mode": "async", "restart_ranks": 1}
        runs += [made_up_run(grid, nodes, io_ranks=n, **both) for n in (0, 1, 4)]
    return runs


@pytest.fixture(scope="session")
def campaign() -> Callable[..., list[MeasuredRun]]:
    """Runs of a made-up machine that differ from its closed form by noise (of the logarithm)."""

    def measured(noise: float = 0.0, seed: int = 0) -> list[MeasuredRun]:
        facts = made_up_runs()
        total_s = predict(ManyRuns.of(facts), MADE_UP).total_s
        total_s = total_s * np.exp(noise * np.random.default_rng(seed).standard_normal(len(facts)))
        return [
            MeasuredRun(f"run_{n}", each, time)
            for n, (each, time) in enumerate(zip(facts, total_s.tolist(), strict=True))
        ]

    return measured


@pytest.fixture(scope="session")
def made_up_machine(campaign: Callable[..., list[MeasuredRun]]) -> str:
    """Text of a machine file that was fitted to its runs: once, for it takes seconds."""
    return machine_text(fit_machine(campaign(0.01), "made up", 30))


@pytest.fixture(scope="session")
def made_up() -> Callable[..., RunFacts]:
    return made_up_run


@pytest.fixture(scope="session")
def machine() -> Values:
    return MADE_UP


_CSV = (
    "run,cells,nodes,ranks,worker_ranks,io_procs,restart_procs,restart_mode,n_outputs,"
    "n_checkpoints,steps,mb_per_event_logged,total_s,kind"
)


def as_csv(runs: list[MeasuredRun]) -> str:
    """With the columns that a validation needs, and sizes, where ranks of their own log them."""
    lines = [_CSV]
    for run in runs:
        f = run.facts
        kind = "both" if f.outputs and f.checkpoints else "io" if f.outputs else "cp"
        logged = {"io": f.io_ranks and f.output_bytes / 1e6, "both": 0}.get(
            kind, f.restart_mode == "async" and f.checkpoint_bytes / 1e6
        )
        numbers = (f.cells, f.nodes, 128 * f.nodes, f.compute_ranks, f.io_ranks, f.restart_ranks)
        words = [f"{n:g}" for n in numbers] + [f.restart_mode]
        words += [f"{n:g}" for n in (f.outputs, f.checkpoints, f.steps)]
        lines.append(",".join([run.name, *words, str(logged or ""), repr(run.total_s), kind]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def table(tmp_path: Path, campaign: Callable[..., list[MeasuredRun]]) -> Path:
    """A table of runs with 1 % noise, as CSV."""
    path = tmp_path / "made_up.csv"
    path.write_text(as_csv(campaign(0.01)), encoding="utf-8")
    return path


# A calibrated machine that no one has.
CALIBRATED = {
    "cell_level_step_s": 1.6e-7, "step_overhead_s": 1.5e-4, "exchange_latency_s": 5e-6,
    "exchange_bytes_per_s": 3e9, "gather_latency_s": 3e-6, "gather_bytes_per_s": 4e9,
    "writer_bytes_per_s": 2e9, "writer_overwrite_bytes_per_s": 2.4e9, "file_s": 2e-4,
}  # fmt: skip
CalibratedMachine = Callable[..., Machine]


@pytest.fixture(scope="session")
def calibrated() -> CalibratedMachine:
    """A machine file's content; words: other medians, and None for what was not told."""

    def machine(
        nodes: int = 1, ranks: int = 2, cores: int = 2, spread: float = 1.1, **words: float | None
    ) -> Machine:
        values = {**CALIBRATED, **words}
        figures, untold = [], []
        for each in PARAMETERS:
            value = values.get(each.name)
            if value is None:
                untold.append(NotSeparated(each.name, "it was not measured"))
            else:
                ends = value / spread, value * spread
                figures.append(Figure(each.name, ranks, each.unit, value, *ends, 9))
        return Machine(
            "made up", datetime.datetime(2026, 11, 25, tzinfo=datetime.timezone.utc), nodes, ranks,
            cores, {"commit": "abc"}, {"way": "past_cache"}, figures, [], untold,
        )  # fmt: skip

    return machine


@pytest.fixture
def calibrated_file(tmp_path: Path, calibrated: CalibratedMachine) -> Path:
    """Of two cores on one node."""
    path = tmp_path / "machine.toml"
    write_machine(calibrated(), path)
    return path
