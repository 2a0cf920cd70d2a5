# SPDX-License-Identifier: Apache-2.0
"""Which MPI-IO layer a run uses, and what the layer says about its hints."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory, read_json

_CHECK_TIMEOUT_S = 60.0
_COMPONENT = re.compile(r"^mca:io:(\w+):", re.MULTILINE)
# ROMIO 3.1.4, ad_hints.c, ADIOI_Info_print_keyvals: one line for each hint in force.
_ROMIO_HINT = re.compile(r"^key = (\S+)\s+value = (.*?)\s*$")


def layer_options(wish: str) -> list[str]:
    """For mpirun. wish: "auto", "ompio" or "romio"; Open MPI puts a version behind ROMIO's name."""
    if wish == "auto":
        return []
    installed = io_components()
    for name in installed:
        if re.fullmatch(rf"{wish}\d*", name):
            return ["--mca", "io", name]
    there = ", ".join(f"'{name}'" for name in installed) or "none"
    raise ThalwegError(
        f'[machine]: mpi_io = "{wish}" is not part of this machine\'s Open MPI, which has {there}; '
        'choose another layer or "auto"'
    )


def io_components() -> list[str]:
    """Names of Open MPI's MPI-IO components, e.g. ompio, romio321."""
    try:
        result = subprocess.run(
            ["ompi_info", "--parsable", "--param", "io", "all"],
            capture_output=True,
            text=True,
            timeout=_CHECK_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ThalwegError(
            f"[machine]: mpi_io can only be chosen where 'ompi_info' of Open MPI runs ({error}); "
            'use mpi_io = "auto"'
        ) from None
    names = [name for name in _COMPONENT.findall(result.stdout) if name != "base"]
    return list(dict.fromkeys(names))


def layer_environment(way: str) -> dict[str, str]:
    """For the ranks: ROMIO then prints its hints, which Open MPI keeps from MPI_File_get_info."""
    return {"ROMIO_PRINT_HINTS": "1"} if way == "mpiio" else {}


def describe_mpi_io(run: RunDirectory, wish: str) -> dict[str, Any]:
    """For run.json: the layer asked for and, if files were written by MPI-IO, for each way of them
    the layer at work, hints asked for and reported, and the hints in force that ROMIO printed."""
    story: dict[str, Any] = {"wish": wish}
    if run.mpi_io_path.is_file():
        story["files"] = read_json(run.mpi_io_path).get("files", [])
    printed = romio_hints(run.log_path)
    if printed:
        story["romio_hints"] = printed
    return story


def romio_hints(log: Path) -> dict[str, str]:
    """Of the file opened last; {} where ROMIO was not at work."""
    hints: dict[str, str] = {}
    try:
        with log.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                match = _ROMIO_HINT.match(line)
                if match:
                    hints[match[1]] = match[2]
    except OSError:
        return {}
    return hints
