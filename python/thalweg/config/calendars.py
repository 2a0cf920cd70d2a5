# SPDX-License-Identifier: Apache-2.0
"""Dates and intervals as ICON writes them (ISO 8601), in its three calendars, as milliseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.config.durations import short_duration

SECOND_MS = 1000
DAY_MS = 86_400_000
MONTH_DAYS = 30  # where a month has to stand for a number of days
_DATE = re.compile(
    r"([0-9]{4,5})-?([0-9]{2})-?([0-9]{2})"
    r"(?:[T ]([0-9]{2}):?([0-9]{2})(?::?([0-9]{2})(?:\.([0-9]{1,3})[0-9]*)?)?)?Z?"
)
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_INTERVAL = re.compile(
    rf"([+-]?)P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?"
)
_PARTS_MS = (7 * DAY_MS, DAY_MS, 3_600_000, 60_000, SECOND_MS)  # week, day, hour, minute, second
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
LONGEST_MS = 2**55  # a million years: what is longer is a slip of the pen, and 64 bits hold it


@dataclass(frozen=True)
class Interval:
    """Months, whose length the calendar decides, and milliseconds."""

    months: int
    ms: int

    def is_positive(self) -> bool:
        return self.months >= 0 and self.ms >= 0 and (self.months > 0 or self.ms > 0)

    def nominal_ms(self) -> int:
        return self.months * MONTH_DAYS * DAY_MS + self.ms


def parse_interval(text: str) -> Interval:
    """ "PT3H", "P1DT6H", "P1M", "-PT30M". Raises ValueError."""
    body = text.strip().upper()
    found = _INTERVAL.fullmatch(body)
    if found is None or body.endswith(("P", "T")):
        raise ValueError(f"'{text}' is no ISO 8601 interval such as 'PT3H'")
    sign = -1 if found[1] == "-" else 1
    years, months, *rest = (float(part) if part else 0.0 for part in found.groups()[1:])
    in_months = 12 * years + months
    in_ms = sum(part * unit for part, unit in zip(rest, _PARTS_MS, strict=True))
    if in_months != int(in_months) or max(in_ms, in_months * 31 * DAY_MS) > LONGEST_MS:
        raise ValueError(f"'{text}' is an interval of parts of months, or is too long")
    return Interval(sign * int(in_months), sign * round(in_ms))


def short_interval(interval: Interval) -> str:
    """For people: "1 month", "6 h", "1 month 2 d"."""
    words = []
    if interval.months:
        words.append(f"{interval.months} month{'s' * (interval.months != 1)}")
    if interval.ms or not words:
        words.append(short_duration(interval.ms / SECOND_MS))
    return " ".join(words)


@dataclass(frozen=True)
class Calendar:
    """year_days  365 or 360 for years that are all the same; 0 for the Gregorian calendar"""

    year_days: int = 0

    def parse(self, text: str) -> int:
        """ "2008-09-01T00:00:00Z" and shorter forms -> ms since the year 0. Raises ValueError."""
        found = _DATE.fullmatch(text.strip().upper())
        parts = [int(part or 0) for part in found.groups()] if found else [0] * 7
        year, month, day, hour, minute, second, fraction = parts
        if found is None or not 1 <= month <= 12 or not 1 <= day <= self.month_days(year, month):
            raise ValueError(f"'{text}' is no date such as '2008-09-01T00:00:00Z'")
        if hour > 24 or minute > 59 or second > 59:
            raise ValueError(f"'{text}' is no date: its time of day does not exist")
        fraction_ms = fraction * (1, 100, 10, 1)[len(found[7] or "")]
        seconds = (hour * 60 + minute) * 60 + second
        return self.days(year, month, day) * DAY_MS + seconds * SECOND_MS + fraction_ms

    def month_days(self, year: int, month: int) -> int:
        if self.year_days == 360:
            return MONTH_DAYS
        leap = self.year_days == 0 and month == 2
        leap = leap and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return _MONTHS[month - 1] + leap

    def days(self, year: int, month: int, day: int) -> int:
        """Since the first of January of the year 0."""
        if self.year_days == 360:
            return year * 360 + (month - 1) * MONTH_DAYS + day - 1
        before = sum(_MONTHS[: month - 1]) + day - 1
        if self.year_days == 365:
            return year * 365 + before
        leaps = (year + 3) // 4 - (year + 99) // 100 + (year + 399) // 400  # in years before it
        return year * 365 + leaps + before + (month > 2 and self.month_days(year, 2) == 29)

    def date(self, days: int) -> tuple[int, int, int]:
        """Year, month and day of a number of days."""
        year = days // self.year_days if self.year_days else days * 400 // 146_097
        while self.days(year + 1, 1, 1) <= days:
            year += 1
        while self.days(year, 1, 1) > days:
            year -= 1
        rest = days - self.days(year, 1, 1)
        month = 1
        while rest >= self.month_days(year, month):
            rest -= self.month_days(year, month)
            month += 1
        return year, month, rest + 1

    def add(self, date_ms: int, interval: Interval, times: int = 1) -> int:
        """A day that a shorter month lacks becomes that month's last."""
        if interval.months:
            days, rest = divmod(date_ms, DAY_MS)
            year, month, day = self.date(days)
            year, month = divmod(year * 12 + month - 1 + times * interval.months, 12)
            day = min(day, self.month_days(year, month + 1))
            date_ms = self.days(year, month + 1, day) * DAY_MS + rest
        return date_ms + times * interval.ms

    def text(self, date_ms: int) -> str:
        days, rest = divmod(date_ms, DAY_MS)
        year, month, day = self.date(days)
        hours, rest = divmod(rest // SECOND_MS, 3600)
        return f"{year:04}-{month:02}-{day:02}T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"
