# SPDX-License-Identifier: Apache-2.0
"""Stream partitions: how many each stream has, and how evenly I/O ranks are loaded then."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from thalweg.advisor.proposing.situation import Series


def share_out(series: Sequence[Series], io_ranks: int) -> tuple[int, ...]:
    """Partitions of each stream: by its share of all values, so that each I/O rank has about as
    much, at least one and no more than outputs or ranks.
    """
    if io_ranks < 1:
        return tuple(1 for _ in series)
    found = [1] * len(series)

    def load_of_part(number: int) -> float:
        return series[number].load / found[number]

    free = io_ranks - len(series)
    while free > 0:
        growing = [n for n, each in enumerate(series) if found[n] < each.most_partitions]
        if not growing:
            break
        found[max(growing, key=load_of_part)] += 1
        free -= 1
    return tuple(found)


def busy_ranks(series: Sequence[Series], partitions: Sequence[int], io_ranks: int) -> float:
    """All load over that of the busiest I/O rank. Partitions of all streams go round the ranks in
    their order, as ICON deals them.
    """
    loads = [Fraction(0)] * max(1, io_ranks)
    at = 0
    for each, parts in zip(series, partitions, strict=True):
        outputs = [len(range(part, each.outputs, parts)) for part in range(parts)]
        for count in outputs:
            loads[at % len(loads)] += count * each.values
            at += 1
    return float(sum(loads) / max(loads)) if max(loads) else 1.0


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
