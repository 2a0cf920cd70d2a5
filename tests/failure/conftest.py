# SPDX-License-Identifier: Apache-2.0
"""A run that lasts, started beside the test, so that something can be done to it."""

from __future__ import annotations

import contextlib
import os
import runpy
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from thalweg.testing.command import ThalwegCommand
from thalweg.testing.model_fields import fields_of_all
from thalweg.testing.ranked_run import ranks_of, stopped

# Every output time has its own file, so a run goes through create, write and rename all the time.
LONG_CASE = """
[grid]
name = "R2B3"
[model]
case = "jet"
levels = 5
[time]
duration = "P20D"
[[output]]
name = "long"
interval = "PT1H"
file_interval = "PT1H"
[io]
timeout = 60
[machine]
ranks = 3
"""
# Only a hang lasts so long, on however busy a machine; [io] timeout above ends it before.
HANGS_AFTER_S = 180.0


def status_of(process: int) -> list[str]:
    """Its state, one letter as in ps, and its parent first (proc(5))."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


@dataclass
class ForkedCommand:
    """`thalweg` as a process of its own, forked as those of `cli` are, with what subprocess.Popen
    has to look at it and to end it.
    """

    process: BaseProcess
    said: tuple[Path, Path]

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float = HANGS_AFTER_S) -> int:
        self.process.join(timeout)
        assert self.process.exitcode is not None, f"not ended within {timeout} s"
        return self.process.exitcode

    def communicate(self, timeout: float = HANGS_AFTER_S) -> tuple[str, str]:
        """What it said until its end."""
        self.wait(timeout)
        out, err = (path.read_text(encoding="utf-8") for path in self.said)
        return out, err

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass
class RunningCase:
    """`thalweg run` as a process of its own."""

    process: ForkedCommand
    directory: Path

    @property
    def files(self) -> Path:
        return self.directory / "files"

    def wait_for(self, happened: Callable[[], bool], every_s: float = 0.004) -> None:
        """Looks again and again; fails if the run ends first."""
        deadline = time.monotonic() + HANGS_AFTER_S
        while not happened():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline, f"nothing happened within {HANGS_AFTER_S} s"
            time.sleep(every_s)

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """No rank does anything meanwhile: several changes are one to them."""
        processes = self.rank_processes()
        with stopped(processes):
            self.wait_for(lambda: all(status_of(process)[0] == "T" for process in processes))
            yield

    def complete_files(self) -> list[Path]:
        return sorted(self.files.glob("*.nc"))

    def assert_fails(self, *words: str, codes: tuple[int, ...] = (1, 2)) -> None:
        """By itself, with one sentence, and without leaving a rank behind."""
        _, errors = self.process.communicate(timeout=HANGS_AFTER_S)
        lines = [line for line in errors.splitlines() if line.startswith("thalweg: error: ")]
        assert len(lines) == 1, errors
        assert "Traceback" not in errors
        assert self.process.returncode in codes
        assert any(word in lines[0] for word in words), lines[0]
        deadline = time.monotonic() + HANGS_AFTER_S
        while self.rank_processes():  # a killed one may need a moment to go
            assert time.monotonic() < deadline, "ranks are still running"
            time.sleep(0.01)

    def rank_processes(self) -> list[int]:
        """Process ids of the ranks that work for this directory, in the order of their ranks."""
        return [process for _, process in sorted(ranks_of(self.directory).items())]

    def mpirun(self) -> int:
        """Its process id."""
        return int(status_of(self.rank_processes()[0])[1])

    def assert_complete_files_are_whole(self, folder: Path | None = None) -> None:
        """Every file under its final name has every value."""
        for file in (folder or self.files).glob("*.nc"):
            assert_complete(file)


def assert_complete(file: Path) -> None:
    """A file with its final name opens, and every value of every field was written."""
    with netCDF4.Dataset(file) as dataset:
        dataset.set_auto_maskandscale(False)
        names = [
            name for name, each in dataset.variables.items() if each.dimensions[:1] == ("time",)
        ]
        assert {str(field["name"]) for field in fields_of_all()} <= set(names), file
        for name in names:
            assert np.isfinite(dataset.variables[name][:]).all(), (file, name)


@pytest.fixture(scope="session")
def slow_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """slow_disk.c, to be loaded."""
    library, source = tmp_path_factory.mktemp("disk") / "slow_disk.so", "slow_disk.c"
    words = ["cc", "-shared", "-fPIC", str(Path(__file__).with_name(source)), "-o", str(library)]
    subprocess.run(words, check=True)
    return library


@pytest.fixture
def use_slow_disk(
    slow_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., contextlib.AbstractContextManager[None]]:
    """SLOW_DISK_S, SLOW_READ_S, SLOW_EVENTS_S: how long each write into a restart set, read of an
    output file, write of events takes; DISK_GATE: no output is written before this file is there;
    HELD_FILE, HELD_NAME, HELD_NAMED: who creates a file with this in its path, is to rename it, or
    has just given it that name, leaves a sign, FILE.held, and waits for ever; SHORT_WRITE: of a
    rank's large writes of output the one of this number, from 1, is done by half.

    For what is started in this context: `cli` forks only where the environment is the usual one.
    """

    @contextlib.contextmanager
    def use(**settings: object) -> Iterator[None]:
        with monkeypatch.context() as patched:
            patched.setenv("LD_PRELOAD", str(slow_disk))
            for name, setting in settings.items():
                patched.setenv(name, str(setting))
            yield

    return use


@pytest.fixture
def start_thalweg(tmp_path: Path, cli: ThalwegCommand) -> Iterator[Callable[..., ForkedCommand]]:
    """Starts `thalweg` with these words, in the environment of this moment; stops it after the
    test whatever happened.
    """
    started: list[ForkedCommand] = []

    def start(*words: object) -> ForkedCommand:
        said = tuple(tmp_path / f"said_{len(started)}.{name}" for name in ("out", "err"))
        for path in said:
            path.touch()
        given = {"words": [*map(str, words)], "environment": dict(os.environ), "said": said}
        script = str(Path(__file__).with_name("forked_run.py"))
        process = cli.processes.Process(target=runpy.run_path, args=(script, given))
        process.start()
        started.append(ForkedCommand(process, (said[0], said[1])))
        return started[-1]

    yield start
    for each in started:
        if each.poll() is None:
            each.terminate()
            each.wait()


@pytest.fixture
def start_run(
    tmp_path: Path, model: Path, start_thalweg: Callable[..., ForkedCommand]
) -> Callable[..., RunningCase]:
    """Starts a long run in a directory; it is stopped after the test whatever happened."""

    def start(*overrides: str, directory: Path | None = None, goes_on: bool = False) -> RunningCase:
        case = tmp_path / "long.toml"
        case.write_text(LONG_CASE)
        directory = directory or tmp_path / "run"
        words = ["run", str(case), "--out", str(directory)]
        for override in overrides:
            words += ["--set", override]
        words += ["--continue"] * goes_on
        return RunningCase(start_thalweg(*words), directory)

    return start
