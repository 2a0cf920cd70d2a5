# SPDX-License-Identifier: Apache-2.0
"""The timer table: calls, seconds per call and per rank, each with its meaning and a small bar."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

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
    """Rows in the order of a tree: every timer directly below its parent, brothers as listed."""
    names = {timer.name for timer in run.timing.timers}
    children: dict[str, list[Timer]] = {}
    for timer in run.timing.timers:
        parent = timer.parent if timer.parent in names and timer.parent != timer.name else ""
        children.setdefault(parent, []).append(timer)
    rows: list[TimerRow] = []
    seen: set[str] = set()

    def visit(parent: str, depth: int) -> None:
        for timer in children.get(parent, []):
            if timer.name not in seen:
                seen.add(timer.name)
                rows.extend(_row(timer, depth))
                visit(timer.name, depth + 1)

    visit("", 0)
    return rows


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


def timer_table(run: RunData) -> str:
    """The table as HTML."""
    rows = timer_rows(run)
    longest = max((row.total_max for row in rows), default=0.0) or 1.0
    lines = [
        '<div class="scroll"><table><thead><tr><th>timer</th><th class="number">ranks</th>'
        '<th class="number" title="summed over ranks">calls</th>'
        '<th class="number" title="shortest call of any rank">t_min</th>'
        '<th class="number" title="mean over all calls">t_avg</th>'
        '<th class="number" title="longest call of any rank">t_max</th>'
        '<th class="number" title="rank with the least">total min [s]</th>'
        '<th class="number" title="mean over the ranks that used it">total avg [s]</th>'
        '<th class="number" title="rank with the most">total max [s]</th>'
        "<th>total avg</th></tr></thead><tbody>"
    ]
    lines += [_line(row, longest) for row in rows]
    return "\n".join(lines) + "</tbody></table></div>"


def _line(row: TimerRow, longest: float) -> str:
    meaning = row.timer.meaning + (f" (ICON: {row.timer.icon})" if row.timer.icon else "")
    calls = f"{row.calls:,}".replace(",", "\u202f")
    per_call = "".join(
        f'<td class="number">{_per_call(value)}</td>'
        for value in (row.call_min, row.call_mean, row.call_max)
    )
    totals = "".join(
        f'<td class="number">{value:.3f}</td>'
        for value in (row.total_min, row.total_mean, row.total_max)
    )
    width = 100.0 * row.total_mean / longest
    return (
        f'<tr title="{escape(meaning)}"><th style="padding-left:{10 + 22 * row.depth}px">'
        f'{escape(row.timer.name)}</th><td class="number">{row.ranks}</td>'
        f'<td class="number">{calls}</td>{per_call}{totals}'
        f'<td class="bar"><i style="width:{width:.2f}%"></i></td></tr>'
    )


def _per_call(seconds: float) -> str:
    for unit, size_s in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size_s:
            return f"{number_text(seconds / size_s)} {unit}"
    return f"{number_text(seconds * 1e6)} \u00b5s"
