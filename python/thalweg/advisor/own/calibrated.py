# SPDX-License-Identifier: Apache-2.0
"""The calibration in a directory of `thalweg tune`: made there, or an old one that still holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from thalweg.advisor.words import many
from thalweg.calibrate.command import CalibrateRequest, calibrate, name_here, versions_here
from thalweg.calibrate.machine_file import Machine
from thalweg.calibrate.machine_reader import read_machine
from thalweg.errors import ThalwegError


def calibrated_in(folder: Path, ranks: int, minutes: float) -> Path:
    """Machine file in `folder`, measured with `ranks` where these are more than the cores. An old
    one is told of and taken; that of another machine or version is refused.
    """
    path = folder / "machine.toml"
    if path.exists():
        _tell_reused(path)
        return path
    folder.mkdir(parents=True, exist_ok=True)
    asked = ranks if ranks > len(os.sched_getaffinity(0)) else 0
    calibrate(CalibrateRequest(folder, path, asked, minutes, quiet=True))
    return path


def _tell_reused(path: Path) -> None:
    machine = read_machine(path)
    told = (
        f"'{path}' was calibrated on '{machine.name}' with {many(machine.ranks, 'rank')}, "
        f"{machine.date:%Y-%m-%d %H:%M} UTC"
    )
    if other := _other(machine):
        raise ThalwegError(
            f"{told}, and {other}; give --out another directory to calibrate anew, or --machine "
            f"{path} to take it all the same"
        )
    print(f"note: {told}, and is reused; without it this calibrates anew", file=sys.stderr)


def _other(machine: Machine) -> str:
    """What is not as it was, or ""."""
    if machine.name != name_here():
        return f"this is '{name_here()}'"
    here = versions_here()
    for name in dict.fromkeys((*machine.versions, *here)):
        then, now = (versions.get(name, "unknown") for versions in (machine.versions, here))
        if then != now:
            return f"{name} was {then} then and is {now} now"
    return ""
