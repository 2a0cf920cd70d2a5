# SPDX-License-Identifier: Apache-2.0
"""`thalweg run --continue` goes on whatever a kill left: output behind all checkpoints that `keep`
names, or no checkpoint at all.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.journal import JournalTime, read_journal
from thalweg.files.restart_sets import list_restart_sets
from thalweg.files.run_directory import RunDirectory
from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import ENDS_WITHIN_S, RankedRun, kill_together, ranks_of, stopped

Cli = Callable[..., Any]  # returns the ended process

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "P2D"
[[output]]
name = "main"
interval = "PT1H"
file_interval = "PT5H"
[io]
mode = "async"
ranks = 1
backpressure = "spill"
[restart]
mode = "sync"
interval = "PT3H"
keep = 1
[machine]
ranks = 2
"""
LAST_SET = "20000103T000000Z"
NO_WAITING = "io.timeout=600"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    return path


def assert_same_files(one: Path, other: Path) -> None:
    ones, others = final_files(one), final_files(other)
    assert sorted(ones) == sorted(others)
    for name, file in ones.items():
        assert not difference(content_of(file), content_of(others[name])), name
    assert not list((other / "files").glob("*.part"))


def times_of(run: Path) -> list[JournalTime]:
    """Those that are whole in any file."""
    return [time for path in (run / "journal").glob("*.jsonl") for time in read_journal(path).times]


def look_until(happened: Callable[[], bool], run: RankedRun) -> None:
    deadline_s = time.monotonic() + ENDS_WITHIN_S
    while not happened():
        assert run.process.poll() is None, run.errors()
        assert time.monotonic() < deadline_s, run.errors()
        time.sleep(0.001)


def run_behind(case: Path, directory: Path) -> RankedRun:
    """At its end, but for a writer that was stopped after its first time: a machine with other
    work looks later at a run, which then has to be slower.
    """
    for work in (40, 200, 1000):
        run = RankedRun.start(case, directory, [f"model.extra_work={work}", NO_WAITING])
        look_until(lambda: bool(times_of(directory)), run)
        os.kill(ranks_of(directory)[1], signal.SIGSTOP)
        # The model goes on to its end, and waits for the writer there.
        last = directory / "restart" / LAST_SET / "manifest.json"
        look_until(last.exists, run)
        if max(each.time_s for each in times_of(directory)) < 86400.0:
            return run
        kill_together(ranks_of(directory).values())
        run.wait()
        shutil.rmtree(directory)
    raise AssertionError("the writer was always stopped too late to be behind")


