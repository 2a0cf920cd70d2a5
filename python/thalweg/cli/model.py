# SPDX-License-Identifier: Apache-2.0
"""Commands that hand over to the compiled programs: grid and fields."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from thalweg.cli.table import print_entries
from thalweg.config.checkout import program
from thalweg.config.errors import ThalwegError
from thalweg.run.launch import error_sentences, mpirun_environment


def write_grid(name: str, out: Path) -> None:
    """`thalweg_grid` checks the name and writes the file."""
    print(_output_of([str(program("thalweg_grid")), name, "-o", str(out)]), end="")


def print_fields(as_json: bool) -> None:
    """`thalweg_mini --fields` prints a JSON list of objects."""
    print_entries(json.loads(_output_of([str(program("thalweg_mini")), "--fields"])), as_json)


def _output_of(command: list[str]) -> str:
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=mpirun_environment(),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if result.returncode == 0:
        return result.stdout
    sentences = error_sentences(result.stderr)
    if sentences:
        raise ThalwegError(sentences[0], exit_code=2 if result.returncode == 2 else 1)
    raise ThalwegError(
        f"'{Path(command[0]).name}' ended with code {result.returncode} and without a sentence",
        exit_code=1,
    )
