# SPDX-License-Identifier: Apache-2.0
"""What GNU's date prints of a day that its words name: `date -u -d "2008-09-01 + 1 month" +%Y%m%d`.

Source: GNU coreutils manual, "Date input formats".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

_DAY = (
    r"(?P<year>[0-9]{4})(?:-(?P<m>[0-9]{1,2})-(?P<d>[0-9]{1,2})"
    r"|(?P<month>[0-9]{2})(?P<day>[0-9]{2}))(?![0-9])"
)
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?(?![0-9])"
_GIVEN = re.compile(
    rf"{_DAY}(?:(?:(?<=-[0-9][0-9])T|\s+){_CLOCK}|\s+(?P<short>[0-9]{{2}})(?![0-9]))?"
    r"(?P<zone>\s*(?:Z|UTC|GMT)\b)?"
)
_STEP = re.compile(
    r"\s*(?P<sign>[-+]?)\s*(?P<count>[0-9]{1,6})\s*"
    r"(?P<unit>sec|second|min|minute|hour|day|week|month|year)s?\b(?P<ago>\s+ago\b)?"
)
_LETTERS = {
    "Y": "%04d", "m": "%02d", "d": "%02d", "H": "%02d", "M": "%02d", "S": "%02d", "j": "%03d",
}  # fmt: skip
_WHOLE = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y"}
_PART = re.compile(r"%(-?)([YmdHMSjsy%])")
_SECONDS = {"sec": 1, "second": 1, "min": 60, "minute": 60, "hour": 3600}
_DAYS = {"day": 1, "week": 7}
_NEVER_SKIPPED = frozenset({0, *range(4, 24)})  # hours that summer time leaves out nowhere in use


def date(words: Sequence[str]) -> str | None:
    """None where it depends on the clock, the language or the place of a machine: then without -u
    hours and seconds cannot be told.
    """
    is_utc, given, shown = False, "", ""
    left = list(words)
    while left:
        word = left.pop(0)
        if word in ("-u", "--utc", "--universal"):
            is_utc = True
        elif word in ("-d", "--date", "-ud") and left:
            is_utc, given = is_utc or "u" in word, left.pop(0)
        elif found := re.fullmatch(r"(?:--date=|-d)(.+)", word, re.DOTALL):
            given = found[1]
        elif word in ("-I", "--iso-8601", "-Idate", "--iso-8601=date"):
            shown = "+%F"
        elif word[:1] == "+" and not shown:
            shown = word
        else:
            return None
    then = _meant(given, is_utc=is_utc) if given and shown else None
    return None if then is None else _shown(shown[1:], then, is_utc=is_utc)


def _meant(text: str, *, is_utc: bool) -> datetime | None:
    seconds = re.fullmatch(r"@([0-9]{1,10})", text.strip())
    if seconds:
        return (
            datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds[1]))
            if is_utc
            else None
        )
    found = _GIVEN.match(text.strip())
    if found is None or (found["zone"] and not is_utc):
        return None
    rest = text.strip()[found.end() :]
    is_of_clock = found["hour"] is not None and not found["zone"]
    if is_of_clock and re.match(r"\s*[-+]", rest):
        return None  # that is a zone
    hour = int(found["hour"] or found["short"] or 0)
    steps = _steps(rest)
    if steps is None or (not is_utc and (hour not in _NEVER_SKIPPED or steps[2])):
        return None
    months, days, later = steps
    try:
        first = datetime(
            int(found["year"]), int(found["m"] or found["month"]), int(found["d"] or found["day"]),
            hour, int(found["minute"] or 0), int(found["second"] or 0), tzinfo=UTC,
        )  # fmt: skip
        month = first.month - 1 + months
        begin = first.replace(year=first.year + month // 12, month=month % 12 + 1, day=1)
        return begin + timedelta(days=first.day - 1 + days, seconds=later)
    except (ValueError, OverflowError):
        return None


def _steps(text: str) -> tuple[int, int, int] | None:
    """Months, days and seconds."""
    months = days = seconds = 0
    while text.strip():
        found = _STEP.match(text)
        if found is None or (found["sign"] and found["ago"]):
            return None
        count = int(found["count"]) * (-1 if found["sign"] == "-" else 1)
        count *= -1 if found["ago"] else 1
        unit = found["unit"]
        months += count * {"month": 1, "year": 12}.get(unit, 0)
        days += count * _DAYS.get(unit, 0)
        seconds += count * _SECONDS.get(unit, 0)
        text = text[found.end() :]
    return months, days, seconds


def _shown(pattern: str, then: datetime, *, is_utc: bool) -> str | None:
    for letter, whole in _WHOLE.items():
        pattern = re.sub(rf"(?<!%)%{letter}", whole, pattern)
    if "%" in _PART.sub("", pattern) or ("%s" in pattern and not is_utc):
        return None
    numbers = {
        "Y": then.year, "m": then.month, "d": then.day, "H": then.hour, "M": then.minute,
        "S": then.second, "j": then.timetuple().tm_yday, "y": then.year % 100,
        "s": int(then.timestamp()),
    }  # fmt: skip

    def part(found: re.Match[str]) -> str:
        if found[2] == "%":
            return "%"
        width = "%d" if found[1] else {**_LETTERS, "y": "%02d"}.get(found[2], "%d")
        return width % numbers[found[2]]

    return _PART.sub(part, pattern) + "\n"
