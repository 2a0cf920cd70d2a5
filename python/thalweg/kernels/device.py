# SPDX-License-Identifier: Apache-2.0
"""What compiles for a GPU, and whether there is one."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

# No fused multiply-add, as everywhere: the same bits as on the CPU.
FLAGS = ("-std=c++20", "-O3", "-fmad=false", "-Xcompiler", "-fPIC,-ffp-contract=off", "-shared")


def has_gpu() -> bool:
    """One of NVIDIA's, which this process may open."""
    return os.access("/dev/nvidia0", os.R_OK | os.W_OK)


def nvcc() -> tuple[str, ...]:
    """The words that begin its command, or none: that of PATH, or of the packages nvidia-cuda-nvcc
    and nvidia-cuda-runtime from PyPI.
    """
    found = shutil.which("nvcc")
    if found:
        return (found,)
    for folder in sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*"), reverse=True):
        if (folder / "bin" / "nvcc").is_file():
            return str(folder / "bin" / "nvcc"), f"-I{folder}/include", f"-L{folder}/lib"
    return ()
