# SPDX-License-Identifier: Apache-2.0
"""Timer reports of an ICON LOG, of one rank or many (mo_real_timer, aggregated and full).

The columns are those that the report's own head names: reports of one rank have no columns of
ranks, older versions neither `total avg (s)` nor `# PEs`, reports of every PE only sums of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from thalweg.errors import ThalwegError
from thalweg.logs.icon_line import Line, parse_icon_duration, parse_number

_TITLE = re.compile(r"\s*Timer report(?:, ranks (?P<ranks>\S.*?)| of PE (?P<pe>\d+))?\s*")
_COLUMN = re.compile(
    r"# calls|t_min|min rank|t_avg|t_average|t_max|max rank|total min \(s\)|total min rank|"
    r"total max \(s\)|total max rank|total avg \(s\)|# PEs|t_total"
)
_RULE = re.compile(r"\s*-+(?:\s+-+)*\s*")
_DURATION = re.compile(r"\d+d\d+h|\d+h\d+m|\d+m\d+s|\d*\.\d+s")
_CALLS = re.compile(r"[0-9]+|[0-9]+(?:\.[0-9]*)?[eE]\+?[0-9]+")
_DURATIONS = ("t_min", "t_avg", "t_average", "t_max", "t_total")
# A mean that is calls times a rounded mean of calls is told where rounding hides no more than this.
_COARSE = 0.005
_ROUNDED_S = 0.0015  # seconds of a report have three decimals


@dataclass(frozen=True)
class Timer:
    """Whole-run sums of one timer; calls are summed over ranks. None: not told.

    mean_s    over all ranks of the report, those that never used it included
    denied_s  the mean that is printed, but cannot be: it is not between minimum and maximum
    """

    calls: int
    mean_s: float | None
    max_s: float | None
    denied_s: float | None = None


@dataclass
class Report:
    """ranks: how many it is of, 0 = unknown. first: the lowest, None = unknown."""

    line: Line
    ranks: int
    first: int | None
    columns: list[str] = field(default_factory=list)
    timers: dict[str, Timer] = field(default_factory=dict)
    doubled: set[str] = field(default_factory=set)
    open: bool = True
    ends_in_line: bool = False  # the log is cut off within the line of a timer

    @property
    def of_one_pe(self) -> bool:
        """One of the reports that every PE writes by itself; their seconds stand under no head."""
        return "t_total" in self.columns

    @property
    def cut(self) -> bool:
        """The rule under its last timer is missing."""
        return self.open and not self.of_one_pe

    def timer(self, name: str) -> Timer | None:
        return None if name in self.doubled else self.timers.get(name)


class ReportReader:
    """Takes the lines of a log one by one. Raises a sentence with file and line where a report is
    broken.
    """

    def __init__(self) -> None:
        self._reports: list[Report] = []
        self._current: dict[str, Report] = {}  # by the rank before the line: a log mixes reports

    def read(self, line: Line) -> None:
        if title := _TITLE.fullmatch(line.text):
            report = _report(line, title)
            self._reports.append(report)
            self._current[line.rank] = report
        elif (found := self._current.get(line.rank)) is not None and found.open:
            try:
                _read_line(found, line)
            except ThalwegError:
                found.ends_in_line = True  # if the log ends there
                raise

    def finish(self) -> list[Report]:
        for report in self._reports:
            if report.cut and report.timers and not report.ends_in_line:
                report.timers.popitem()  # digits may be missing at its end
            if not report.timers and not report.cut:
                raise report.line.error("the timer report has no timers; is the log cut off?")
        return self._reports


def _report(line: Line, title: re.Match[str]) -> Report:
    if title["ranks"]:
        ranks = _rank_list(title["ranks"])
        return Report(line, len(ranks), min(ranks, default=None))
    own = title["pe"] or line.rank
    return Report(line, 1, int(own) if own else None)


def _rank_list(text: str) -> set[int]:
    """ "0-123,126"; empty where it is cut or of another form."""
    ranks: set[int] = set()
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if ends is None:
            return set()
        last = int(ends[2] or ends[1])
        if last - int(ends[1]) > 10_000_000:
            return set()
        ranks.update(range(int(ends[1]), last + 1))
    return ranks


def _read_line(report: Report, line: Line) -> None:
    if not report.columns:
        if "# calls" in line.text:
            report.columns = _COLUMN.findall(line.text)
        return
    if not line.text.strip():
        return
    if _RULE.fullmatch(line.text):
        report.open = not report.timers
        return
    values = len(report.columns) + (1 if report.of_one_pe else 0)
    words = line.text.rsplit(maxsplit=values)
    if len(words) == values + 1 and _CALLS.fullmatch(words[1]):
        _add(report, line, words)
    elif _DURATION.search(line.text) and len(line.text.split()) > 2:
        raise line.error(
            f"a timer has {values} values after its name; the line is cut or two reports are mixed "
            "(srun --label tells them apart)"
        )


def _add(report: Report, line: Line, words: list[str]) -> None:
    cells = dict(zip(report.columns, words[1:], strict=False))
    name = re.sub(r"^\s*(?:\d+ )?\s*(?:L )?", "", words[0]).strip()
    try:
        for column in _DURATIONS:
            if column in cells:
                parse_icon_duration(cells[column])
        for column, cell in cells.items():
            if column.endswith("rank") and not re.fullmatch(r"\[\d+\]", cell):
                raise ValueError(cell)
        timer = _timer(cells, words[-1], report.ranks)
    except ValueError as error:
        raise line.error(f"timer '{name}': '{error}' is no value of a timer report") from None
    if name in report.timers:
        report.doubled.add(name)
    report.timers[name] = timer


def _timer(cells: dict[str, str], last: str, ranks: int) -> Timer:
    calls = round(float(cells["# calls"]))
    if "t_total" in cells:
        own = parse_number(last)
        return Timer(calls, own, own)
    low, high, mean = (
        parse_number(cells[name]) if name in cells else None
        for name in ("total min (s)", "total max (s)", "total avg (s)")
    )
    if low is not None and high is not None and low > high:
        raise ValueError(f"{low} to {high}")
    if mean is None:
        return Timer(calls, _mean(cells, calls, ranks, low, high), high)
    if low is not None and high is not None and not low - _ROUNDED_S <= mean <= high + _ROUNDED_S:
        # Versions of ICON divide the sum of I/O ranks by the number of compute ranks.
        return Timer(calls, _mean(cells, calls, ranks, low, high), high, denied_s=mean)
    users = int(cells.get("# PEs", ranks))
    return Timer(calls, mean * users / ranks if ranks else mean, high)


def _mean(
    cells: dict[str, str], calls: int, ranks: int, low: float | None, high: float | None
) -> float | None:
    """Calls times their mean, where versions of ICON tell no mean of the sums."""
    if low is not None and low == high:
        return low
    told = parse_icon_duration(cells.get("t_avg", ">99d"))
    if told is None or not ranks or told[1] > 2.0 * _COARSE * told[0]:
        return None
    rest_s = told[1] / 2.0 if told[1] >= 1.0 else 0.0  # minutes and hours are rounded down
    mean = (told[0] + rest_s) * calls / ranks
    inside = low is not None and high is not None and low * 0.99 <= mean <= high * 1.01
    return mean if inside else None
