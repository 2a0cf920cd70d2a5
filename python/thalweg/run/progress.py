# SPDX-License-Identifier: Apache-2.0
"""Shows how far a run is: a bar on a terminal, a line now and then without one."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from thalweg.config.durations import short_duration

_LINE_EVERY_S = 10.0


class ProgressDisplay:
    """On standard error, so that standard output stays clean. quiet = show nothing."""

    def __init__(self, title: str, quiet: bool = False) -> None:
        self._title = title
        self._quiet = quiet
        self._began_s = self._last_line_s = time.monotonic()
        self._first: tuple[float, float] | None = (
            None  # (clock, simulated time) of the first report
        )
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

    def __enter__(self) -> ProgressDisplay:
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

    def update(self, time_s: float, end_s: float, outputs: int) -> None:
        """time_s, end_s: simulated; outputs: written so far, over all streams."""
        now_s = time.monotonic()
        if self._first is None:
            self._first = now_s, time_s
        state = self._state(now_s, time_s, end_s, outputs)
        if self._bar:
            share = time_s / end_s if end_s > 0.0 else 1.0
            self._bar.update(self._task, completed=share, state=state)
        elif not self._quiet and now_s - self._last_line_s >= _LINE_EVERY_S:
            self._last_line_s = now_s
            print(f"{self._title}: {state}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        if self._bar:
            self._bar.console.print(f"note: {text}", highlight=False, markup=False)
        elif not self._quiet:
            print(f"note: {text}", file=sys.stderr, flush=True)

    def _state(self, now_s: float, time_s: float, end_s: float, outputs: int) -> str:
        words = f"{short_duration(time_s)} of {short_duration(end_s)}, {outputs} outputs"
        if time_s >= end_s:
            return f"{words}, closing files"
        assert self._first is not None
        clock_s, simulated_s = now_s - self._first[0], time_s - self._first[1]
        if clock_s < 1.0 or simulated_s <= 0.0:
            return words
        left_s = (end_s - time_s) * clock_s / simulated_s
        return f"{words}, {short_duration(left_s)} left"
