# SPDX-License-Identifier: Apache-2.0
"""What a run was made with: host, processor, kernel, library versions, commit."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import thalweg
from thalweg.config.checkout import ROOT, binary_directory


def describe_machine() -> dict[str, Any]:
    """cores = those this process may use."""
    return {
        "host": platform.node(),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()}",
    }


def memory_bytes() -> int:
    """Of this machine, or what the control groups of this process leave of it."""
    found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        group = Path("/proc/self/cgroup").read_text(encoding="utf-8").rpartition("0::/")[2].strip()
    except OSError:
        return found
    top = Path("/sys/fs/cgroup")
    for folder in (top / group, *(top / group).parents):
        with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
            found = min(found, int((folder / "memory.max").read_text(encoding="utf-8")))
    return found


def core_count() -> int:
    """Cores that this process may use; two threads of one are one."""
    found = set()
    for number in os.sched_getaffinity(0):
        path = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        try:
            found.add(path.read_text(encoding="utf-8"))
        except OSError:
            found.add(str(number))
    return len(found)


def busy_note(load: float, a_core: float = 1.5) -> str:
    """A sentence where more than `a_core` processes for each core of the machine were running or
    waiting; "" else. load: mean of the last minute, before we begin; a build on all cores that
    has just ended is in it.
    """
    cores = os.cpu_count() or 1  # of the whole machine, as its load is, not of this process
    if load <= a_core * cores:
        return ""
    return (
        f"the machine was busy when this began (load {load:.1f} on {cores} cores): times will "
        "spread; measure again when it is idle"
    )


def describe_versions() -> dict[str, str]:
    """Versions of Thalweg, of the MPI that runs it, and of what its programs were built with, as
    CMake found it; "unknown" where nobody tells.
    """
    built_with = {"hdf5": "unknown", "netcdf": "unknown", "eccodes": "unknown", **_built_with()}
    mpi = _mpi_version(_output(["mpirun", "--version"])) or "unknown"
    return {"thalweg": thalweg.__version__, "mpi": mpi, **built_with}


def _built_with() -> dict[str, str]:
    path = binary_directory().parent / "built_with.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # no build yet
    return {str(name): str(version) for name, version in content.items()}


def describe_commit() -> str:
    """Commit of the checkout, "-dirty" behind it when files changed, "" outside git."""
    # Only read, and also by another user than the checkout's owner.
    git = ["git", "--no-optional-locks", "-c", f"safe.directory={ROOT}", "-C", str(ROOT)]
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
