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

Whole = NDArray[np.int64]
_MOST_OUTPUTS = 10_000  # that are walked through; of longer runs in pieces, all over the run
_PIECES = 10


@dataclass(frozen=True)
class Piece:
    """Outputs one after the other: the step before each, its stream, and its number there; arrays
    of shape [output]. stands_for: so many times its outputs are in the run.
    """

    step: Whole
    stream: Whole
    number: Whole
    stands_for: float


@dataclass(frozen=True)
class Outputs:
    """Of a run of `steps` steps. counts: of each stream."""

    steps: int
    counts: tuple[int, ...]
    pieces: tuple[Piece, ...]


def outputs_of(at_steps: Sequence[Whole], steps: int, most: int = _MOST_OUTPUTS) -> Outputs:
    """at_steps: steps before each output of each stream, ascending."""
    counts = tuple(len(each) for each in at_steps)
    step = np.concatenate([*at_steps, np.empty(0, np.int64)])
    stream = np.repeat(np.arange(len(counts)), counts)
    number = np.concatenate([*(np.arange(count) for count in counts), np.empty(0, np.int64)])
    order = np.argsort(step, kind="stable")

    def piece(chosen: Whole, stands_for: float) -> Piece:
        return Piece(step[chosen], stream[chosen], number[chosen], stands_for)

    if len(order) <= most:
        return Outputs(steps, counts, (piece(order, 1.0),))
    length = most // _PIECES
    pieces = []
    for part in np.array_split(order, _PIECES):
        begin = max(0, len(part) - length) // 2
        chosen = part[begin : begin + length]
        pieces.append(piece(chosen, len(part) / len(chosen)))
    return Outputs(steps, counts, (*pieces, piece(order[-length:], 0.0)))  # how the run ends


def stalls_s(
    outputs: Outputs, ranks: Sequence[Sequence[int]], seconds: Sequence[float], step_s: float
) -> float:
    """How much longer the run takes than its steps alone, or than the busiest I/O rank alone.

    ranks: of every partition of each stream; seconds: of one output of each stream.
    """
    waiting_s = behind_s = 0.0
    for piece in outputs.pieces:
        piece_s, behind_s = _walk(outputs, piece, ranks, np.array(seconds), step_s)
        waiting_s += piece_s * piece.stands_for
    steps_s = outputs.steps * step_s
    total_s = steps_s + waiting_s + behind_s
    busiest_s = float(load_of_ranks(outputs.counts, ranks, seconds).max())
    return max(0.0, total_s - max(steps_s, busiest_s))


def load_of_ranks(
    counts: Sequence[int], ranks: Sequence[Sequence[int]], each: Sequence[float]
) -> NDArray[np.float64]:
    """Of I/O ranks, whole streams. counts: outputs of each stream, that go to its partitions in
    turn; each: the load of one of them. [rank]
    """
    found = np.zeros(1 + max((max(its_ranks) for its_ranks in ranks), default=0))
    for count, its_ranks, one in zip(counts, ranks, each, strict=True):
        parts = len(its_ranks)
        np.add.at(found, list(its_ranks), (count - np.arange(parts) + parts - 1) // parts * one)
    return found


def _walk(
    outputs: Outputs, piece: Piece, ranks: Sequence[Sequence[int]], seconds: NDArray[np.float64],
    step_s: float,
) -> tuple[float, float]:  # fmt: skip
    """Compute ranks wait so long in it, and for the last I/O rank after the end of the run."""
    parts = np.array([len(each) for each in ranks], dtype=np.int64)
    begins = np.cumsum(parts) - parts
    everyone = np.array([rank for each in ranks for rank in each], dtype=np.int64)
    rank = everyone[begins[piece.stream] + piece.number % parts[piece.stream]]
    many = int(everyone.max(initial=0)) + 1
    key, where = np.unique(piece.step * many + rank, return_inverse=True)
    together = np.zeros(len(key))
    np.add.at(together, where, seconds[piece.stream])
    begins_at = np.flatnonzero(np.diff(key // many, prepend=-1))
    steps = (key[begins_at] // many).tolist()
    to_rank, its_s = (key % many).tolist(), together.tolist()
    free_s = [0.0] * many
    now_s, waiting_s = 0.0, 0.0
    before = steps[0] if steps else 0
    ends_at = [*begins_at[1:].tolist(), len(to_rank)]
    for step, begin, end in zip(steps, begins_at.tolist(), ends_at, strict=True):
        now_s += (step - before) * step_s
        before, go_s = step, now_s
        its_ranks = to_rank[begin:end]
        for rank in its_ranks:
            if free_s[rank] > go_s:
                go_s = free_s[rank]
        waiting_s += go_s - now_s
        now_s = go_s
        for rank, seconds_of_it in zip(its_ranks, its_s[begin:end], strict=True):
            free_s[rank] = go_s + seconds_of_it
    now_s += (outputs.steps - before) * step_s
    return waiting_s, max(0.0, max(free_s) - now_s)
