# SPDX-License-Identifier: Apache-2.0
"""What a run was made with: host, processor, kernel, library versions, commit."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import thalweg
from thalweg.config.checkout import ROOT


def describe_machine() -> dict[str, Any]:
    """cores = those this process may use."""
    return {
        "host": platform.node(),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()}",
    }


def describe_versions() -> dict[str, str]:
    """Versions of Thalweg and of the libraries it was built with; "unknown" where nobody tells."""
    return {
        "thalweg": thalweg.__version__,
        "mpi": _mpi_version(_output(["mpirun", "--version"])) or "unknown",
        "netcdf": _first_line(["pkg-config", "--modversion", "netcdf-mpi"]) or "unknown",
        "hdf5": _first_line(["pkg-config", "--modversion", "hdf5-openmpi"]) or "unknown",
    }


def describe_commit() -> str:
    """Commit of the checkout, "-dirty" behind it when files changed, "" outside git."""
    git = ["git", "-C", str(ROOT)]
    commit = _first_line([*git, "rev-parse", "HEAD"])
    changed = commit and _first_line([*git, "status", "--porcelain", "--untracked-files=no"])
    return commit + ("-dirty" if changed else "")


def _mpi_version(text: str) -> str:
    """From what mpirun says of itself; MPICH's is called Hydra and has MPICH's version."""
    open_mpi = re.match(r".*\(([^)]*)\)\s*([\d.]+)", text)
    hydra = re.match(r"HYDRA.*\n\s*Version:\s*(\S+)", text)
    return f"{open_mpi[1]} {open_mpi[2]}" if open_mpi else f"MPICH {hydra[1]}" if hydra else ""


def _output(command: list[str]) -> str:
    """Of a command that ends well, "" otherwise."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout if result.returncode == 0 else ""


def _first_line(command: list[str]) -> str:
    return _output(command).partition("\n")[0].strip()


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or "unknown"
    match = re.search(r"^(?:model name|Model|CPU part)\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else platform.machine()
