# SPDX-License-Identifier: Apache-2.0
"""One mpirun of the mini-model whose ranks can be found and killed; it always ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from thalweg.config.experiment import Experiment
from thalweg.run.launch import model_command, mpirun_command, mpirun_environment
from thalweg.run.process import AFTER_ERROR_S

_STOPS_WITHIN_S = 60.0
ENDS_WITHIN_S = 180.0  # after a kill, and a whole undisturbed run on a busy machine


def ranks_of(directory: Path) -> dict[int, int]:
    """{rank: process id} of the ranks that work for this directory."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if not words[0].endswith(b"thalweg_mini") or str(directory).encode() not in words:
                continue
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in environment:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.partition(b"=")[2])] = int(entry.name)
    return found


@contextlib.contextmanager
def stopped(processes: Iterable[int]) -> Iterator[None]:
    """These do nothing meanwhile; one that is gone does nothing either.

    A signal has only been sent when kill() returns: a process that waits for a core ends the call
    it is in, such as a write, before it stops.
    """
    known = list(processes)
    _signal(known, signal.SIGSTOP)
    try:
        deadline_s = time.monotonic() + _STOPS_WITHIN_S
        while not all(map(_stands, known)):
            assert time.monotonic() < deadline_s, f"{known} do not stop"
            time.sleep(0.001)
        yield
    finally:
        _signal(known, signal.SIGCONT)


def _stands(process: int) -> bool:
    """All its threads are stopped or at their end (proc(5))."""
    states = []
    for path in Path(f"/proc/{process}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            states.append(path.read_text().rpartition(") ")[2][:1])
    return all(state in "TtXZ" for state in states)


def kill_together(processes: Iterable[int]) -> None:
    """SIGKILL for ranks of one mpirun, as where their machine fails.

    Where one ends, mpirun lets the others go on before it ends them, those too that are stopped:
    it sees nothing before all are gone.
    """
    known = list(processes)
    try:
        with stopped({parent for process in known for parent in _launcher(process)}):
            _signal(known, signal.SIGKILL)
    finally:
        _signal(known, signal.SIGKILL)  # though mpirun did not stop


def _launcher(process: int) -> Iterator[int]:
    """The mpirun that started it, unless one of them is gone (proc(5))."""
    with contextlib.suppress(OSError):
        parent = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[1]
        if Path(f"/proc/{parent}/comm").read_text().strip() in ("mpirun", "orterun", "mpiexec"):
            yield int(parent)


def _signal(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


@dataclass
class RankedRun:
    """Started by start(); wait() must follow."""

    directory: Path
    process: subprocess.Popen[bytes]
    began_s: float
    launcher_hung: bool = False  # nothing of ours ran any more, but mpirun did

    @staticmethod
    def start(case: Path, directory: Path, overrides: list[str]) -> RankedRun:
        experiment = Experiment.read(case, overrides)
        (directory / "files").mkdir(parents=True, exist_ok=True)
        path = directory / "experiment.toml"
        path.write_text(experiment.to_toml(), encoding="utf-8")
        ranks = experiment.integer("machine", "ranks")
        command = mpirun_command(ranks, model_command(path, directory))
        with (directory / "out.txt").open("wb") as out, (directory / "err.txt").open("wb") as err:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=mpirun_environment(),
                start_new_session=True,
            )
        return RankedRun(directory, process, time.monotonic())

    def kill_rank(self, rank: int, entries: int, after_s: float) -> bool:
        """SIGKILL so long after so many files and checkpoints are there, or after the start.

        False if the rank had ended, or the run without it.
        """
        process_id, from_s = 0, 0.0 if entries else self.began_s
        while self.process.poll() is None:
            process_id = process_id or ranks_of(self.directory).get(rank, 0)
            if not from_s and self._entries() >= entries:
                from_s = time.monotonic()
            if process_id and from_s and time.monotonic() >= from_s + after_s:
                break
            time.sleep(0.001)
        if not process_id:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGKILL)
            return True
        return False

    def wait(self) -> tuple[int, float]:
        """(exit code, seconds since the start); ends everything and raises if it takes too long."""
        try:
            code = self._wait_for_mpirun()
            took_s = time.monotonic() - self.began_s
            deadline_s = time.monotonic() + 5.0
            while (left := ranks_of(self.directory)) and time.monotonic() < deadline_s:
                time.sleep(0.02)
        except subprocess.TimeoutExpired:
            left = ranks_of(self.directory)
            raise AssertionError(
                f"not ended within {ENDS_WITHIN_S} s; ranks {left}; {self.errors()}"
            ) from None
        finally:
            self._end_everything()
        assert not left, f"mpirun ended, but ranks {left} are still there"
        return code, took_s

    def _entries(self) -> int:
        folders = (self.directory / "files", self.directory / "restart")
        paths = [path for each in folders if each.is_dir() for path in each.iterdir()]
        return sum(path.suffix not in (".part", ".old", ".json") for path in paths)

    def _wait_for_mpirun(self) -> int:
        """As `thalweg run`: an mpirun that hangs although no rank is left is ended, and noted."""
        deadline_s = time.monotonic() + ENDS_WITHIN_S
        seen_s = time.monotonic()  # when a rank was seen last
        while time.monotonic() < deadline_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(1.0)
            if ranks_of(self.directory):
                seen_s = time.monotonic()
            elif time.monotonic() > seen_s + AFTER_ERROR_S:
                self.launcher_hung = True
                return -signal.SIGKILL
        raise subprocess.TimeoutExpired("mpirun", ENDS_WITHIN_S)

    def errors(self) -> str:
        return (self.directory / "err.txt").read_text(encoding="utf-8", errors="replace")

    def output(self) -> str:
        return (self.directory / "out.txt").read_text(encoding="utf-8", errors="replace")

    def _end_everything(self) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for process_id in ranks_of(self.directory).values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
