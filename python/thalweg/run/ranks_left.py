# SPDX-License-Identifier: Apache-2.0
"""Ranks that outlive their mpirun, as they do for a moment where that was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from thalweg.config.experiment import Experiment
from thalweg.files.run_directory import RunDirectory

PATIENCE_S = 5.0  # ranks of Open MPI 4.1 ended 0.6 s after an mpirun that was killed
_NAP_S = 0.02


def end_session(session: int) -> None:
    """Returns when no process of it runs on this machine; ends those that do not by themselves."""
    try:
        _await(lambda: not _processes_of(session))
    finally:  # also for a user who does not wait
        for process in _processes_of(session):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        _await(lambda: not _processes_of(session))


def await_locks(run: RunDirectory, experiment: Experiment) -> bool:
    """Until rank 0 of a run that began, wherever it runs, holds none. False if it does not end."""
    return _await(lambda: not a_lock_is_held(run, experiment))


def a_lock_is_held(run: RunDirectory, experiment: Experiment) -> bool:
    """Of its streams' journals (src/output/files/stream_locks.cpp) or its checkpoints: those of
    other streams are other programs'.
    """
    bytes_of_streams = [zlib.crc32(name.encode()) for name in experiment.stream_names()]
    locks = [(run.journal_path, byte) for byte in bytes_of_streams]
    if experiment.text("restart", "mode") != "none":
        locks.append((run.path / "restart", 0))
    return any(_is_held(folder / ".lock", byte) for folder, byte in locks)


def _await(happened: Callable[[], bool]) -> bool:
    give_up_s = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > give_up_s:
            return False
        time.sleep(_NAP_S)
    return True


def _processes_of(session: int) -> list[int]:
    """Those that have not ended (proc(5))."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = path.read_text(errors="replace").rpartition(") ")[2].split()
            state, its_session = words[0], int(words[3])
            if its_session == session and state not in "ZX":
                found.append(int(path.parent.name))
    return found


def _is_held(path: Path, byte: int) -> bool:
    try:
        with path.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except BlockingIOError:
        return True
    except OSError:  # it is gone, or locks cannot be had
        return False
    return False
