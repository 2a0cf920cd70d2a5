# SPDX-License-Identifier: Apache-2.0
"""Chooses the file and field of a run that its page shows on the sphere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import ThalwegError, UnreadableError
from thalweg.report.meshfield import MeshField, fields_and_last_time, read_field
from thalweg.report.rundata import RunData


@dataclass(frozen=True)
class Chosen:
    """damaged  sentences about files that might have been drawn instead"""

    path: Path
    field: MeshField
    damaged: list[str]


def choose_field(run: RunData) -> Chosen:
    """'vor' before others, then fields with levels; of the latest time.

    Raises ThalwegError with the reason if no file of the run can be drawn.
    """
    candidates: list[tuple[bool, float, Path, str]] = []
    reasons: list[str] = []
    damaged: list[str] = []
    for path in run.files:
        candidates += _candidates(path, reasons, damaged)
    if not candidates:
        if not run.files:
            raise ThalwegError("the run wrote no complete file")
        told = [*damaged, *reasons, "no file of the run names its mesh"]
        raise ThalwegError(told[0])
    _, _, path, field = max(candidates, key=lambda entry: entry[:2])
    return Chosen(path, read_field(path, field, level=0, time=-1), damaged)


def _candidates(
    path: Path, reasons: list[str], damaged: list[str]
) -> list[tuple[bool, float, Path, str]]:
    """The field of a file to be drawn, if there is one; else why not, in one of the lists."""
    try:
        fields, last_time = fields_and_last_time(path)
        return [(fields[0] == "vor", last_time, path, fields[0])] if fields else []
    except UnreadableError as error:
        damaged.append(error.sentence)
        return []
    except ThalwegError as error:
        reasons.append(error.sentence)
        return []
