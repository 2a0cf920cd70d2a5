# SPDX-License-Identifier: Apache-2.0
"""However `thalweg run` itself ends, its ranks end with it, and its directory can be used again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.run.lock import lock_directory
from thalweg.run.record import RunRecord
from thalweg.testing.ranked_run import ranks_of

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., Any]  # returns the RunningCase of conftest.py
ENDS_WITHIN_S = 60.0
SHORT = ("--set", "time.duration=PT30M", "--json", "--overwrite")


def await_no_ranks(directory: Path) -> None:
    deadline = time.monotonic() + ENDS_WITHIN_S
    while ranks := ranks_of(directory):
        assert time.monotonic() < deadline, f"ranks {ranks} are still running"
        time.sleep(0.01)


def is_free(directory: Path) -> bool:
    try:
        lock_directory(directory).release()
    except ThalwegError:
        return False
    return True


def await_free(directory: Path) -> None:
    """mpirun holds the lock as long as it lives, a moment longer than its ranks."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    while not is_free(directory):
        assert time.monotonic() < deadline, "mpirun still holds the lock"
        time.sleep(0.01)


def test_a_running_run_is_not_overwritten(start_run: Start, cli: Cli, small_case: Path) -> None:
    run = start_run()
    run.wait_for(lambda: len(run.complete_files()) >= 1)
    first = run.complete_files()[0]
    refused = cli("run", small_case, "--out", run.directory, *SHORT)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert f"process {run.process.pid} on" in line
    seen = len(run.complete_files())
    run.wait_for(lambda: len(run.complete_files()) > seen + 2)
    assert first.exists()
    assert RunDirectory(run.directory).summary()["status"] == "running"


def test_a_killed_runner_leaves_no_rank_and_no_lock(
    start_run: Start, cli: Cli, small_case: Path
) -> None:
    run = start_run()
    run.wait_for(lambda: len(run.complete_files()) >= 1)
    run.process.kill()
    run.process.communicate()
    await_no_ranks(run.directory)
    verified = cli("verify", run.directory)
    assert verified.returncode == 1
    assert f"process {run.process.pid}" in verified.stdout.splitlines()[0]
    await_free(run.directory)
    again = cli("run", small_case, "--out", run.directory, *SHORT)
    assert again.returncode == 0, again.stderr


@pytest.mark.some(3, 1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_second_signal_does_not_cut_the_end_short(
    number: signal.Signals, start_run: Start
) -> None:
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored here, as under nohup, and runs respect that")
    run = start_run()
    run.wait_for(lambda: len(run.complete_files()) >= 1)
    summary = RunDirectory(run.directory).summary
    while summary()["status"] == "running" and run.process.poll() is None:  # impatient
        run.process.send_signal(number)
        os.sched_yield()
    run.assert_fails("interrupted", codes=(130,))
    assert summary()["status"] == "interrupted"
    await_free(run.directory)


def test_a_read_only_disk_is_one_sentence(cli: Cli, small_case: Path, small_disk: Path) -> None:
    (small_disk / "old").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for words in (["--out", small_disk / "run"], ["--out", small_disk / "old", "--overwrite"]):
        result = cli("run", small_case, *words)
        assert result.returncode == 2
        (line,) = result.stderr.splitlines()
        assert "Read-only file system" in line


def test_a_full_disk_is_one_sentence_and_keeps_no_half_directory(
    cli: Cli, small_case: Path, small_disk: Path, model: Path
) -> None:
    fill = f"cat /dev/zero > '{small_disk}/ballast'"
    subprocess.run(["sh", "-c", fill], capture_output=True, check=False)
    result = cli("run", small_case, "--out", small_disk / "deep" / "run")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert "No space left on device" in line
    assert [each.name for each in small_disk.iterdir()] == ["ballast"]


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Or the directory of a good run would say for ever that it is running."""
    record = RunRecord(RunDirectory(tmp_path), {})
    record.begin()
    (tmp_path / "run.json.part").mkdir()
    with pytest.raises(ThalwegError, match=r"run\.json'? cannot be written"):
        record.end("complete")
    assert json.loads((tmp_path / "run.json").read_text())["status"] == "running"


def test_an_mpi_that_does_not_start_says_why(
    cli: Cli, small_case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    no_directory = tmp_path / "file"
    no_directory.touch()
    monkeypatch.setenv("TMPDIR", str(no_directory))
    result = cli("run", small_case, "--out", tmp_path / "run")
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert str(no_directory) in result.stderr.partition("MPI said")[2]
    assert "log.txt" in result.stderr
