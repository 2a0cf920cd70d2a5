# SPDX-License-Identifier: Apache-2.0
"""Which functions had the watched value under way: addresses of a replay -> source files."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError

# Where every container's way tells of its calls; fixed layouts also where they write.
CALLED_ON_THE_WAY = ("pack", "reorder")


@dataclass(frozen=True)
class Calls:
    """Calls under way where bytes of the value were read or written, innermost first."""

    at: str
    rank: int
    addresses: tuple[tuple[str, int], ...]  # program or library, offset in it


@dataclass(frozen=True)
class Frame:
    """A function and the line it was at; file: relative to the project."""

    function: str
    file: str
    line: int


def calls_of(told: dict[str, Any]) -> Calls:
    """From the line that a rank printed."""
    addresses = tuple((str(module), int(offset)) for module, offset in told["frames"])
    return Calls(str(told["at"]), int(told["rank"]), addresses)


def source_of(calls: Calls) -> list[Frame]:
    """Outermost first, inlined functions too; what is not in a file of ours is left out."""
    frames: list[Frame] = []
    for module, offset in calls.addresses:
        lines = _addr2line(module, offset)
        for function, place in zip(lines[::2], lines[1::2], strict=True):
            path, _, line = place.split(" ", 1)[0].rpartition(":")
            file = _in_project(Path(path))
            if file:
                frames.append(Frame(function, file, int(line) if line.isdigit() else 0))
    return frames[::-1]


def _addr2line(module: str, offset: int) -> list[str]:
    """Pairs of lines: function; file:line. The innermost of inlined functions first."""
    command = ["addr2line", "-Cfi", "-e", module, hex(offset)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise ThalwegError("--calls needs addr2line; install binutils") from error
    except subprocess.CalledProcessError as error:
        raise ThalwegError(f"addr2line cannot read '{module}': {error.stderr.strip()}") from error
    return done.stdout.splitlines()


def _in_project(path: Path) -> str:
    """What of a path is a file of this checkout; a compiler cache may tell another root."""
    parts = [part for part in path.parts if part != ".."]
    for first in range(len(parts)):
        inner = Path(*parts[first:])
        if not inner.is_absolute() and (ROOT / inner).is_file():
            return str(inner)
    return ""
