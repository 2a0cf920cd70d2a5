# SPDX-License-Identifier: Apache-2.0
"""Which names are output of ICON and which restart files; bytes of output files on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

OUTPUT_SUFFIXES = (".nc", ".nc4", ".grb", ".grb2", ".grib", ".grib2")


def is_restart(name: str) -> bool:
    """`*_restart_atm_*.nc`, or a file of a multifile restart, `*.mfr/patch1_0.nc`."""
    path = PurePath(name)
    return "restart" in path.name or any(part.endswith(".mfr") for part in path.parts)


def is_output(name: str) -> bool:
    return PurePath(name).suffix in OUTPUT_SUFFIXES and not is_restart(name)


def count_output(paths: Sequence[Path]) -> tuple[int, int]:
    """Files and bytes. Links lead to input (grids, external parameters): they do not count."""
    sizes = [
        path.stat().st_size
        for path in paths
        if is_output(str(path)) and path.is_file() and not path.is_symlink()
    ]
    return len(sizes), sum(sizes)
