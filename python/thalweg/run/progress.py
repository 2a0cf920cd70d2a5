# SPDX-License-Identifier: Apache-2.0
"""How far something is, the one display of it: a bar on a terminal, a line now and then without."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from thalweg.config.durations import short_duration

Item = TypeVar("Item")
Display = TypeVar("Display", bound="ProgressDisplay")
_LINE_EVERY_S = 10.0


class ProgressDisplay:
    """On standard error, so that standard output stays clean. quiet = show nothing."""

    def __init__(self, title: str, quiet: bool = False) -> None:
        self._title = title
        self._quiet = quiet
        self._last_line_s = time.monotonic()
        self._bar: Progress | None = None
        self._task = TaskID(0)
        if sys.stderr.isatty() and not quiet:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:3.0f} %  {task.fields[state]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(title, total=1.0, state="starting")

    def __enter__(self: Display) -> Display:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, share: float, state: str) -> None:
        """share: done, from 0 to 1; state: in words."""
        now_s = time.monotonic()
        if self._bar:
            self._bar.update(self._task, completed=share, state=state)
        elif not self._quiet and now_s - self._last_line_s >= _LINE_EVERY_S:
            self._last_line_s = now_s
            print(f"{self._title}: {state}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        if self._bar:
            self._bar.console.print(f"note: {text}", highlight=False, markup=False)
        elif not self._quiet:
            print(f"note: {text}", file=sys.stderr, flush=True)


class RunProgress(ProgressDisplay):
    """Of a run: simulated time, outputs, and an honest time left."""

    _first: tuple[float, float] | None = None  # (clock, simulated time) of the first report

    def update(self, time_s: float, end_s: float, outputs: int) -> None:
        """time_s, end_s: simulated; outputs: written so far, over all streams."""
        now_s = time.monotonic()
        self._first = self._first or (now_s, time_s)
        count = f"{outputs} output{'s' * (outputs != 1)}"
        state = f"{short_duration(time_s)} of {short_duration(end_s)}, {count}"
        clock_s, simulated_s = now_s - self._first[0], time_s - self._first[1]
        if time_s >= end_s:
            state += ", closing files"
        elif clock_s >= 1.0 and simulated_s > 0.0:
            state += f", {short_duration((end_s - time_s) * clock_s / simulated_s)} left"
        self.show(time_s / end_s if end_s > 0.0 else 1.0, state)


def tracked(items: Sequence[Item], title: str) -> Iterator[Item]:
    """The items, one after the other, while the display counts them."""
    with ProgressDisplay(title) as display:
        for number, item in enumerate(items):
            display.show(number / len(items), f"{number} of {len(items)}")
            yield item
