# SPDX-License-Identifier: Apache-2.0
"""When a stream of our own experiment writes: outputs, and how many of them each file has.

The same arithmetic as src/output/deal/schedule.cpp, without a list of every time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from thalweg.config.setting_values import SettingValues
from thalweg.errors import ThalwegError

_MS = 1000  # in a second; settings are rounded to whole ones, as in the library
_AT_ONCE = 1_000_000  # file intervals that are counted in one array
_MOST_OUTPUTS = 100_000_000  # of a stream: what the library refuses


@dataclass(frozen=True)
class OwnSchedule:
    """files: (partition, number of times in a file) -> number of such files, each of which may
    consist of parts of several writers. Partitions count from 0.
    """

    interval_s: float
    outputs: int
    files: Counter[tuple[int, int]]


def own_schedule(output: SettingValues, duration_s: float) -> OwnSchedule:
    """Times are start, start + interval, ... up to the end of the stream or of the run."""
    start, interval, file_interval, end, duration = (
        round(seconds * _MS)
        for seconds in (
            output.number("start"),
            output.number("interval"),
            output.number("file_interval"),
            output.number("end"),
            duration_s,
        )
    )
    last = min(end or duration, duration)
    if interval < 1:
        raise ThalwegError(
            f"[[output]] '{output.text('name')}': interval is shorter than 1 ms; give a longer one"
        )
    outputs = 0 if last < start else 1 + (last - start) // interval
    if outputs >= _MOST_OUTPUTS:
        raise ThalwegError(
            f"[[output]] '{output.text('name')}': {outputs} outputs are more than a stream counts "
            f"({_MOST_OUTPUTS}); give it a longer interval or an earlier end"
        )
    files = _files(outputs, interval, file_interval, output.integer("partitions"))
    return OwnSchedule(output.number("interval"), outputs, files)


def _files(
    outputs: int, interval: int, file_interval: int, partitions: int
) -> Counter[tuple[int, int]]:
    """Output number i belongs to partition i % partitions, and file_interval begins new files."""
    found: Counter[tuple[int, int]] = Counter()
    if outputs == 0:
        return found
    if 0 < file_interval <= interval:
        for partition in range(min(partitions, outputs)):
            found[partition, 1] = _dealt(outputs, partition, partitions)
        return found
    spans = (outputs - 1) * interval // file_interval + 1 if file_interval else 1
    for first in range(0, spans, _AT_ONCE):
        edges = np.arange(first, min(first + _AT_ONCE, spans) + 1, dtype=np.int64)
        ends = -(-edges * file_interval // interval)
        ends[-1] = outputs if edges[-1] == spans else ends[-1]
        for partition in range(min(partitions, outputs)):
            times = np.diff((ends - partition + partitions - 1) // partitions)
            sizes, counts = np.unique(times[times > 0], return_counts=True)
            for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
                found[partition, size] += count
    return found


def _dealt(outputs: int, partition: int, partitions: int) -> int:
    """How many of the outputs before this number a partition has."""
    return (outputs - partition + partitions - 1) // partitions
