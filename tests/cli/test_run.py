# SPDX-License-Identifier: Apache-2.0
"""`thalweg run` leaves a complete run directory and tells what limited the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from thalweg.config.experiment import Experiment
from thalweg.files.run_directory import RunDirectory, read_json_lines
from thalweg.files.timing import Timing

Cli = Callable[..., "CompletedProcess[str]"]


def test_a_run_directory_is_complete(small_run: Path) -> None:
    run = RunDirectory.open(small_run)
    expected = {"experiment.toml", "files", "timing.json", "events.jsonl", "run.json", "log.txt"}
    assert expected <= {path.name for path in small_run.iterdir()}
    assert not run.unfinished_files()
    assert Timing.read(run.timing_path).roles == ("compute", "compute", "io")
    assert Experiment.read(run.experiment_path).integer("model", "levels") == 3
    kinds = {event["kind"] for event in read_json_lines(run.events_path)}
    assert {"compute", "copy", "get", "write"} <= kinds


def test_the_summary_tells_how_the_run_was_made(small_run: Path) -> None:
    summary = RunDirectory(small_run).summary()
    assert summary["status"] == "complete"
    assert summary["ranks"] == 3
    for key in ("host", "cpu", "cores", "kernel"):
        assert summary["machine"][key]
    for key in ("thalweg", "mpi", "netcdf", "hdf5"):
        assert summary["versions"][key][0].isalnum()
    metrics = summary["metrics"]
    assert metrics["bytes_written"] == sum(
        f.stat().st_size for f in (small_run / "files").iterdir()
    )
    assert metrics["simulated_s"] == 7200.0
    assert metrics["sypd"] > 0.0
    assert metrics["output_cost"] >= 1.0
    assert summary["limited_by"].partition(":")[0] in (
        "output", "copying", "start", "exchange", "compute",
    )  # fmt: skip


def test_the_last_line_says_what_limited_the_run(here: Cli, small_case: Path, model: Path) -> None:
    out = small_case.parent / "a run with spaces"
    result = here("run", small_case, "--out", out, "--set", "time.duration=PT30M")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.strip().splitlines()
    assert lines[0].split()[:3] == ["name", "ranks", "calls"]
    assert any(line.startswith(" L integrate") for line in lines)
    assert any("SYPD" in line and "CHSY" in line for line in lines)
    assert lines[-1] == f"limited by {RunDirectory(out).summary()['limited_by']}"


def test_the_default_directory_is_named_after_case_and_time(
    here: Cli, small_case: Path, model: Path
) -> None:
    result = here("run", small_case, "--set", "time.duration=PT30M", cwd=small_case.parent)
    assert result.returncode == 0, result.stderr
    (made,) = (small_case.parent / "runs").iterdir()
    assert made.name.startswith("small-2")


def test_a_run_without_output_is_a_run(here: Cli, small_case: Path, model: Path) -> None:
    """The reference for the price of output."""
    small_case.write_text(small_case.read_text().partition("[[output]]")[0])
    out = small_case.parent / "run"
    result = here("run", small_case, "--out", out, "--ranks", "2", "--set", "io.mode=serial")
    assert result.returncode == 0, result.stderr
    assert RunDirectory(out).summary()["metrics"]["files"] == 0
