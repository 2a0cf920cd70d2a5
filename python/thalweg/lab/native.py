# SPDX-License-Identifier: Apache-2.0
"""Runs a native benchmark under mpirun and hands on its JSON lines as they come."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.lab.results import Line
from thalweg.run.launch import mpirun_command
from thalweg.run.process import ModelProcess


def run_native(
    words: list[str], ranks: int, folder: Path, mpi_io: str = "", limit_s: float = math.inf
) -> Iterator[Line]:
    """Raises the program's own sentence, one about the first wrong value it read back, or one that
    it took longer than limit_s.
    """
    command = mpirun_command(ranks, words)
    if mpi_io:
        command[1:1] = ["--mca", "io", mpi_io]
    log_path = folder.with_suffix(".log")  # beside it: the program empties its folder
    wrong: list[str] = []
    end_s = time.monotonic() + limit_s
    with ModelProcess(command, log_path, {}) as process:
        for line in process.messages():
            if time.monotonic() > end_s:
                raise ThalwegError(
                    f"'{Path(words[0]).name}' was ended after {limit_s:.0f} s: ranks or the disk "
                    "stand still; look at both",
                    exit_code=1,
                )
            if "wrong" in line:
                wrong.append(f"{line.get('method')} wrote wrong values: {line['wrong']}")
            if line:
                yield line
        if wrong:
            raise ThalwegError(wrong[0], exit_code=1)
        failure = process.failure()
    if failure:
        last = log_path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
        words_said = f"; its last words: {' | '.join(last)}" if last else ""
        raise ThalwegError(
            failure.sentence.replace(f"; see '{log_path}'", words_said), failure.exit_code
        )
