# SPDX-License-Identifier: Apache-2.0
"""A quantity that jumps, as means over equal bins: at most 1000, however many jumps."""

from __future__ import annotations

from thalweg.advisor.simulation.result import Series

MOST_POINTS = 1000


class Track:
    """Bins begin with about the length of the run over 500, and double when it gets longer."""

    def __init__(self, about_s: float) -> None:
        self._width_s = max(about_s, 1e-3) / (MOST_POINTS // 2)
        self._sums = [0.0]  # integral over each bin
        self._since_s = 0.0
        self.value = 0.0
        self.largest = 0.0
        self.integral = 0.0

    def change(self, time_s: float, value: float) -> None:
        """From now on it is `value`."""
        self._spread(time_s)
        self.value = value
        self.largest = max(self.largest, value)

    def add(self, time_s: float, change: float) -> None:
        self.change(time_s, self.value + change)

    def series(self, end_s: float) -> Series:
        self._spread(end_s)
        times, means = [], []
        for number, found in enumerate(self._sums):
            begin_s = number * self._width_s
            length_s = min(self._width_s, end_s - begin_s)
            if length_s > 0.0:
                times.append(begin_s)
                means.append(found / length_s)
        mean = self.integral / end_s if end_s > 0.0 else 0.0
        return Series(tuple(times), tuple(means), mean, self.largest)

    def _spread(self, end_s: float) -> None:
        if self.value == 0.0 or end_s <= self._since_s:
            self._since_s = max(self._since_s, end_s)
            self._reach(self._since_s)
            return
        self.integral += self.value * (end_s - self._since_s)
        self._reach(end_s)
        number = min(int(self._since_s / self._width_s), len(self._sums) - 1)
        while self._since_s < end_s:
            last = number == len(self._sums) - 1
            until_s = end_s if last else min(end_s, (number + 1) * self._width_s)
            if until_s > self._since_s:
                self._sums[number] += self.value * (until_s - self._since_s)
                self._since_s = until_s
            number += not last

    def _reach(self, time_s: float) -> None:
        while time_s > self._width_s * MOST_POINTS:
            pairs = self._sums if len(self._sums) % 2 == 0 else [*self._sums, 0.0]
            self._sums = [pairs[i] + pairs[i + 1] for i in range(0, len(pairs), 2)]
            self._width_s *= 2.0
        needed = min(int(time_s / self._width_s) + 1, MOST_POINTS)
        self._sums.extend([0.0] * (needed - len(self._sums)))
