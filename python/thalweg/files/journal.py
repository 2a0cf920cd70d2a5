# SPDX-License-Identifier: Apache-2.0
"""Journals of output files: which times are whole in a file, also in one that is not complete.

Written by src/output/files/journal.cpp; layout in docs/run-directory.md.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError

_SUM_KEY = b',"crc32":"'


@dataclass(frozen=True)
class Block:
    """Consecutive bytes of a file and their CRC-32."""

    offset: int
    size: int
    crc32: int


@dataclass(frozen=True)
class JournalTime:
    """A time that is whole, or was dropped. files: names of all that its writers wrote to; blocks:
    by path below files/, where the writers took checksums.
    """

    step: int
    time_s: float
    dropped: bool
    files: tuple[str, ...] = ()
    blocks: dict[str, list[Block]] = field(default_factory=dict)


@dataclass(frozen=True)
class Journal:
    """All lines of one journal. closed: the file is complete."""

    settings: str
    times: list[JournalTime]
    closed: bool


def read_journal(path: Path) -> Journal:
    """Raises a sentence if a line other than the last, which a kill may cut, is damaged or does not
    follow the one before it, or if the journal is that of another file.
    """
    settings, closed, sum_ = "", False, 0
    times: list[JournalTime] = []
    *whole, cut = path.read_bytes().split(b"\n")
    if cut:
        whole.append(cut)
    for number, line in enumerate(whole):
        text, key, end = line.rpartition(_SUM_KEY)
        sum_ = zlib.crc32(text, sum_)  # each goes on from the line before
        if not key or end != f'{sum_:08x}"}}'.encode():
            if cut and number == len(whole) - 1:
                break
            raise ThalwegError(
                f"line {number + 1} of '{path}' is damaged, or not what was written there"
            )
        try:
            content = json.loads(line)
            if number == 0:
                settings, file = content["settings"], content.get("file", "")
            elif "closed" in content:
                closed = True
            elif "changing" in content:  # what follows, or a kill, says how that ended
                closed = False
            else:
                times.append(_time_of(content))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ThalwegError(
                f"line {number + 1} of '{path}' is damaged: it tells of no time of output"
            ) from None
        if number == 0 and file != path.name.removesuffix(".jsonl"):
            raise ThalwegError(f"'{path}' is damaged: it is the journal of '{file}'")
        if len(times) > 1 and not _ascends(*times[-2:]):
            raise ThalwegError(f"line {number + 1} of '{path}' is damaged: it goes back in time")
    return Journal(settings, times, closed)


def _ascends(one: JournalTime, next_: JournalTime) -> bool:
    return one.step < next_.step and one.time_s < next_.time_s


def _time_of(content: dict[str, Any]) -> JournalTime:
    files = content.get("files", {})
    blocks = {
        name: [Block(offset, size, int(sum_, 16)) for offset, size, sum_ in listed]
        for part in files.values()
        for name, listed in part.get("blocks", {}).items()
    }
    dropped = bool(content.get("dropped", False))
    return JournalTime(content["step"], content["time_ms"] / 1000, dropped, tuple(files), blocks)
