# SPDX-License-Identifier: Apache-2.0
"""Puts intervals of many ranks on rows and time bins without losing a microsecond or a byte."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from thalweg.report.rundata import Events, FloatArray, IntArray
from thalweg.report.style import ROLE_WORDS

MAX_ROWS = 48  # a taller picture is not readable on a projector
ROUNDING = 1e-12  # relative; doubles carry 1e-16, a sum of 10 000 of them less


def integrate(
    row: IntArray,
    begin: FloatArray,
    end: FloatArray,
    density: FloatArray,
    rows: int,
    edges: FloatArray,
) -> FloatArray:
    """Integral of every interval's density over each bin, summed by row: [rows, bins].

    row, begin, end, density  [intervals]; edges [bins + 1], equally spaced
    """
    bins = len(edges) - 1
    width = (edges[-1] - edges[0]) / bins

    def from_here_on(time: FloatArray) -> FloatArray:
        # A density switched on at `time` fills the rest of its bin and all later ones.
        position = np.clip((time - edges[0]) / width, 0.0, bins)
        bin_of = np.minimum(position.astype(np.int64), bins - 1)
        flat = row * bins + bin_of
        first = np.bincount(flat, density * (bin_of + 1 - position), rows * bins)
        later = np.bincount(flat, density, rows * bins).reshape(rows, bins)
        after = np.zeros((rows, bins))
        after[:, 1:] = np.cumsum(later, axis=1)[:, :-1]
        total: FloatArray = first.reshape(rows, bins) + after
        return total

    result: FloatArray = width * (from_here_on(begin) - from_here_on(end))
    # Differences of running sums leave rounding behind: no more than this, where nothing happened.
    rounding = ROUNDING * width * np.bincount(row, density, rows)
    return np.where(result > rounding[:, None], result, 0.0)


def flatten(events: Events) -> Events:
    """Cut intervals that contain others so that every moment of a rank has one kind: the innermost.

    Serial output, for example, is a wait that contains gets, a reordering and a write.
    """
    order = np.lexsort((-events.end_s, events.begin_s, events.rank))
    rank, begin, end = events.rank[order], events.begin_s[order], events.end_s[order]
    overlaps = (rank[1:] == rank[:-1]) & (begin[1:] < end[:-1])
    if not overlaps.any():
        return events
    pieces: list[tuple[int, int, float, float]] = []
    open_ones: list[tuple[float, int]] = []  # (end, kind), innermost last
    current, now = -1, -np.inf

    def advance(until: float) -> None:
        nonlocal now
        while open_ones and now < until:
            end_s, its_kind = open_ones[-1]
            stop = min(end_s, until)
            if stop > now:
                pieces.append((current, its_kind, now, stop))
                now = stop
            if end_s <= until:
                open_ones.pop()

    for its_rank, its_kind, its_begin, its_end in zip(
        rank.tolist(), events.kind[order].tolist(), begin.tolist(), end.tolist(), strict=True
    ):
        if its_rank != current:
            advance(np.inf)
            current, now = its_rank, -np.inf
            open_ones.clear()
        advance(its_begin)
        now = max(now, its_begin)
        open_ones.append((its_end, its_kind))
    advance(np.inf)
    columns = list(zip(*pieces, strict=True)) or [(), (), (), ()]
    return Events(
        rank=np.array(columns[0], np.int64),
        kind=np.array(columns[1], np.int64),
        begin_s=np.array(columns[2], np.float64),
        end_s=np.array(columns[3], np.float64),
        size_bytes=np.zeros(len(pieces)),
        kinds=events.kinds,
    )


def group_ranks(roles: Sequence[str], max_rows: int = MAX_ROWS) -> list[list[int]]:
    """Ranks that share a row: one each if they fit, else runs of neighbours of the same role.

    A third of the rows is kept for I/O and restart ranks, which are few and each worth a row.
    """
    apart = sum(role != "compute" for role in roles)
    rows_apart = min(apart, max_rows // 3)
    per_row_apart = ceil(apart / max(1, rows_apart))
    per_row_compute = ceil((len(roles) - apart) / max(1, max_rows - rows_apart))
    rows: list[list[int]] = []
    for rank, role in enumerate(roles):
        most = per_row_compute if role == "compute" else per_row_apart
        if rows and len(rows[-1]) < most and roles[rows[-1][0]] == role:
            rows[-1].append(rank)
        else:
            rows.append([rank])
    return rows


def row_of_rank(rows: list[list[int]], ranks: int) -> IntArray:
    """For every rank the row that shows it, -1 where none does: [ranks]."""
    result = np.full(ranks, -1, np.int64)
    for number, members in enumerate(rows):
        result[members] = number
    return result


def row_label(members: list[int], roles: Sequence[str]) -> str:
    """'12', '12-15', with 'I/O' or 'restart' in front where these are such ranks."""
    span = str(members[0]) if len(members) == 1 else f"{members[0]}\u2013{members[-1]}"
    role = roles[members[0]]
    return span if role == "compute" else f"{ROLE_WORDS.get(role, role)} {span}"
