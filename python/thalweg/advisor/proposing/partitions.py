# SPDX-License-Identifier: Apache-2.0
"""Stream partitions: how many each stream has, and how evenly I/O ranks are loaded then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from thalweg.advisor.proposing.situation import Series


@dataclass(frozen=True)
class Dealt:
    """partitions    of each stream
    busy_ranks       all load over that of the busiest I/O rank
    bytes_on_a_rank  values of one output of each partition that the fullest I/O rank has, in bytes
                     of float64: what it may have to hold at a time
    """

    partitions: tuple[int, ...]
    busy_ranks: float
    bytes_on_a_rank: int


_EVEN = 0.97  # of the ranks busy on average: more partitions make more files only


@lru_cache(maxsize=1024)
def deal(series: tuple[Series, ...], io_ranks: int, partitions: tuple[int, ...] = ()) -> Dealt:
    """partitions: none: as share_out() has them."""
    parts = partitions or share_out(series, io_ranks)
    busy = busy_ranks(series, parts, io_ranks) if io_ranks else 0.0
    return Dealt(parts, busy, bytes_on_a_rank(series, parts, io_ranks))


def share_out(series: tuple[Series, ...], io_ranks: int) -> tuple[int, ...]:
    """Partitions of each stream that load I/O ranks evenly, and of those the fewest: they grow one
    by one where a part is largest, until nothing is gained.
    """
    most_of: dict[tuple[int, str], int] = {}
    for each in series:
        most_of[each.item] = min(each.most_partitions, io_ranks, most_of.get(each.item, io_ranks))
    found = dict.fromkeys(most_of, 1)
    best, most = dict(found), 0.0
    for _ in range(io_ranks + len(series)):
        busy = busy_ranks(series, [found[each.item] for each in series], io_ranks)
        if busy > most * 1.001:
            best, most = dict(found), busy
        growing = [each for each in series if found[each.item] < most_of[each.item]]
        if not growing or most > _EVEN * io_ranks:
            break
        found[max(growing, key=lambda each: each.load / found[each.item]).item] += 1
    return tuple(best[each.item] for each in series)


def busy_ranks(series: Sequence[Series], partitions: Sequence[int], io_ranks: int) -> float:
    """All load over that of the busiest I/O rank. Partitions of all streams go round the ranks in
    their order, as ICON deals them.
    """
    parts = np.array(partitions, dtype=np.int64)
    stream = np.repeat(np.arange(len(parts)), parts)  # of each part
    at = np.arange(len(stream))
    number = at - np.repeat(np.cumsum(parts) - parts, parts)  # within its stream
    outputs = np.array([each.outputs for each in series], dtype=np.int64)[stream]
    values = np.array([each.values for each in series], dtype=np.float64)[stream]
    loads = values * ((outputs - number + parts[stream] - 1) // parts[stream])
    of_ranks = np.bincount(at % max(1, io_ranks), loads) if len(at) else np.zeros(1)
    return float(of_ranks.sum() / of_ranks.max()) if of_ranks.max() else 1.0


def bytes_on_a_rank(series: Sequence[Series], partitions: Sequence[int], io_ranks: int) -> int:
    """Values of one output of each partition that the fullest I/O rank has, in bytes of float64:
    what it may have to hold at a time.
    """
    held = [0] * max(1, io_ranks)
    at = 0
    for each, parts in zip(series, partitions, strict=True):
        for _ in range(parts):
            held[at % len(held)] += each.values * 8
            at += 1
    return max(held, default=0)
