# SPDX-License-Identifier: Apache-2.0
"""When a stream writes, and into how many files: intervals, bounds, files, stream partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thalweg.advisor.icon_run import Domain, IconRun, ask_for_start, interval_of
from thalweg.advisor.items import Section
from thalweg.config.calendars import DAY_MS, LONGEST_MS, SECOND_MS, Interval, parse_interval
from thalweg.errors import ThalwegError

Times = NDArray[np.int64]  # [output], ms of the calendar, ascending
Steps = NDArray[np.int64]  # [output], steps of the run before it, ascending
# output_time_unit: second, minute, hour, day, 30 days, 365 days
_UNITS_MS = (SECOND_MS, 60_000, 3_600_000, DAY_MS, 30 * DAY_MS, 365 * DAY_MS)
_MOST_OUTPUTS = 10_000_000  # of a stream; more is a slip of the pen
GRIB2 = 2


@dataclass(frozen=True)
class Schedule:
    """outputs and files of all partitions together; interval: the first, if they differ, and
    interval_s its seconds from the first output on, since months differ; has_last: the last output
    is that of include_last, at no multiple of an interval
    """

    outputs: int
    files: int
    interval: Interval
    interval_s: float
    at_steps: Steps
    has_last: bool


@dataclass(frozen=True)
class _Series:
    """Outputs from `begin` on, at most until `end`; with '>' or '<' the ends are excluded."""

    begin: int
    end: int
    interval: Interval
    without_begin: bool = False
    without_end: bool = False


def schedule(run: IconRun, domain: Domain, section: Section, partitions: int) -> Schedule:
    series = _series(run, section)
    parts = [
        _moved(run, domain, _join([_times(run, section, each)[i::partitions] for each in series]))
        for i in range(partitions)
    ]
    in_series = sum(len(each) for each in parts)
    if partitions == 1 and section.flag("include_last", True):
        parts = [_with_last(run, domain, series, parts[0])]
    files = sum(_files(run, section, part, partitions > 1) for part in parts)
    begin, interval = series[0].begin, series[0].interval
    next_ms = run.calendar.add(begin, interval) if interval.months else 0  # months differ
    interval_ms = next_ms - begin if interval.months else interval.nominal_ms()
    at_steps = -((run.start_ms - np.sort(np.concatenate(parts))) // run.step_ms)
    has_last = len(at_steps) > in_series
    return Schedule(len(at_steps), files, interval, interval_ms / SECOND_MS, at_steps, has_last)


def _series(run: IconRun, section: Section) -> list[_Series]:
    by_dates = any(section.has(f"output_{name}") for name in ("start", "end", "interval"))
    bounds = section.numbers("output_bounds")
    if bounds and by_dates:
        raise section.wrong(
            "output_bounds", "and output_start, output_end or output_interval are given; keep one"
        )
    if bounds:
        return _of_bounds(run, section, bounds)
    if section.is_open("output_bounds"):
        return [_Series(run.start_ms, run.end_ms, Interval(0, DAY_MS))]
    return _of_dates(run, section)


def _of_bounds(run: IconRun, section: Section, bounds: Sequence[float]) -> list[_Series]:
    unit = section.integer("output_time_unit", 1)
    if len(bounds) % 3:
        raise section.wrong(
            "output_bounds", f"has {len(bounds)} numbers; give three each: start, end, step"
        )
    if not 1 <= unit <= len(_UNITS_MS):
        raise section.wrong("output_time_unit", f"is {unit}; give 1 to {len(_UNITS_MS)}")
    found = []
    for start, end, step in zip(bounds[::3], bounds[1::3], bounds[2::3], strict=True):
        begin_ms, end_ms, step_ms = (
            round(max(min(each * _UNITS_MS[unit - 1], LONGEST_MS), -LONGEST_MS))
            for each in (start, end, step)
        )
        if step_ms <= 0:
            raise section.wrong("output_bounds", f"has the step {step:g}; give one above 0")
        found.append(_Series(run.start_ms + begin_ms, run.start_ms + end_ms, Interval(0, step_ms)))
    return found


def _of_dates(run: IconRun, section: Section) -> list[_Series]:
    starts, ends, intervals = (
        section.texts(f"output_{name}") for name in ("start", "end", "interval")
    )
    if not intervals:
        if not section.is_open("output_interval"):
            raise section.wrong("output_interval", "is not given, nor output_bounds; give one")
        intervals = ["P1D"]
    if max(len(starts), len(ends)) > len(intervals):
        raise section.wrong(
            "output_interval", "has fewer elements than output_start or output_end; give as many"
        )
    found = []
    for i, text in enumerate(intervals):
        try:
            interval = parse_interval(text)
        except ValueError as error:
            raise section.wrong("output_interval", f"is wrong: {error}") from error
        if not interval.is_positive():
            raise section.wrong("output_interval", f"is '{text}'; give one longer than 0")
        start = starts[i] if i < len(starts) else ""
        end = ends[i] if i < len(ends) else ""
        begin_ms = _date(run, section, "output_start", start, run.start_ms)
        end_ms = _date(run, section, "output_end", end, run.end_ms)
        found.append(
            _Series(begin_ms, end_ms, interval, start.startswith(">"), end.startswith("<"))
        )
    return found


def _date(run: IconRun, section: Section, name: str, text: str, default: int) -> int:
    text = text.lstrip("<>").strip()
    if not text:
        return default
    if not run.start_known:
        ask_for_start(run.settings)
        return default
    try:
        return run.calendar.parse(text)
    except ValueError as error:
        raise section.wrong(name, f"is wrong: {error}") from error


def _times(run: IconRun, section: Section, series: _Series) -> Times:
    """Cut at the ends of the run; what the series leaves out before its start it never writes."""
    last = min(series.end, run.end_ms)
    interval = series.interval
    if last < series.begin:
        return np.empty(0, np.int64)
    shortest = max(interval.nominal_ms() * 9 // 10, 1)  # a February has 28 days
    if (last - series.begin) // shortest >= _MOST_OUTPUTS:
        raise ThalwegError(
            f"{section.place()}: a stream of '&{section.group.name}' has more than "
            f"{_MOST_OUTPUTS} outputs; correct its interval"
        )
    if interval.months:
        dates = [series.begin]
        while (following := run.calendar.add(series.begin, interval, len(dates))) <= last:
            dates.append(following)
        times = np.array(dates, np.int64)
    else:
        times = np.arange(series.begin, last + 1, interval.ms, dtype=np.int64)
    if series.without_begin:
        times = times[times != series.begin]
    if series.without_end:
        times = times[times != series.end]
    return times[times >= run.start_ms]


def _join(parts: Sequence[Times]) -> Times:
    return _distinct(np.sort(np.concatenate(parts))) if len(parts) > 1 else parts[0]


def _distinct(times: Times) -> Times:
    """Of times that ascend; np.unique takes 50 times as long."""
    return times[np.append(True, times[1:] != times[:-1])] if len(times) else times


def _moved(run: IconRun, domain: Domain, times: Times) -> Times:
    """To the next step of the model; a nest writes only while it exists."""
    steps = -((run.start_ms - times) // run.step_ms)
    moved = _distinct(run.start_ms + steps * run.step_ms)
    moved = moved[moved >= run.start_ms + domain.begin_ms]
    if domain.end_ms is not None:
        moved = moved[moved <= run.start_ms + domain.end_ms]
    return moved[moved <= run.end_ms]


def _with_last(run: IconRun, domain: Domain, series: Sequence[_Series], times: Times) -> Times:
    """One output at the end of the run, where none falls there and a series lasts until then."""
    length = run.end_ms - run.start_ms
    exists = domain.begin_ms <= length and (domain.end_ms is None or domain.end_ms >= length)
    lasts = any(each.begin <= run.end_ms <= each.end and not each.without_end for each in series)
    if not lasts or not exists or (len(times) and times[-1] == run.end_ms):
        return times
    return np.append(times, np.int64(run.end_ms))


def _files(run: IconRun, section: Section, times: Times, partitioned: bool) -> int:
    """file_interval counts from the first output, one on a boundary opens a file."""
    if len(times) == 0:
        return 0
    if section.has("file_interval"):
        if section.is_open("file_interval"):
            section.text("file_interval")  # asked for
            return 1
        interval = interval_of(section, "file_interval")
        if not interval.months:
            return len(_distinct((times - times[0]) // interval.ms))
        ends = [int(times[0])]
        while ends[-1] <= times[-1]:
            ends.append(run.calendar.add(int(times[0]), interval, len(ends)))
        return len(_distinct(np.searchsorted(np.array(ends), times, side="right")))
    if partitioned:
        return len(times)  # steps_per_file becomes 1
    steps = section.integer("steps_per_file", 0)
    if steps <= 0:
        return 1
    # GRIB2: .FALSE. whatever is given, as ICON sets it.
    is_netcdf = section.integer("filetype", 4) != GRIB2
    first_rides_along = is_netcdf and section.flag("steps_per_file_inclfirst", True)
    extra = first_rides_along and int(times[0]) == run.start_ms
    return max(1, -(-(len(times) - extra) // steps))
