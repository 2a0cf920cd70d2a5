# SPDX-License-Identifier: Apache-2.0
"""Rounds of steps, messages and files: how many, how long they are, and when they end."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from thalweg.calibrate.native_times import NativeTimer
from thalweg.calibrate.step_times import StepTimer

_LATE = 0.1  # of all the time: another round may end so much later
_WANTED_ROUNDS, _MOST_ROUNDS = 3, 8


@dataclass(frozen=True)
class Pace:
    """Seconds of the steps of a run, and of messages and files in a round."""

    steps_s: float
    native_s: float


@dataclass(frozen=True)
class Pacing:
    """paces: the first one that leaves time for three rounds is taken, so that slow minutes of a
    machine are seen as such; the last one where none does.

    tried_s  of the first round of messages and files, in which nothing counts
    """

    tried_s: float = 3.0
    paces: tuple[Pace, ...] = (Pace(1.0, 12.0), Pace(0.5, 6.0), Pace(0.2, 3.0))


@dataclass(frozen=True)
class Allotment:
    """The time that there is, from one reading of a clock to another [s]."""

    begin_s: float
    end_s: float
    clock: Callable[[], float] = time.monotonic

    @staticmethod
    def from_now(minutes: float, clock: Callable[[], float] = time.monotonic) -> Allotment:
        now_s = clock()
        return Allotment(now_s, now_s + 60.0 * minutes, clock)

    def used_s(self) -> float:
        return self.clock() - self.begin_s

    def left_s(self) -> float:
        return self.end_s - self.clock()

    def has_room_for(self, seconds: float) -> bool:
        return seconds <= self.left_s() + _LATE * (self.end_s - self.begin_s)


def choose_pace(
    left_s: float, around_s: float, kinds: int, paces: Sequence[Pace]
) -> tuple[Pace, int]:
    """A pace, and how many rounds there are to be.

    around_s  what runs of all kinds take beside their steps
    """
    for pace in paces:
        rounds = int(left_s / (around_s + kinds * pace.steps_s + pace.native_s))
        if rounds >= _WANTED_ROUNDS:
            break
    return pace, max(1, min(rounds, _MOST_ROUNDS))


def measure_rounds(
    steps: StepTimer,
    native: NativeTimer,
    allotment: Allotment,
    paces: Sequence[Pace],
    show: Callable[[str], None],
) -> int:
    """How many rounds there were: at least one. `show` is told what is done next."""
    around_s = sum(kind.around_s for kind in steps.kinds)
    pace, rounds = choose_pace(allotment.left_s(), around_s, len(steps.kinds), paces)
    order = random.Random(native.ranks)
    for number in range(1, rounds + 1):
        begin_s = allotment.clock()
        for kind in order.sample(steps.kinds, len(steps.kinds)):
            show(f"round {number} of {rounds}, steps on {kind.grid}")
            steps.measure(kind, pace.steps_s)
        # What is left is shared among the rounds, after what their steps will take.
        after = rounds - number
        left_s = allotment.left_s() - after * (allotment.clock() - begin_s)
        state = f"round {number} of {rounds}, messages and files"
        seconds = max(paces[-1].native_s, left_s / (after + 1))
        native.measure(seconds, number, partial(show, state))
        if not allotment.has_room_for(allotment.clock() - begin_s):
            break
    return number
