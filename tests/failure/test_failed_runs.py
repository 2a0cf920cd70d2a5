# SPDX-License-Identifier: Apache-2.0
"""A run that cannot go on ends on every rank within seconds, with a sentence and no half files."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.run_directory import RunDirectory
from thalweg.run.process import ModelProcess
from thalweg.run.ranks_left import a_lock_is_held

Start = Callable[..., Any]  # returns the RunningCase of conftest.py
MODES = ["async", "serial"]


@pytest.mark.parametrize("mode", MODES)
def test_a_full_disk_ends_the_run(mode: str, start_run: Start, small_disk: Path) -> None:
    run = start_run(f"io.mode={mode}", directory=small_disk / "run")
    run.assert_fails("is full", codes=(2,))
    assert run.complete_files(), "some outputs fit"
    run.assert_complete_files_are_whole()
    assert list(run.files.glob("*.part")), "what did not fit keeps its aside name"


@pytest.mark.parametrize("mode", MODES)
def test_a_full_disk_inside_one_large_file_ends_the_run(
    mode: str, start_run: Start, small_disk: Path
) -> None:
    run = start_run(f"io.mode={mode}", "output.file_interval=0", directory=small_disk / "run")
    run.assert_fails("is full", codes=(2,))
    assert not run.complete_files()


@pytest.mark.parametrize("mode", MODES)
def test_a_removed_directory_ends_the_run(mode: str, start_run: Start) -> None:
    run = start_run(f"io.mode={mode}")
    run.wait_for(lambda: len(run.complete_files()) >= 2)
    run.files.rename(run.directory / "gone")
    run.assert_fails("is not there", codes=(2,))
    run.assert_complete_files_are_whole(run.directory / "gone")
    summary = json.loads((run.directory / "run.json").read_text())
    assert summary["status"] == "failed"
    assert "is not there" in summary["error"]


def test_a_removed_run_directory_ends_the_run(start_run: Start) -> None:
    run = start_run()
    run.wait_for(lambda: len(run.complete_files()) >= 2)
    aside = run.directory.rename(run.directory.with_name("aside"))  # at once; rmtree would race
    shutil.rmtree(aside)
    run.assert_fails("is not there", codes=(2,))


@pytest.mark.parametrize(("rank", "role"), [(-1, "I/O"), (1, "compute")])
def test_a_killed_rank_ends_the_run(rank: int, role: str, start_run: Start) -> None:
    run = start_run()
    run.wait_for(lambda: len(run.complete_files()) >= 1)
    os.kill(run.rank_processes()[rank], signal.SIGKILL)
    run.assert_fails("was ended by signal 9 (SIGKILL)", codes=(1,))
    run.assert_complete_files_are_whole()


def test_a_run_whose_mpirun_is_killed_lists_what_its_ranks_leave(
    start_run: Start, cli: Callable[..., Any]
) -> None:
    run = start_run("restart.mode=sync", "restart.interval=PT1H", "restart.keep=1")
    run.wait_for(lambda: len(run.complete_files()) >= 2)
    os.kill(run.mpirun(), signal.SIGKILL)
    run.process.wait()
    assert not run.rank_processes(), "ranks outlive the run"
    run.assert_fails("mpirun was ended by signal 9 (SIGKILL)", codes=(1,))
    assert "missing" not in cli("verify", run.directory).stdout


def test_ranks_that_do_not_end_after_their_mpirun_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thalweg.run.ranks_left.PATIENCE_S", 0.1)
    held, holder = os.pipe2(os.O_NONBLOCK)
    words = ["sh", "-c", "sleep 600 >/dev/null 2>&1 & kill -9 $$"]
    with ModelProcess(words, tmp_path / "log.txt", {}, [holder]) as process:
        assert not any(process.messages())
    os.close(holder)
    assert os.read(held, 1) == b"", "whoever inherited the other end has ended"
    os.close(held)


def test_a_failed_run_waits_for_a_rank_on_another_node(tmp_path: Path) -> None:
    """Of which nothing is seen here but its lock."""
    run = RunDirectory(tmp_path)
    run.journal_path.mkdir()
    assert not a_lock_is_held(run), "there is none"
    path = run.journal_path / ".lock"
    path.touch()
    assert not a_lock_is_held(run), "a rank left it"
    words = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, 2); print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", words, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as rank:
        assert rank.stdin is not None
        assert rank.stdout is not None
        rank.stdout.readline()
        assert a_lock_is_held(run)
        rank.stdin.close()
        rank.wait()
    assert not a_lock_is_held(run)


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_stops_its_ranks(number: signal.Signals, start_run: Start) -> None:
    run = start_run()
    run.wait_for(lambda: len(run.complete_files()) >= 1)
    run.process.send_signal(number)
    run.assert_fails("interrupted", codes=(130,))
    assert json.loads((run.directory / "run.json").read_text())["status"] == "interrupted"
    run.assert_complete_files_are_whole()


def test_a_log_on_a_full_disk_hides_no_sentence(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.symlink_to("/dev/full")
    words = "echo 'thalweg: error: the disk is full' >&2; exit 2"
    with ModelProcess(["sh", "-c", words], log, {}) as process:
        assert not any(process.messages())
    failure = process.failure()
    assert failure is not None
    assert (failure.sentence, failure.exit_code) == ("the disk is full", 2)


def test_what_mpi_says_is_its_first_box_that_is_no_warning(tmp_path: Path) -> None:
    line, log = "-" * 76, tmp_path / "log.txt"
    noise = "\n".join(f"noise {number}" for number in range(100))
    cause = f"No room\n  for ranks\n{line}"
    boxes = [f"WARNING: no\n  fast network\n{line}", cause, f"Later\n{line}"]
    for text, said in (
        (f"{line}\n" + f"\n{line}\n".join(boxes), "; MPI said 'No room for ranks'"),
        (f"{line}\n{noise}\n{line}\n{cause}", "; MPI said 'No room for ranks'"),
        (f"{line}\n{noise}", ""),
    ):
        (tmp_path / "said").write_text(text + "\n")
        words = ["sh", "-c", f"cat '{tmp_path}/said' >&2; exit 1"]
        with ModelProcess(words, log, {}) as process:
            assert not any(process.messages())
        failure = process.failure()
        assert failure is not None
        assert failure.sentence.endswith(f" without a sentence{said}; see '{log}'")
