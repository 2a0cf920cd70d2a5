# SPDX-License-Identifier: Apache-2.0
"""Runs a native benchmark under mpirun and hands on its JSON lines as they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.lab.results import Line
from thalweg.run.launch import mpirun_command
from thalweg.run.process import ModelProcess


def run_native(words: list[str], ranks: int, folder: Path, mpi_io: str = "") -> Iterator[Line]:
    """Raises the program's own sentence, or one about the first wrong value it read back."""
    command = mpirun_command(ranks, words)
    if mpi_io:
        command[1:1] = ["--mca", "io", mpi_io]
    log_path = folder.with_suffix(".log")  # beside it: the program empties its folder
    wrong: list[str] = []
    with ModelProcess(command, log_path, {}) as process:
        for line in process.messages():
            if "wrong" in line:
                wrong.append(f"{line.get('method')} wrote wrong values: {line['wrong']}")
            if line:
                yield line
        if wrong:
            raise ThalwegError(wrong[0], exit_code=1)
        failure = process.failure()
    if failure:
        last = log_path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
        raise ThalwegError(
            failure.sentence.replace(f"see '{log_path}'", "its last words: " + " | ".join(last)),
            failure.exit_code,
        )
