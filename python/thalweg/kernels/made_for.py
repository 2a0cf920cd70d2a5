# SPDX-License-Identifier: Apache-2.0
"""For which machine, and by which compiler, code is compiled that is kept."""

from __future__ import annotations

import platform
import shutil
import subprocess
from functools import cache
from itertools import takewhile
from pathlib import Path

from thalweg.kernels.device import has_gpu

PROCESSORS = Path("/proc/cpuinfo")
GPUS = Path("/proc/driver/nvidia/gpus")
SAYS = (  # of processors, on x86, ARM, POWER and RISC-V
    "model name", "flags", "CPU implementer", "CPU part", "Features", "cpu\t", "isa",
)  # fmt: skip


def made_for(command: tuple[str, ...], is_for_gpu: bool) -> str:
    """Code is compiled for this very processor: a home that several kinds of nodes share keeps
    that of each apart. A compiler that was renewed compiles anew.
    """
    compiler = tuple(takewhile(lambda word: not word.startswith("-"), command))
    return "\n".join([_version(compiler), _processor(), *(_gpus() if is_for_gpu else ())])


@cache
def _version(compiler: tuple[str, ...]) -> str:
    words = ["--version"]
    if Path(compiler[-1]).name.startswith("mpi"):
        words.append("-show")  # of which MPI: the version is that of the compiler behind it
    found = [str(Path(shutil.which(compiler[-1]) or "").resolve())]
    for word in words:
        try:
            told = subprocess.run(
                [*compiler, word], capture_output=True, text=True, errors="replace", check=False
            )
        except OSError:
            return ""  # compiling will say it
        found.append(told.stdout)
    return "\n".join(found)


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
    # A GPU that tells nothing of itself, as in some containers: code stays on this node.
    return tuple(found) or ((platform.node(),) if has_gpu() else ())