def test_a_run_whose_output_was_behind_all_newer_checkpoints_continues(
    case: Path, model: Path, cli: Cli, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run = run_behind(case, killed)
    assert len(list_restart_sets(killed)) > 2
    kill_together(ranks_of(killed).values())
    assert run.wait()[0] != 0
    for words in ([whole], [killed, "--continue"]):
        done = cli("run", case, "--out", *words)
        assert done.returncode == 0, done.stderr
    assert_same_files(whole, killed)
    assert [each.name for each in list_restart_sets(killed)][-1] == LAST_SET


def changing(run: Path) -> list[Path]:
    """Files whose journals end with the word that they are being changed."""
    return [
        run / "files" / f"{path.stem}.part"
        for path in (run / "journal").glob("*.jsonl")
        if path.read_bytes().splitlines()[-1].startswith(b'{"changing"')
    ]


def kill_while(happens: Callable[[], bool], run: RankedRun) -> None:
    """SIGKILL for all ranks, in a moment in which it does."""
    processes = ranks_of(run.directory).values()

    def killed() -> bool:
        if not happens():
            return False
        with stopped(processes):
            if not happens():
                return False
            kill_together(processes)
            return True

    look_until(killed, run)
    assert run.wait()[0] != 0


@pytest.mark.some(2)
@pytest.mark.parametrize(("outputs", "before_file_s"), [(13, 9 * 3600), (32, 27 * 3600)])
def test_a_file_that_hdf5_was_changing_is_written_anew_from_the_checkpoint_before_it(
    outputs: int, before_file_s: int, case: Path, model: Path, cli: Cli, tmp_path: Path
) -> None:
    """HDF5's own index of a file under way may be lost with a kill: here it surely is."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    chunked = ["output.layout=chunked", "io.way=mpiio"]
    run = RankedRun.start(case, killed, [*chunked, "model.extra_work=40", NO_WAITING])
    look_until(lambda: len(times_of(killed)) >= outputs, run)  # the third of a file of five
    kill_while(lambda: bool(changing(killed)), run)
    # Not that which has all its times and only waits for its name, while the next is begun.
    under_way = changing(killed)
    assert under_way
    for path in under_way:
        with path.open("r+b") as file:
            file.write(bytes(4096))
        path.with_name(f"{path.name}-1681719297-2250.lock").touch()  # Open MPI's, of a killed rank
    settings = [word for each in chunked for word in ("--set", each)]
    for words in ([whole], [killed, "--continue"]):
        done = cli("run", case, "--out", *words, *settings)
        assert done.returncode == 0, done.stderr
    begun_s = int(" ".join(done.stderr.split()).partition("continues at ")[2].partition(" s")[0])
    assert begun_s >= before_file_s  # later, where it was killed in a later file
    assert_same_files(whole, killed)
    assert not list((killed / "files").glob("*.lock"))


def test_a_run_without_a_checkpoint_begins_again_and_says_so(
    case: Path, cli: Cli, tmp_path: Path
) -> None:
    whole, failed = tmp_path / "whole", tmp_path / "failed"
    without = ["run", case, "--set", "restart.mode=none", "--set", "grid.name=R2B3"]
    # Unstable: its values are wrong, and its files end early.
    unstable = ["--set", "model.time_step=PT1H", "--set", "time.duration=P20D"]
    done = cli(*without, "--out", failed, *unstable)
    assert done.returncode == 2, done.stderr
    assert final_files(failed)
    for words in ([whole], [failed, "--continue"]):
        done = cli(*without, "--set", "time.duration=PT18H", "--out", *words)
        assert done.returncode == 0, done.stderr
    assert "begins at the start again" in RunDirectory(failed).summary()["notes"][-1]
    assert "begins at the start again" in " ".join(done.stderr.split())
    assert_same_files(whole, failed)
    verified = cli("verify", failed)
    assert verified.returncode == 0, verified.stdout


def test_a_run_that_may_not_go_on_is_left_as_it_was(case: Path, cli: Cli, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert cli("run", case, "--out", run, "--set", "time.duration=PT6H").returncode == 0
    kept = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    refused = cli("run", case, "--out", run, "--continue", "--set", "output.interval=PT2H")
    assert refused.returncode == 2, refused.stderr
    assert "begun with other [[output]] streams" in refused.stderr
    changed = [path for path, content in kept.items() if path.read_bytes() != content]
    # Of the attempt itself: who holds the lock, what was said, where time went.
    of_the_attempt = {"run.lock", "log.txt", "timing.json", "events.jsonl", "mpi_io.json"}
    assert {path.name for path in changed} <= of_the_attempt
    assert cli("verify", run).returncode == 0


def test_a_complete_run_without_checkpoints_is_not_begun_again(
    case: Path, cli: Cli, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    words = ["run", case, "--set", "restart.mode=none", "--out", run]
    assert cli(*words, "--set", "time.duration=PT6H").returncode == 0
    before = {name: file.stat().st_mtime_ns for name, file in final_files(run).items()}
    done = cli(*words, "--continue", "--set", "time.duration=PT9H")
    assert done.returncode == 2
    assert "is complete" in done.stderr
    assert "--overwrite" in done.stderr
    assert before == {name: file.stat().st_mtime_ns for name, file in final_files(run).items()}
