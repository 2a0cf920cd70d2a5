# SPDX-License-Identifier: Apache-2.0
"""timing.json as objects: every timer on every rank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import read_json


@dataclass(frozen=True)
class Kind:
    """What a rank may be doing: the kind of an event, and the category of a timer."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Timer:
    """One timer; each tuple has one entry per rank. `min_s` and `max_s` are per call.

    own_s is what no timer within this one took; it was spent on `category`. Own times of all timers
    of a rank make up its whole time, each moment once.
    """

    name: str
    parent: str
    category: str
    calls: tuple[int, ...]
    total_s: tuple[float, ...]
    own_s: tuple[float, ...]
    min_s: tuple[float, ...]
    max_s: tuple[float, ...]
    icon: str = ""
    meaning: str = ""

    def users(self) -> list[int]:
        """Ranks that called it."""
        return [rank for rank, calls in enumerate(self.calls) if calls > 0]


@dataclass(frozen=True)
class Timing:
    """All timers of a run. `roles` has one word per rank: compute, io or restart.

    high_water_bytes: per rank, the most output that ever waited to be written by it; () = unknown.
    past_cache_bytes: per rank, what it wrote past the page cache; () = unknown.
    """

    roles: tuple[str, ...]
    timers: tuple[Timer, ...]
    kinds: tuple[Kind, ...] = ()
    high_water_bytes: tuple[int, ...] = ()
    past_cache_bytes: tuple[int, ...] = ()

    @staticmethod
    def read(path: Path) -> Timing:
        return Timing.from_json(read_json(path), str(path))

    @staticmethod
    def from_json(content: dict[str, Any], source: str = "timing.json") -> Timing:
        try:
            roles = _list(content["roles"], "roles")
            return Timing(
                tuple(map(str, roles)),
                tuple(_timer(entry, len(roles)) for entry in _list(content["timers"], "timers")),
                tuple(
                    Kind(_text(each, "name"), _text(each, "meaning"))
                    for each in _list(content["kinds"], "kinds")
                ),
                _bytes(content, "buffered_high_water_bytes", len(roles)),
                _bytes(content, "past_page_cache_bytes", len(roles)),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ThalwegError(f"'{source}' is not a table of timers: {error}") from error

    def ranks(self, role: str) -> list[int]:
        return [rank for rank, each in enumerate(self.roles) if each == role]

    def timer(self, name: str) -> Timer | None:
        return next((timer for timer in self.timers if timer.name == name), None)

    def total_s(self, name: str, rank: int) -> float:
        """Seconds of a timer on one rank; 0 where it was never used."""
        timer = self.timer(name)
        return timer.total_s[rank] if timer else 0.0

    def mean_s(self, name: str, role: str = "compute") -> float:
        """Mean over the ranks of a role of the time spent in a timer."""
        ranks = self.ranks(role)
        return sum(self.total_s(name, rank) for rank in ranks) / len(ranks) if ranks else 0.0

    def own_s(self, rank: int) -> dict[str, float]:
        """Seconds of a rank by category: all of its time, each moment once."""
        sums: dict[str, float] = {}
        for timer in self.timers:
            sums[timer.category] = sums.get(timer.category, 0.0) + timer.own_s[rank]
        return sums

    def mean_own_s(self, role: str = "compute") -> dict[str, float]:
        """Mean over the ranks of a role of their seconds by category; {} without such a rank."""
        ranks = [self.own_s(rank) for rank in self.ranks(role)]
        names = dict.fromkeys(name for each in ranks for name in each)
        return {name: sum(each[name] for each in ranks) / len(ranks) for name in names}


def _timer(entry: dict[str, Any], ranks: int) -> Timer:
    return Timer(
        name=_text(entry, "name"),
        parent=_text(entry, "parent"),
        category=_text(entry, "category"),
        calls=_counts(entry, "calls", ranks),
        total_s=_seconds(entry, "total_s", ranks),
        own_s=_seconds(entry, "own_s", ranks),
        min_s=_seconds(entry, "min_s", ranks),
        max_s=_seconds(entry, "max_s", ranks),
        icon=_text({"icon": "", **entry}, "icon"),
        meaning=_text({"meaning": "", **entry}, "meaning"),
    )


def _bytes(content: dict[str, Any], key: str, ranks: int) -> tuple[int, ...]:
    """() where the file does not tell them."""
    return () if content.get(key, []) == [] else _counts(content, key, ranks)


def _counts(entry: dict[str, Any], key: str, ranks: int) -> tuple[int, ...]:
    return tuple(map(int, _per_rank(entry, key, ranks)))


def _seconds(entry: dict[str, Any], key: str, ranks: int) -> tuple[float, ...]:
    found = tuple(map(float, _per_rank(entry, key, ranks)))
    if not all(map(math.isfinite, found)):
        raise ValueError("a time is no number")
    return found


def _per_rank(entry: dict[str, Any], key: str, ranks: int) -> list[float]:
    found = _list(entry[key], key)
    if len(found) != ranks:
        raise ValueError(f"'{key}' has {len(found)} entries for {ranks} ranks")
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in found):
        raise TypeError(f"'{key}' has an entry that is no number")
    return found


def _text(entry: dict[str, Any], key: str) -> str:
    if not isinstance(entry[key], str):
        raise TypeError(f"'{key}' is no text")
    return str(entry[key])


def _list(value: Any, key: str) -> list[Any]:
    """Nothing else that Python can go through: a text would give its characters."""
    if not isinstance(value, list):
        raise TypeError(f"'{key}' is no list")
    return value
