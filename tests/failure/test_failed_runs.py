# SPDX-License-Identifier: Apache-2.0
"""A run that cannot go on ends on every rank within seconds, with a sentence and no half files."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.run.process import ModelProcess

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
