# SPDX-License-Identifier: Apache-2.0
"""The timer table in ICON's manner: calls, time per call, totals over ranks, indented by parent."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.files.timing import Timer, Timing
from thalweg.tables import table_text

_HEADER = (
    "name", "ranks", "calls", "t_min", "t_avg", "t_max",
    "total min (s)", "total avg (s)", "total max (s)",
)  # fmt: skip


def timer_table(timing: Timing) -> str:
    """Only ranks that called a timer count; t_* are per call, totals per rank."""
    rows = [_row(timer, depth) for timer, depth in _in_order(timing)]
    return table_text(_HEADER, rows, right=_HEADER[1:])


def _in_order(timing: Timing) -> Iterator[tuple[Timer, int]]:
    """Parents before their children. A timer whose parent was never used stands at the top."""
    known = {timer.name for timer in timing.timers}

    def below(parent: str, depth: int) -> Iterator[tuple[Timer, int]]:
        for timer in timing.timers:
            its_parent = timer.parent if timer.parent in known else ""
            if its_parent == parent:
                yield timer, depth
                yield from below(timer.name, depth + 1)

    return below("", 0)


def _row(timer: Timer, depth: int) -> tuple[str, ...]:
    ranks = timer.users()
    if not ranks:
        return ("   " * depth + timer.name, "0", "0", *["-"] * (len(_HEADER) - 3))
    calls = sum(timer.calls[rank] for rank in ranks)
    totals_s = [timer.total_s[rank] for rank in ranks]
    return (
        ("   " * (depth - 1) + " L " if depth else "") + timer.name,
        str(len(ranks)),
        str(calls),
        _seconds(min(timer.min_s[rank] for rank in ranks)),
        _seconds(sum(totals_s) / calls),
        _seconds(max(timer.max_s[rank] for rank in ranks)),
        f"{min(totals_s):.3f}",
        f"{sum(totals_s) / len(totals_s):.3f}",
        f"{max(totals_s):.3f}",
    )


def _seconds(time_s: float) -> str:
    """Three or four digits and a unit, as ICON prints times per call."""
    for unit, size_s in (("s", 1.0), ("ms", 1e-3)):
        if time_s >= size_s:
            return f"{time_s / size_s:.4g}{unit}"
    return f"{time_s * 1e6:.3g}us"
