# SPDX-License-Identifier: Apache-2.0
"""Chooses the file and field of a run that its page shows on the sphere."""

from __future__ import annotations

from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.report.meshfield import MeshField, last_time_s, plottable_fields, read_field
from thalweg.report.rundata import RunData


def choose_field(run: RunData) -> tuple[Path, MeshField]:
    """'vor' before others, then fields with levels; of the latest time. (file, field).

    Raises ThalwegError with the reason if no file of the run can be drawn.
    """
    candidates: list[tuple[bool, float, Path, str]] = []
    reasons: list[str] = []
    for path in run.files:
        candidates += _candidates(path, reasons)
    if not candidates:
        if not run.files:
            raise ThalwegError("the run wrote no complete file")
        raise ThalwegError(reasons[0] if reasons else "no file of the run names its mesh")
    _, _, path, field = max(candidates, key=lambda entry: entry[:2])
    return path, read_field(path, field, level=0, time=-1)


def _candidates(path: Path, reasons: list[str]) -> list[tuple[bool, float, Path, str]]:
    """The field of a file to be drawn, if there is one; else why not, among the reasons."""
    try:
        fields = plottable_fields(path)
        return [(fields[0] == "vor", last_time_s(path), path, fields[0])] if fields else []
    except ThalwegError as error:
        reasons.append(error.sentence)
        return []
