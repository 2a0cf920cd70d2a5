# SPDX-License-Identifier: Apache-2.0
"""Chooses the file and field of a run that its page shows on the sphere."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thalweg.errors import ThalwegError, UnreadableError
from thalweg.files.names import DATE
from thalweg.report.meshfield import MeshField, fields_and_last_time, read_field
from thalweg.report.rundata import RunData

_DATED = re.compile(rf"(.+)_({DATE})Z\.")

_Candidate = tuple[bool, float, Path, str]  # is it 'vor', last time, file, field
_Look = Callable[[Path], _Candidate | None]


@dataclass(frozen=True)
class Chosen:
    """damaged  sentences about files that might have been drawn instead"""

    path: Path
    field: MeshField
    damaged: list[str]


def choose_field(run: RunData) -> Chosen:
    """'vor' before others, then fields with levels; of the latest time.

    Of a stream the newest file is looked at first, and older ones where it cannot be drawn. Raises
    ThalwegError with the reason if no file of the run can be drawn.
    """
    if not run.files:
        raise ThalwegError("the run wrote no complete file")
    left = list(run.files)
    damaged: dict[str, None] = {}
    others: dict[str, None] = {}
    look = functools.cache(_candidate)
    while True:
        path, name = _choose(left, look, damaged, others)
        try:
            return Chosen(path, read_field(path, name, level=0, time=-1), list(damaged))
        except UnreadableError as error:
            damaged[error.sentence] = None
            left.remove(path)


def _choose(
    left: list[Path], look: _Look, damaged: dict[str, None], others: dict[str, None]
) -> tuple[Path, str]:
    """A file and its field by what its names and times say. Lets go of what cannot be drawn, with
    sentences about damage and about other reasons.
    """
    candidates: list[_Candidate] = []
    timeless: list[_Candidate] = []
    for files in _newest_first(left):
        for path in files:
            try:
                found = look(path)
            except ThalwegError as error:  # the newest may be parts whose index is not there yet
                told = damaged if isinstance(error, UnreadableError) else others
                told[error.sentence] = None
                left.remove(path)
                continue
            if found is None or np.isfinite(found[1]):
                candidates += [found] if found else []
                break
            timeless.append(found)
    candidates = candidates or timeless
    if not candidates:
        raise ThalwegError(next(iter([*damaged, *others, "no file of the run names its mesh"])))
    _, _, path, field = max(candidates, key=lambda entry: entry[:2])
    return path, field


def _newest_first(files: list[Path]) -> list[list[Path]]:
    """The files of each stream. A name without a date is a stream of its own."""
    streams: dict[str, list[tuple[str, Path]]] = {}
    for path in files:
        dated = _DATED.match(path.name)
        stream, date = dated.groups() if dated else (path.name, "")
        streams.setdefault(stream, []).append((date, path))
    return [[path for _, path in sorted(each, reverse=True)] for each in streams.values()]


def _candidate(path: Path) -> _Candidate | None:
    """The field of a file to be drawn, if there is one."""
    fields, last_time = fields_and_last_time(path)
    return (fields[0] == "vor", last_time, path, fields[0]) if fields else None
