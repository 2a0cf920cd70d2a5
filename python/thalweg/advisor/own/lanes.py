# SPDX-License-Identifier: Apache-2.0
"""Who writes what of a way: outputs and files of each stream that each writer has.

A lane is a partition of a stream. Lanes are dealt to writers as src/output/deal does it: one writer
each (async, serial), or a team (file_parallel, shared_file), or by size (auto_mode.cpp).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thalweg.advisor.own.situation import OwnChoice, OwnSituation

MODES = ("serial", "async", "file_parallel", "shared_file", "auto")  # whose deal is mirrored here
_SMALLEST_SHARE_BYTES = 16_000_000  # of a member of a team in mode auto: auto_mode.cpp
VALUE_BYTES = 8  # in staging memory and in checkpoints
Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Lanes:
    """Distinct loads of writers, [row, stream] each: what one writer has of all outputs.

    alike     writers that have such a load, [row]
    outputs   that pass through it, a share of a team counted as that share
    files     that it makes or shares in; every member of a team makes or opens it
    writers   all of them; files_in_all: made by anybody
    teams     members that write an output of each stream together
    fullest_bytes   one output of every lane that the fullest writer has, as memory has it
    """

    outputs: Shares
    files: Shares
    alike: Shares
    writers: int
    files_in_all: Shares
    teams: tuple[int, ...]
    fullest_bytes: int

    @property
    def active(self) -> int:
        """Writers that write at a time."""
        return min(self.writers, max(1, sum(self.teams)))


def lanes_of(situation: OwnSituation, choice: OwnChoice, compute_ranks: int) -> Lanes:
    dedicated = choice.io_ranks
    writers = dedicated or (1 if choice.mode in ("serial", "async", "auto") else compute_ranks)
    streams = len(situation.series)
    count = min(writers, sum(choice.partitions) + max(choice.partitions, default=1))
    if choice.mode in ("file_parallel", "shared_file", "auto"):
        count = writers if dedicated else min(writers, math.lcm(*choice.partitions))
    outputs, files = np.zeros((count, streams)), np.zeros((count, streams))
    held = np.zeros(count)
    in_all, teams = np.zeros(streams), []
    lane = 0
    for at, (series, parts) in enumerate(zip(situation.series, choice.partitions, strict=True)):
        made = series.files(parts) / parts
        largest = 1
        for part in range(parts):
            team = _team(situation, choice, lane, part, parts, writers, series.bytes_per_output)
            its = max(0, -(-(series.outputs - part) // parts))
            size = len(team)
            largest = max(largest, size)
            own = choice.mode == "file_parallel"
            in_all[at] += made * (size + (size > 1) if own else 1)
            members = [each for each in team if each < count]
            share = 1.0 / size
            if choice.mode in ("shared_file", "auto") and size > 1:
                share = _of_whole_levels(series.values, situation.cells, size)
                members = members[: math.ceil(1.0 / share)]
            outputs[members, at] += its * share
            files[members, at] += made
            held[members] += share * series.values * VALUE_BYTES
            lane += 1
        teams.append(largest)
    rows, alike = np.unique(np.hstack([outputs, files]), axis=0, return_counts=True)
    return Lanes(
        rows[:, :streams], rows[:, streams:], alike.astype(float), writers, in_all, tuple(teams),
        math.ceil(held.max(initial=0.0)),
    )  # fmt: skip


def _of_whole_levels(values: int, cells: int, size: int) -> float:
    """Of an output that so many write into one file: the most that one of them has. Each has whole
    levels (shared_file.cpp); a level of edges or corners counts as one of cells.
    """
    levels = max(1, round(values / cells))
    return math.ceil(levels / size) / levels


def _team(
    situation: OwnSituation, choice: OwnChoice, lane: int, part: int, parts: int, writers: int,
    size_bytes: int,
) -> range:  # fmt: skip
    alone = range(lane % writers, lane % writers + 1)
    if choice.mode in ("serial", "async") or parts > writers:
        return alone
    team = range(part, writers, parts)
    if choice.mode == "auto":
        lanes = sum(choice.partitions)
        small = size_bytes < len(team) * _SMALLEST_SHARE_BYTES
        return alone if lanes >= writers or small else team
    return team
