# SPDX-License-Identifier: Apache-2.0
"""Simulated time: a heap of events, and processes that sleep or wait for a signal."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

Act = Callable[[], None]
# At one time writers go before compute ranks: a slot that gets free when it is asked for is free.
WRITERS, COMPUTE = 0, 1


class Signal:
    """Something that happens once; whoever came before that is called then."""

    __slots__ = ("_waiting", "fired")

    def __init__(self, fired: bool = False) -> None:
        self.fired = fired
        self._waiting: list[Act] = []

    def then(self, act: Act) -> None:
        if self.fired:
            act()
        else:
            self._waiting.append(act)

    def fire(self) -> None:
        self.fired = True
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()


Process = Iterator["float | Signal"]  # yields seconds to sleep, or what it waits for


class Clock:
    """now_s never goes back; events of one time keep the order in which they were asked for."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.events = 0
        self._heap: list[tuple[float, int, int, Act]] = []
        self._asked = 0

    def at(self, time_s: float, act: Act, order: int = WRITERS) -> None:
        assert time_s >= self.now_s, (time_s, self.now_s)
        self._asked += 1
        heapq.heappush(self._heap, (time_s, order, self._asked, act))

    def start(self, process: Process, order: int = WRITERS) -> None:
        """Runs a process up to its first wait, and on from there when that is over."""

        def resume() -> None:
            for wanted in process:
                if isinstance(wanted, Signal):
                    if not wanted.fired:
                        wanted.then(lambda: self.at(self.now_s, resume, order))
                        return
                elif wanted > 0.0:
                    self.at(self.now_s + wanted, resume, order)
                    return

        resume()

    def run(self) -> None:
        """Until nothing is left to happen."""
        while self._heap:
            self.now_s, _, _, act = heapq.heappop(self._heap)
            self.events += 1
            act()
