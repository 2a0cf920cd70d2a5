# SPDX-License-Identifier: Apache-2.0
"""Durations: ISO 8601 text or seconds to seconds and back, and a short form for people."""

from __future__ import annotations

import math
import re

_NUMBER = r"([0-9]+\.?[0-9]*|\.[0-9]+)"  # no sign, no exponent
_ISO_8601 = re.compile(
    rf"P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?"
)
_UNITS_S = (604800.0, 86400.0, 3600.0, 60.0, 1.0)  # week, day, hour, minute, second


def parse_duration_s(text: str) -> float:
    """ "PT1H", "P1DT6H", "-PT90S" or a number of seconds as text -> seconds. Raises ValueError.

    Years and months are refused: their length depends on the calendar.
    """
    body = text.removeprefix("-")
    sign = -1.0 if text.startswith("-") else 1.0
    duration_s = float(body) if re.fullmatch(_NUMBER, body) else _iso_8601_s(body, text)
    if not math.isfinite(duration_s):
        raise ValueError(f"'{text[:20]}...' is longer than a number can tell")
    return sign * duration_s


def _iso_8601_s(body: str, text: str) -> float:
    match = _ISO_8601.fullmatch(body)
    if match is None or body.endswith(("P", "T")):
        raise ValueError(f"'{text}' is not a duration")
    parts = zip(match.groups(), _UNITS_S, strict=True)
    return sum(float(number) * unit_s for number, unit_s in parts if number)


def format_duration(duration_s: float) -> str:
    """Seconds -> ISO 8601 ("P1DT6H", "PT0S"); exact for whole seconds from 0 on, else seconds."""
    if duration_s < 0.0 or not math.isfinite(duration_s) or duration_s != int(duration_s):
        return repr(duration_s)
    if duration_s == 0.0:
        return "PT0S"
    rest, date, time = int(duration_s), "", ""
    for letter, unit_s in (("D", 86400), ("H", 3600), ("M", 60), ("S", 1)):
        count, rest = divmod(rest, unit_s)
        if count and letter == "D":
            date = f"{count}D"
        elif count:
            time += f"{count}{letter}"
    return "P" + date + ("T" + time if time else "")


def short_duration(duration_s: float) -> str:
    """For people: "2 d 6 h", "45 min", "12 s"; two units at most."""
    rest, words = round(duration_s), []
    for unit, unit_s in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, unit_s)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words[:2]) or "0 s"
