# SPDX-License-Identifier: Apache-2.0
"""Dates and intervals in ICON's three calendars."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.config.calendars import DAY_MS, Calendar, Interval, parse_interval, short_interval

GREGORIAN = Calendar()


@given(st.dates())
def test_days_are_those_of_the_gregorian_calendar(date: datetime.date) -> None:
    epoch = GREGORIAN.days(1, 1, 1)
    days = GREGORIAN.days(date.year, date.month, date.day)
    assert days - epoch == date.toordinal() - 1
    assert GREGORIAN.date(days) == (date.year, date.month, date.day)


@pytest.mark.parametrize(
    ("text", "months", "ms"),
    [
        ("PT3H", 0, 10_800_000),
        ("P1D", 0, DAY_MS),
        ("P1DT6H30M", 0, 109_800_000),
        ("P1M", 1, 0),
        ("P01Y", 12, 0),
        ("P1Y2M3D", 14, 3 * DAY_MS),
        ("PT0.5S", 0, 500),
        ("-PT30M", 0, -1_800_000),
        ("p2w", 0, 14 * DAY_MS),
        ("PT86400S", 0, DAY_MS),
    ],
)
def test_intervals_are_read(text: str, months: int, ms: int) -> None:
    assert parse_interval(text) == Interval(months, ms)
    assert parse_interval(text).is_positive() == (not text.startswith("-"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("P1M", "1 month"),
        ("P1Y", "12 months"),
        ("P1M2D", "1 month 2 d"),
        ("PT6H", "6 h"),
        ("P30D", "30 d"),
        ("PT0S", "0 s"),
    ],
)
def test_months_are_told_as_months(text: str, words: str) -> None:
    assert short_interval(parse_interval(text)) == words


@pytest.mark.parametrize("text", ["", "P", "PT", "3H", "PT3", "P1H", "P0.5M", "PT1e5S", "P9" * 9])
def test_what_is_no_interval_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="interval"):
        parse_interval(text)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("2008-09-01", "2008-09-01T00:00:00Z"),
        ("20080901T0630Z", "2008-09-01T06:30:00Z"),
        ("2008-09-01 12:00:05", "2008-09-01T12:00:05Z"),
        ("2008-09-01T12:00:05.000", "2008-09-01T12:00:05Z"),
    ],
)
def test_dates_have_short_forms(text: str, full: str) -> None:
    assert GREGORIAN.text(GREGORIAN.parse(text)) == full


@pytest.mark.parametrize("text", ["", "2008-13-01", "2008-02-30", "2008-09-01T25:00", "soon"])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no date"):
        GREGORIAN.parse(text)


@pytest.mark.parametrize(
    ("year_days", "start", "interval", "end"),
    [
        (0, "2000-01-31", "P1M", "2000-02-29"),
        (0, "1999-12-15", "P2M", "2000-02-15"),
        (365, "2000-02-28", "P1D", "2000-03-01"),
        (360, "2000-01-30", "P1M", "2000-02-30"),
        (360, "2000-12-30", "P1D", "2001-01-01"),
    ],
)
def test_months_have_the_length_of_their_calendar(
    year_days: int, start: str, interval: str, end: str
) -> None:
    calendar = Calendar(year_days)
    assert calendar.add(calendar.parse(start), parse_interval(interval)) == calendar.parse(end)
