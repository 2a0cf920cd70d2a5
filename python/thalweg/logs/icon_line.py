# SPDX-License-Identifier: Apache-2.0
"""A line of an ICON LOG: rank and time before it, numbers and durations in it.

Forms: `srun --label` puts the rank before each line, the run script or ICON the time.
Durations as time_str() of ICON's mo_real_timer writes them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from thalweg.errors import ThalwegError

_PREFIX = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?:)?(?:\s*(?P<rank>\d+):(?=\s|$))?"
    r"(?:\s*\[(?P<stamp>\d{8} \d{6}\.\d{3})\])?(?P<text>.*)"
)
_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
_SECONDS = re.compile(rf"{_NUMBER}s")
_PAIRS = re.compile(r"(\d+)d(\d+)h|(\d+)h(\d+)m|(\d+)m(\d+)s")
_PAIR_UNITS_S = (86400, 3600, 3600, 60, 60, 1)


@dataclass(frozen=True)
class Line:
    """rank: "" where the log has none before its lines. stamp: wall time, None where unknown."""

    path: Path
    number: int
    rank: str
    stamp: datetime | None
    text: str

    @staticmethod
    def read(path: Path, number: int, raw: str) -> Line:
        match = _PREFIX.fullmatch(raw)
        if match is None:  # a letter that ends lines for Python only
            return Line(path, number, "", None, raw)
        return Line(path, number, match["rank"] or "", _stamp(match), match["text"])

    def error(self, sentence: str) -> ThalwegError:
        return ThalwegError(f"{self.path}:{self.number}: {sentence}")


def _stamp(match: re.Match[str]) -> datetime | None:
    try:
        if match["stamp"]:
            return datetime.strptime(match["stamp"], "%Y%m%d %H%M%S.%f")
        return datetime.fromisoformat(match["iso"][:-1]) if match["iso"] else None
    except ValueError:
        return None


def parse_rate(text: str) -> float | None:
    """As parse_number(); None for what Fortran writes of one over 0 s, too ("Infinity", "+Inf")."""
    is_none = text.lstrip("+-").lower() in ("infinity", "inf", "nan")
    return None if is_none else parse_number(text)


def parse_number(text: str) -> float | None:
    """None for a number that its field was too narrow for ("*****"). Raises ValueError."""
    if text and set(text) == {"*"}:
        return None
    value = float(text)
    if not math.isfinite(value) or value < 0.0:
        raise ValueError(text)
    return value


def parse_icon_duration(text: str) -> tuple[float, float] | None:
    """ "12.345s", "01m23s", "01h39m" or "02d03h": seconds, and how many the last unit has.

    None for a duration that ICON could not write (">99d", "negative", "??????"). Raises ValueError.
    """
    if text in {">99d", "negative", "??????"}:
        return None
    if match := _SECONDS.fullmatch(text):
        digits = len(text.partition(".")[2]) - 1 if "." in text else 0
        return float(match[1]), 10.0**-digits
    match = _PAIRS.fullmatch(text)
    if match is None:
        raise ValueError(text)
    units = [(int(n), u) for n, u in zip(match.groups(), _PAIR_UNITS_S, strict=True) if n]
    return float(sum(number * unit_s for number, unit_s in units)), float(units[-1][1])
