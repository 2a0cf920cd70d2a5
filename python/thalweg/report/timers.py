# SPDX-License-Identifier: Apache-2.0
"""The timer table: calls, seconds per call and per rank, each with its meaning and a small bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thalweg.files.timing import Timer
from thalweg.report.rundata import RunData
from thalweg.report.style import number_text


@dataclass(frozen=True)
class TimerRow:
    """One line of the table; times in seconds. Ranks that never used the timer do not count."""

    timer: Timer
    depth: int  # 0 = has no parent in the table
    calls: int  # summed over ranks
    ranks: int  # that used it
    call_min: float
    call_mean: float
    call_max: float
    total_min: float
    total_mean: float
    total_max: float


def timer_rows(run: RunData) -> list[TimerRow]:
    """Rows in the order of a tree: every timer directly below its parent, brothers as listed. One
    that is its own ancestor has none.
    """
    names = {timer.name for timer in run.timing.timers}
    children: dict[str, list[Timer]] = {}
    for timer in run.timing.timers:
        parent = timer.parent if timer.parent in names and timer.parent != timer.name else ""
        children.setdefault(parent, []).append(timer)
    rows: list[TimerRow] = []
    seen: set[str] = set()
    below: list[tuple[Timer, int]] = []
    for first in (*children.get("", []), *run.timing.timers):
        if first.name not in seen:
            below = [(_in_ring(first, run.timing.timers), 0)]
        while below:
            timer, depth = below.pop()
            if timer.name not in seen:
                seen.add(timer.name)
                rows.extend(_row(timer, depth))
                below += [(each, depth + 1) for each in reversed(children.get(timer.name, []))]
    return rows


def _in_ring(timer: Timer, timers: tuple[Timer, ...]) -> Timer:
    """The first of its ancestors that is met twice; itself where one has no parent."""
    named = {each.name: each for each in timers}
    met: set[str] = set()
    each = timer
    while each.name not in met:
        met.add(each.name)
        if each.parent not in named:
            return timer
        each = named[each.parent]
    return each


def _row(timer: Timer, depth: int) -> list[TimerRow]:
    users = timer.users()
    if not users:
        return []
    totals = [timer.total_s[rank] for rank in users]
    calls = sum(timer.calls[rank] for rank in users)
    return [
        TimerRow(
            timer=timer,
            depth=depth,
            calls=calls,
            ranks=len(users),
            call_min=min(timer.min_s[rank] for rank in users),
            call_mean=sum(totals) / calls,
            call_max=max(timer.max_s[rank] for rank in users),
            total_min=min(totals),
            total_mean=sum(totals) / len(totals),
            total_max=max(totals),
        )
    ]


def timer_lines(run: RunData) -> list[dict[str, Any]]:
    """The rows as the template wants them."""
    rows = timer_rows(run)
    longest = max((row.total_max for row in rows), default=0.0) or 1.0
    return [
        {
            "name": row.timer.name,
            "meaning": row.timer.meaning + (f" (ICON: {row.timer.icon})" if row.timer.icon else ""),
            "indent": 6 + 16 * row.depth,
            "ranks": row.ranks,
            "calls": f"{row.calls:,}".replace(",", "\u202f"),
            "per_call": [_per_call(each) for each in (row.call_min, row.call_mean, row.call_max)],
            "least": f"{row.total_min:.3f}",
            "mean": f"{row.total_mean:.3f}",
            "most": f"{row.total_max:.3f}",
            "percent": f"{100.0 * row.total_mean / longest:.2f}",
        }
        for row in rows
    ]


def _per_call(seconds: float) -> str:
    for unit, size_s in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size_s:
            return f"{number_text(seconds / size_s)} {unit}"
    return f"{number_text(seconds * 1e6)} \u00b5s"
