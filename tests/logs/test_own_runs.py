# SPDX-License-Identifier: Apache-2.0
"""Run directories of `thalweg run` are rows of the table, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.files.timing import Timing
from thalweg.logs.beliefs import believe
from thalweg.logs.own_run import read_own_run
from thalweg.logs.sources import read_runs

EXPERIMENT = """
[grid]
name = "R2B1"
[model]
levels = 3
[time]
duration = "PT2H"
[[output]]
name = "main"
interval = "PT30M"
[io]
mode = "async"
"""


def timer(name: str, category: str, *seconds: float) -> dict[str, object]:
    columns = {key: list(seconds) for key in ("total_s", "own_s", "min_s", "max_s")}
    calls = [int(each > 0.0) for each in seconds]
    return {"name": name, "parent": "", "category": category, "calls": calls, **columns}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "jet"
    (path / "files").mkdir(parents=True)
    (path / "files" / "main_20000101T000000Z.nc").write_bytes(b"x" * 300)
    (path / "experiment.toml").write_text(EXPERIMENT)
    timers = [timer("total", "other", 10.0, 12.0, 0.0), timer("output", "send", 1.0, 2.0, 0.0)]
    content = {"roles": ["compute", "compute", "io"], "kinds": [], "timers": timers}
    (path / "timing.json").write_text(json.dumps(content))
    told = {"status": "complete", "metrics": {"bytes_written": 300}}
    (path / "run.json").write_text(json.dumps(told))
    return path


def test_a_run_directory_has_its_settings_times_and_bytes(run: Path) -> None:
    (row,) = read_runs([run.parent])
    assert (row["run"], row["model"], row["status"]) == ("jet", "mini-model", "complete")
    assert (row["grid"], row["levels"], row["output_mode"]) == ("R2B1", 3, "async")
    assert (row["ranks"], row["compute_ranks"], row["io_ranks"]) == (3, 2, 1)
    assert (row["total_s"], row["total_max_s"], row["output_s"]) == (11.0, 12.0, 1.5)
    assert (row["output_files"], row["output_file_bytes"]) == (1, 300)
    assert (row["output_interval_s"], row["restart_mode"]) == (1800.0, "none")
    assert row["notes"] == ()


def test_a_run_directory_tells_model_time_copying_and_its_rate_of_writing(run: Path) -> None:
    timing = json.loads((run / "timing.json").read_text())
    timing["timers"] += [
        timer("output_copy", "copy", 0.5, 1.0, 0.0), timer("io_create", "write", 0.0, 0.0, 0.5),
        timer("io_write", "write", 0.0, 0.0, 2.0), timer("io_close", "close", 0.0, 0.0, 0.5),
        timer("io_idle", "idle", 0.0, 0.0, 7.0),
    ]  # fmt: skip
    (run / "timing.json").write_text(json.dumps(timing))
    told = {"status": "complete", "metrics": {"bytes_written": 300, "simulated_s": 7200}}
    (run / "run.json").write_text(json.dumps(told))
    row = read_own_run(run)
    believe(row)
    assert (row["simulated_s"], row["wait_s"], row["copy_s"]) == (7200.0, 1.5, 0.75)
    assert (row["output_write_s"], row["output_rate"]) == (3.0, 100.0)
    assert row["state_fields"] is None


@pytest.mark.parametrize("damage", ["x", None, float("nan"), -1.0, 10**400, [1]])
def test_what_is_no_number_is_not_told(run: Path, damage: object) -> None:
    told = {
        "status": "complete", "metrics": {"bytes_written": 300, "simulated_s": damage},
        "start": {"cells": damage, "steps": damage, "time_step_s": damage, "begin_s": damage},
    }  # fmt: skip
    (run / "run.json").write_text(json.dumps(told))
    row = read_own_run(run)
    assert (row["simulated_s"], row["cells"], row["time_step_s"]) == (None, None, None)


def test_a_real_run_is_read(small_run: Path) -> None:
    row = read_own_run(small_run)
    timing = Timing.read(small_run / "timing.json")
    assert row["total_s"] == pytest.approx(timing.mean_s("total"))
    assert (row["ranks"], row["io_ranks"], row["status"]) == (3, 1, "complete")
    assert row["output_interval_s"] is None, "its streams have two"
    assert row["cells"] == 1280
    assert isinstance(row["steps"], int)
    assert row["time_step_s"] == 7200.0 / row["steps"]


def test_a_run_that_lost_a_file_says_so(run: Path) -> None:
    (run / "files" / "main_20000101T000000Z.nc").write_bytes(b"x")
    assert "files/ has 1 bytes, run.json noted 300" in str(read_own_run(run)["notes"])


def test_a_run_whose_output_was_removed_has_the_bytes_it_noted(run: Path) -> None:
    """As trials of a sweep and of tune, that keep no files."""
    (run / "files" / "main_20000101T000000Z.nc").unlink()
    row = read_own_run(run)
    believe(row)
    assert (row["output_bytes"], row["output_bytes_from"]) == (300, "run.json")
    assert (row["output_files"], row["output_file_bytes"]) == (None, None)
    (note,) = row.texts("notes")
    assert note.startswith("files/ is empty: run.json is believed for bytes of output")


def test_a_run_that_wrote_nothing_has_no_bytes_and_no_note(run: Path) -> None:
    (run / "files" / "main_20000101T000000Z.nc").unlink()
    told = {"status": "complete", "metrics": {"bytes_written": 0}}
    (run / "run.json").write_text(json.dumps(told))
    row = read_own_run(run)
    assert (row["output_files"], row["output_file_bytes"], row["notes"]) == (0, 0, ())


def test_a_run_that_went_on_has_times_of_a_part_and_no_bytes(run: Path) -> None:
    """Its run.json has the bytes of the part, its files those of all parts."""
    start = {"begin_s": 3600.0, "steps": 24, "time_step_s": 300.0, "cells": 80}
    told = {"status": "complete", "metrics": {"bytes_written": 120}, "start": start}
    (run / "run.json").write_text(json.dumps(told))
    row = read_own_run(run)
    (note,) = row.texts("notes")
    assert "went on from a checkpoint" in note
    assert (row["output_file_bytes"], row["steps"], row["cells"]) == (None, None, 80)


def test_a_run_that_did_not_end_says_so(run: Path) -> None:
    (run / "run.json").write_text(json.dumps({"status": "failed"}))
    (run / "timing.json").unlink()
    row = read_own_run(run)
    assert (row["status"], row["total_s"]) == ("failed", None)
    assert "'failed', not complete" in str(row["notes"])


@pytest.mark.parametrize("name", ["run.json", "timing.json", "experiment.toml"])
def test_a_damaged_file_is_one_sentence(run: Path, name: str) -> None:
    (run / name).write_text("{")
    with pytest.raises(ThalwegError, match=name):
        read_own_run(run)
