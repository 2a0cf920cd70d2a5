# SPDX-License-Identifier: Apache-2.0
"""Commands that hand over to the compiled programs: grid, modes, fields."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from thalweg.config.checkout import program
from thalweg.config.errors import ThalwegError
from thalweg.run.launch import error_sentences, mpirun_environment


def write_grid(name: str, out: Path) -> None:
    """`thalweg_grid` checks the name and writes the file."""
    print(_output_of([str(program("thalweg_grid")), name, "-o", str(out)]), end="")


def print_list(what: str, as_json: bool) -> None:
    """`thalweg_mini --modes` or `--fields` print a JSON list of objects; shown as a table."""
    text = _output_of([str(program("thalweg_mini")), f"--{what}"])
    entries = json.loads(text)
    if as_json:
        print(json.dumps(entries, indent=1))
    else:
        print_table(entries)


def print_table(entries: list[dict[str, Any]]) -> None:
    """Left-aligned columns, the last one as long as it likes."""
    columns = list(entries[0]) if entries else []
    rows = [columns, *([str(entry[column]) for column in columns] for entry in entries)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())


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
