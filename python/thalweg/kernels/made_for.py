# SPDX-License-Identifier: Apache-2.0
"""For which machine, and by which compiler, code is compiled that is kept."""

from __future__ import annotations

import subprocess
from functools import cache
from itertools import takewhile
from pathlib import Path

PROCESSORS = Path("/proc/cpuinfo")
GPUS = Path("/proc/driver/nvidia/gpus")
SAYS = ("model name", "flags", "Features", "CPU part")  # of processors, on x86 and on ARM


def made_for(command: tuple[str, ...]) -> str:
    """Code is compiled for this very processor: a home that several kinds of nodes share keeps
    that of each apart. A compiler that was renewed compiles anew.
    """
    compiler = tuple(takewhile(lambda word: not word.startswith("-"), command))
    return "\n".join([_version(compiler), _processor(), *_gpus()])


@cache
def _version(compiler: tuple[str, ...]) -> str:
    try:
        told = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""  # compiling will say it
    return told.stdout


@cache
def _processor() -> str:
    """What one core says of itself, without what changes from hour to hour."""
    try:
        first = PROCESSORS.read_text(errors="replace").partition("\n\n")[0]
    except OSError:
        return ""
    return "\n".join(line for line in first.splitlines() if line.startswith(SAYS))


@cache
def _gpus() -> tuple[str, ...]:
    found = []
    for each in sorted(GPUS.glob("*/information")):
        lines = each.read_text(errors="replace").splitlines()
        found += [line for line in lines if line.startswith("Model")]
    return tuple(found)
