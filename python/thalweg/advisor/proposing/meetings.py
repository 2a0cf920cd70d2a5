# SPDX-License-Identifier: Apache-2.0
"""Streams that meet: how long compute ranks stand still while I/O ranks have several outputs.

Before the outputs of a step ICON's compute ranks wait until every I/O rank that gets one of them
has written all that it had (`compute_wait_for_async_io` in mo_name_list_output); then they go on.
The run ends when the last I/O rank has written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thalweg.advisor.proposing.situation import Series

_MOST_OUTPUTS = 20_000  # of a run that is walked whole; of others the first so many


@dataclass(frozen=True)
class Handed:
    """What I/O ranks are given, in order: each array of shape [step and rank].

    seconds  that the rank needs for all of it
    share    of the run's steps that is looked at
    """

    step: NDArray[np.int64]
    rank: NDArray[np.int64]
    seconds: NDArray[np.float64]
    steps: float
    share: float


def handed(
    series: Sequence[Series], ranks: Sequence[Sequence[int]], seconds: Sequence[float], steps: int
) -> Handed:
    """ranks: of every partition of each stream; seconds: of one output of each stream."""
    at_step, of_rank, needed = [], [], []
    for stream, its_ranks, each_s in zip(series, ranks, seconds, strict=True):
        when = stream.at_steps(steps)
        number = np.arange(len(when)) % len(its_ranks)
        at_step.append(when)
        of_rank.append(np.array(its_ranks, dtype=np.int64)[number])
        needed.append(np.full(len(when), each_s))
    step, rank = np.concatenate(at_step), np.concatenate(of_rank)
    many = int(rank.max(initial=0)) + 1
    key, where = np.unique(step * many + rank, return_inverse=True)
    together = np.zeros(len(key))
    np.add.at(together, where, np.concatenate(needed))
    last = float(steps)
    if len(key) > _MOST_OUTPUTS:
        key, together = key[:_MOST_OUTPUTS], together[:_MOST_OUTPUTS]
        last = max(1.0, float(key[-1] // many))
    return Handed(key // many, key % many, together, last, last / max(1, steps))


def stalls_s(given: Handed, step_s: float) -> float:
    """How much longer the run takes than its steps alone, or than the busiest I/O rank alone."""
    busiest_s = float(np.bincount(given.rank, given.seconds).max(initial=0.0))
    longer = _run_s(given, step_s) - max(given.steps * step_s, busiest_s)
    return max(0.0, longer) / given.share


def _run_s(given: Handed, step_s: float) -> float:
    columns = (given.step.tolist(), given.rank.tolist(), given.seconds.tolist())
    free_s = [0.0] * (max(columns[1], default=0) + 1)
    now_s, before, begin = 0.0, 0, 0
    todo = list(zip(*columns, strict=True))
    while begin < len(todo):
        step = todo[begin][0]
        end = begin + 1
        while end < len(todo) and todo[end][0] == step:
            end += 1
        now_s += (step - before) * step_s
        now_s = max(now_s, *(free_s[rank] for _, rank, _ in todo[begin:end]))
        for _, rank, seconds in todo[begin:end]:
            free_s[rank] = now_s + seconds
        before, begin = step, end
    return max(now_s + (given.steps - before) * step_s, *free_s)
