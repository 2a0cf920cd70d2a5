# SPDX-License-Identifier: Apache-2.0
"""Chooses the file and field of a run that its page shows on the sphere, and draws it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.config.errors import ThalwegError
from thalweg.report.fieldmap import draw_field
from thalweg.report.meshfield import last_time_s, plottable_fields, read_field
from thalweg.report.rundata import RunData

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_run_map(run: RunData) -> tuple[Figure, str]:
    """Vorticity ('vor') at the last time if the run wrote it, else the first field there is.

    Returns the figure and the name of the file. Raises ThalwegError with the reason if there is
    none.
    """
    path, field = choose_field(run)
    return draw_field(read_field(path, field, level=0, time=-1)), f"'{path.name}'"


def choose_field(run: RunData) -> tuple[Path, str]:
    """(file, field): 'vor' before others, then fields with levels, then the latest time."""
    candidates: list[tuple[bool, float, Path, str]] = []
    for path in run.files:
        if path.suffix not in (".nc", ".nc4"):
            continue
        try:
            fields = plottable_fields(path)
            if fields:
                candidates.append((fields[0] == "vor", last_time_s(path), path, fields[0]))
        except OSError:
            continue
    if not candidates:
        if not run.files:
            raise ThalwegError("the run wrote no complete file")
        raise ThalwegError("no file of the run holds a field that names its mesh")
    _, _, path, field = max(candidates, key=lambda entry: entry[:2])
    return path, field
