# SPDX-License-Identifier: Apache-2.0
"""A run that cannot go on ends on every rank within seconds, with a sentence and no half files."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.run.process import ModelProcess
from thalweg.run.ranks_left import a_lock_is_held
from thalweg.run.runner import RunRequest, run_case

Start = Callable[..., Any]  # returns the RunningCase of conftest.py
MODES = ["async", "serial"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_full_disk_ends_the_run(mode: str, start_run: Start, small_disk: Path) -> None:
    run = start_run(f"io.mode={mode}", directory=small_disk / "run")
    run.assert_fails("is full", codes=(2,))
    assert run.complete_files(), "some outputs fit"
    run.assert_complete_files_are_whole()
    assert list(run.files.glob("*.part")), "what did not fit keeps its aside name"


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("mode", MODES)
def test_a_full_disk_inside_one_large_file_ends_the_run(
    mode: str, start_run: Start, small_disk: Path
) -> None:
    run = start_run(f"io.mode={mode}", "output.file_interval=0", directory=small_disk / "run")
    run.assert_fails("is full", codes=(2,))
    assert not run.complete_files()


@pytest.mark.some(2)
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
    found = RunDirectory(run.directory)
    without_checkpoints = Experiment.read(found.experiment_path, ["restart.mode=none"])
    assert a_lock_is_held(found, without_checkpoints), "by rank 0, of its stream"
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


@contextlib.contextmanager
def held(path: Path, byte: int) -> Iterator[None]:
    """By another program (src/file/file_lock.cpp)."""
    words = "import fcntl, sys; f = open(sys.argv[1], 'w'); "
    words += "fcntl.lockf(f, 2, 1, int(sys.argv[2])); print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", words, str(path), str(byte)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline()
        yield
        holder.stdin.close()
        holder.wait()


def test_a_failed_run_waits_for_a_rank_on_another_node(tmp_path: Path, small_case: Path) -> None:
    """Of which nothing is seen here but its locks: another program has those of other streams."""
    run = RunDirectory(tmp_path / "run")
    experiment = Experiment.read(small_case)
    with_checkpoints = Experiment.read(small_case, ["restart.mode=sync"])
    paths = run.journal_path / ".lock", run.path / "restart/.lock"
    for path in paths:
        path.parent.mkdir(parents=True)
        assert not a_lock_is_held(run, with_checkpoints), "there is none"
        path.touch()
        assert not a_lock_is_held(run, with_checkpoints), "a rank left it"
    for name, ours in (("main", True), ("flat", True), ("other", False)):
        with held(paths[0], zlib.crc32(name.encode())):
            assert a_lock_is_held(run, experiment) == ours, name
    with held(paths[1], 0):
        assert a_lock_is_held(run, with_checkpoints)
        assert not a_lock_is_held(run, experiment)
    assert not a_lock_is_held(run, with_checkpoints)


def test_a_run_that_never_began_waits_for_no_lock(
    tmp_path: Path, small_case: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is another program's, and perhaps the very reason why the model refused."""
    words = ["restart.mode=sync", "restart.interval=PT1H"]
    run_case(RunRequest(small_case, 0, words, tmp_path / "run", quiet=True))
    looks: list[object] = []
    monkeypatch.setattr("thalweg.run.ranks_left.a_lock_is_held", lambda *all_: looks.append(all_))
    again = RunRequest(
        small_case, 0, [*words, "model.levels=4"], tmp_path / "run", goes_on=True, quiet=True
    )
    with pytest.raises(ThalwegError, match="levels"):
        run_case(again)
    assert not looks


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
