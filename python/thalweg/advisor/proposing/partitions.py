# SPDX-License-Identifier: Apache-2.0
"""Stream partitions: how many each stream has, and how evenly I/O ranks are loaded then."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from thalweg.advisor.proposing.meetings import load_of_ranks
from thalweg.advisor.proposing.situation import Series


@dataclass(frozen=True)
class Dealt:
    """partitions    of each stream
    ranks            I/O rank of each partition of each stream
    busy_ranks       all load over that of the busiest I/O rank
    values_on_a_rank  of one output of each partition that the fullest I/O rank has: what it may
                     have to hold at a time
    """

    partitions: tuple[int, ...]
    ranks: tuple[tuple[int, ...], ...]
    busy_ranks: float
    values_on_a_rank: int

    def used_ranks(self, io_ranks: int) -> int:
        """I/O ranks that a partition comes to."""
        return min(io_ranks, len(set(itertools.chain.from_iterable(self.ranks))))


_EVEN = 0.97  # of the ranks busy on average: more partitions make more files only


@lru_cache(maxsize=1024)
def deal(
    series: tuple[Series, ...], io_ranks: int, partitions: tuple[int, ...] = (),
    placed: bool = False, more: float = 0.0,
) -> Dealt:  # fmt: skip
    """partitions: none: as share_out() has them. placed: where the script places them. more: so
    many values would take as long as what each output costs beside its own.
    """
    parts = partitions or share_out(series, io_ranks, more)
    ranks = ranks_of(series, parts, io_ranks, placed)
    busy = _busy_ranks(series, ranks, more) if io_ranks else 0.0
    return Dealt(parts, ranks, busy, _values_on_a_rank(series, ranks))


def ranks_of(
    series: Sequence[Series], partitions: Sequence[int], io_ranks: int, placed: bool = False
) -> tuple[tuple[int, ...], ...]:
    """The I/O rank of each partition of each stream: those that are placed first, and the others
    go round the ranks that are left, in their order (ICON's assign_output_task).
    """
    wanted = [each.placement if placed and each.placement else (-1,) * parts
              for each, parts in zip(series, partitions, strict=True)]  # fmt: skip
    taken = {rank for each in wanted for rank in each if rank >= 0}
    left = [rank for rank in range(max(1, io_ranks)) if rank not in taken] or [0]
    turn = itertools.cycle(left)
    return tuple(tuple(rank if rank >= 0 else next(turn) for rank in each) for each in wanted)


def refused_places(series: Sequence[Series], io_ranks: int) -> str:
    """Why ICON stops at the places that the script has; "" where it does not."""
    if not io_ranks:
        return ""
    given = [rank for each in series for rank in each.placement]
    for rank in given:
        if not -1 <= rank < io_ranks:
            return f"pe_placement {rank} is none of {io_ranks} I/O ranks"
    is_open = any(not each.placement or -1 in each.placement for each in series)
    if is_open and len({*given} - {-1}) == io_ranks:
        return "pe_placement takes all I/O ranks, and none is left for streams without one"
    return ""


@lru_cache(maxsize=1024)
def share_out(series: tuple[Series, ...], io_ranks: int, more: float = 0.0) -> tuple[int, ...]:
    """Partitions of each stream that load I/O ranks evenly, and of those the fewest: they grow one
    by one where a part is largest, until nothing is gained.
    """
    most_of = _most_of(series, io_ranks)
    found = dict.fromkeys(most_of, 1)
    best, most = dict(found), 0.0
    for _ in range(io_ranks + len(series)):
        busy = busy_ranks(series, [found[each.item] for each in series], io_ranks, more)
        if busy > most * 1.001:
            best, most = dict(found), busy
        growing = [each for each in series if found[each.item] < most_of[each.item]]
        if not growing or most > _EVEN * io_ranks:
            break
        found[max(growing, key=lambda each: each.load(more) / found[each.item]).item] += 1
    return tuple(best[each.item] for each in series)


def share_apart(series: tuple[Series, ...], io_ranks: int, more: float = 0.0) -> tuple[int, ...]:
    """Partitions of which each has an I/O rank for itself, so that no two outputs meet on one: more
    of them where a part is largest. () where there are more streams than ranks.
    """
    most_of = _most_of(series, io_ranks)
    width = Counter(each.item for each in series)
    found, left = dict.fromkeys(most_of, 1), io_ranks - len(series)
    while left >= 0:
        growing = [
            each
            for each in series
            if found[each.item] < most_of[each.item] and width[each.item] <= left
        ]
        if not growing:
            return tuple(found[each.item] for each in series)
        item = max(growing, key=lambda each: each.load(more) / found[each.item]).item
        found[item] += 1
        left -= width[item]
    return ()


def busy_ranks(
    series: Sequence[Series], partitions: Sequence[int], io_ranks: int, more: float = 0.0
) -> float:
    """All load over that of the busiest I/O rank, where partitions go round the ranks."""
    parts = np.array(partitions, dtype=np.int64)
    stream = np.repeat(np.arange(len(parts)), parts)
    turn = np.arange(len(stream))
    number = turn - np.repeat(np.cumsum(parts) - parts, parts)  # of a partition of its stream
    counts = np.array([each.outputs for each in series])[stream]
    each_load = np.array([each.values + more for each in series])[stream]
    outputs = (counts - number + parts[stream] - 1) // parts[stream]  # they go to it in turn
    loads = np.bincount(turn % max(1, io_ranks), outputs * each_load)
    return float(loads.sum() / loads.max()) if loads.size and loads.max() else 1.0


def _most_of(series: Sequence[Series], io_ranks: int) -> dict[tuple[int, str], int]:
    found: dict[tuple[int, str], int] = {}
    for each in series:
        found[each.item] = min(each.most_partitions, io_ranks, found.get(each.item, io_ranks))
    return found


def _busy_ranks(series: Sequence[Series], ranks: Sequence[Sequence[int]], more: float) -> float:
    counts = [each.outputs for each in series]
    loads = load_of_ranks(counts, ranks, [each.values + more for each in series])
    return float(loads.sum() / loads.max()) if loads.max() else 1.0


def _values_on_a_rank(series: Sequence[Series], ranks: Sequence[Sequence[int]]) -> int:
    held: Counter[int] = Counter()
    for each, its_ranks in zip(series, ranks, strict=True):
        for rank in its_ranks:
            held[rank] += each.values
    return max(held.values(), default=0)
