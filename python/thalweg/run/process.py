# SPDX-License-Identifier: Apache-2.0
"""One mpirun and what its ranks say: JSON lines to the caller, everything to the log."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from types import TracebackType
from typing import IO, Any

from thalweg.errors import ThalwegError
from thalweg.run.launch import ERROR_MARK, WARNING_MARK, mpirun_environment
from thalweg.run.ranks_left import end_session

_GRACE_S = 5.0  # between SIGTERM and SIGKILL: mpirun needs about 1 s to stop its ranks
# Ranks that do not end by themselves after an error sentence are stopped, and so is an mpirun that
# hangs after a rank was killed: Open MPI 4.1 did, once in 199 kills.
AFTER_ERROR_S = 20.0
_RANK_CODE = re.compile(
    r"^\s*Exit code:\s+(\d+)"
)  # mpirun's own may be that of a stumble at its end
_DASHES = "-" * 60
_BOX_LINES = 40  # what has more between dashed lines is nothing that Open MPI says
_LIMITS: dict[int, str] = {
    signal.SIGXFSZ: ": a file would outgrow the limit of file sizes (see 'ulimit -f')",
    signal.SIGXCPU: ": it used all processor time it may (see 'ulimit -t')",
}
_SIGNALLED = re.compile(r"rank (\d+) .*exited on signal (\d+)")


class ModelProcess:
    """Use as a context manager: leaving it stops what still runs. `log` gets what ranks say."""

    def __init__(
        self, command: list[str], log: Path, extra: dict[str, str], inherited: Sequence[int] = ()
    ) -> None:
        """inherited: descriptors that mpirun keeps open as long as it lives."""
        self._log_path = log
        # Unbuffered: a line that a full disk refuses is lost, and not tried again at the end.
        self._log = log.open("ab", buffering=0)
        self._log_lock = threading.Lock()
        self._lines: queue.Queue[tuple[str, str] | None] = queue.Queue()
        self._errors: list[str] = []
        self._rank_code = 1
        self._signalled: tuple[int, int] | None = None  # (rank, signal)
        self._box = ""  # what Open MPI says first between two dashed lines, but for warnings
        self._open_box: list[str] | None = None
        self._process = subprocess.Popen(
            [*_ending_with_us(), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**mpirun_environment(), **extra},
            start_new_session=True,  # Ctrl-C reaches us alone: we stop mpirun, mpirun its ranks
            pass_fds=tuple(inherited),
        )
        self._readers = [
            threading.Thread(target=self._read, args=(name, pipe), daemon=True)
            for name, pipe in (("out", self._process.stdout), ("error", self._process.stderr))
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> ModelProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def messages(self) -> Iterator[dict[str, Any]]:
        """JSON objects as they come, {} about once a second in between; ends with the process."""
        open_pipes, failed_at = len(self._readers), 0.0
        while open_pipes:
            try:
                line = self._lines.get(timeout=1.0)
            except queue.Empty:
                if failed_at and time.monotonic() - failed_at > AFTER_ERROR_S:
                    self.stop()
                yield {}
                continue
            if line is None:
                open_pipes -= 1
                continue
            name, text = line
            if name == "error" and WARNING_MARK in text:
                yield {"note": "warning: " + text.partition(WARNING_MARK)[2].strip()}
                continue
            if name == "error":
                self._note_error(text)
                failed = self._errors or self._signalled
                failed_at = failed_at or (time.monotonic() if failed else 0.0)
                continue
            message = _json_object(text)
            if message:
                yield message
        self._process.wait()

    def stop(self) -> None:
        """Ends every rank: SIGTERM to mpirun, which ends its ranks, then SIGKILL. Ranks of an
        mpirun that was killed end by themselves, if a moment later.
        """
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        end_session(self._process.pid)
        for reader in self._readers:
            reader.join(_GRACE_S)
        with self._log_lock:
            self._log.close()

    def failure(self) -> ThalwegError | None:
        """After the end: the ranks' own sentence, or one about the signal or code."""
        code = self._process.returncode
        if code == 0 and not self._errors:
            return None
        if self._errors:
            codes = [each for each in (code, self._rank_code) if each in (1, 2)]
            return ThalwegError(self._errors[0], exit_code=codes[0] if codes else 1)
        if self._signalled or code < 0 or 128 < code <= 128 + signal.SIGRTMAX:
            number = self._signalled[1] if self._signalled else (-code if code < 0 else code - 128)
            who = f"rank {self._signalled[0]}" if self._signalled else "mpirun"
            sentence = f"{who} was ended by signal {number} ({_signal_name(number)})"
            sentence += _LIMITS.get(number, "")
        else:
            sentence = f"the model ended with code {code} and without a sentence"
            sentence += f"; MPI said '{shorten(self._box, 240)}'" if self._box else ""
        return ThalwegError(f"{sentence}; see '{self._log_path}'", exit_code=1)

    def _read(self, name: str, pipe: IO[bytes]) -> None:
        for raw in pipe:
            # Disk full or directory gone: the ranks say so better than we can.
            with self._log_lock, contextlib.suppress(OSError, ValueError):
                self._log.write(raw)
            self._lines.put((name, raw.decode("utf-8", errors="replace").rstrip("\n")))
        self._lines.put(None)

    def _note_box(self, text: str) -> None:
        if not text.startswith(_DASHES):
            if self._open_box is not None:
                self._open_box.append(text)
                if len(self._open_box) > _BOX_LINES:
                    self._open_box = None
        elif self._open_box is None:
            self._open_box = []
        else:
            words = " ".join(" ".join(self._open_box).split())
            self._open_box = None
            if not self._box and not words.upper().startswith("WARNING"):
                self._box = words

    def _note_error(self, text: str) -> None:
        self._note_box(text)
        if ERROR_MARK in text:
            self._errors.append(text.partition(ERROR_MARK)[2].strip())
        if match := _RANK_CODE.match(text):
            self._rank_code = int(match[1])
        match = _SIGNALLED.search(text)
        if match and self._signalled is None:
            self._signalled = int(match[1]), int(match[2])


def _ending_with_us() -> list[str]:
    """Whoever kills this process with signal 9 ends mpirun with 15, which ends its ranks."""
    path = shutil.which("setpriv")
    if path is None:
        raise ThalwegError("'setpriv' is not installed; install util-linux")
    return [path, "--pdeathsig", "TERM", "--"]


def _json_object(text: str) -> dict[str, Any]:
    if not text.startswith("{"):
        return {}
    try:
        content = json.loads(text)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
