# SPDX-License-Identifier: Apache-2.0
"""Lines of an ICON LOG about bytes and rates of one output or one checkpoint.

`Got ... MB` (mo_name_list_output, msg_level >= 12): MB = 10^6 byte. The get side counts the bytes
that moved, 8 or 4 a value (use_dp_mpi2io); the write side 4 a value, whatever the file holds.
`Restart: Got`, `Checkpointing: Got` (mo_async_restart_patch_data): both sides count true bytes.
`restart: finished: ...GB of data` (mo_multifile_restart): GB = 2^30 byte, the whole checkpoint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thalweg.logs.columns import Value
from thalweg.logs.icon_line import Line, parse_number, parse_rate

MB = 1e6  # bytes
GIB = 2.0**30  # bytes
_ROUNDED = 0.1  # relative: what times of three decimals may be off, 5 ms and longer
_F = r"\s*(\S+?)\s*"
_GOT = re.compile(
    rf"\s*(?P<of>Checkpointing:\s*|Restart:\s*)?Got{_F}MB, time get:{_F}s \[{_F}MB/s\], "
    rf"time write:{_F}s \[{_F}MB/s\](?:, times copy(?:\+intp)?:{_F}s)?.*"
)
_MULTIFILE = re.compile(rf".*restart: finished:{_F}GB of data in{_F}s \({_F}GB/s\).*")


@dataclass(frozen=True)
class Event:
    """One output or checkpoint; None where the log's field was too narrow, or has none."""

    of: str  # output, async or multifile
    size_bytes: float | None
    get_s: float | None
    write_s: float | None
    rate: float | None  # bytes per second as logged
    copy_s: float | None = None


def read_event(line: Line) -> Event | None:
    """None for a line about something else. Raises a sentence for a broken one."""
    of_output = "MB, time get:" in line.text
    if not of_output and "restart: finished:" not in line.text:
        return None
    match = (_GOT if of_output else _MULTIFILE).fullmatch(line.text)
    try:
        if match is None:
            raise ValueError
        if not of_output:
            size, seconds, rate = (parse_rate(each) for each in match.groups())
            return Event("multifile", _times(size, GIB), None, seconds, _times(rate, GIB))
        of = "async" if match["of"] else "output"
        got, get_s, _, write_s, rate = (parse_rate(each) for each in match.groups()[1:6])
        copy_s = parse_number(match.groups()[6]) if match.groups()[6] else None
        return Event(of, _times(got, MB), get_s, write_s, _times(rate, MB), copy_s)
    except ValueError:
        raise line.error("the line about bytes and rates is broken; are two lines mixed?") from None


def _times(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit


def summarise(events: Sequence[Event], prefix: str) -> dict[str, Value]:
    """Columns of outputs or of checkpoints: means, None where not every event tells."""
    if not events:
        return {}
    means: dict[str, Value] = {
        f"{prefix}_events": len(events),
        f"{prefix}_event_bytes": _mean([each.size_bytes for each in events]),
        f"{prefix}_event_get_s": _mean([each.get_s for each in events]),
        f"{prefix}_event_write_s": _mean([each.write_s for each in events]),
        f"{prefix}_rate_logged": _mean([each.rate for each in events]),
    }
    if prefix == "output":
        means["output_event_copy_s"] = _mean([each.copy_s for each in events])
        means["output_event_values"] = _values(events)
    return means


def _values(events: Sequence[Event]) -> float | None:
    """The write side has 4 bytes a value, rounded; the get side 8 or 4, to the byte."""
    got, written = 0.0, 0.0
    for each in events:
        if each.size_bytes is None or each.rate is None or each.write_s is None:
            return None
        got, written = got + each.size_bytes, written + each.rate * each.write_s
    for width in (4, 8):
        if got and abs(4.0 * got / width - written) <= _ROUNDED * written:
            return got / width / len(events)
    return None


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def restart_mode(checkpoints: Sequence[Event], restart_ranks: Value) -> str | None:
    """Lines of multifile checkpoints are those of both of its modes: restart ranks tell which."""
    kinds = {each.of for each in checkpoints}
    if kinds == {"async"}:
        return "async"
    if kinds != {"multifile"} or restart_ranks is None:
        return None
    return "dedicated_multifile" if restart_ranks else "joint_multifile"
