# SPDX-License-Identifier: Apache-2.0
"""timing.json as objects: every timer on every rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config.errors import ThalwegError
from thalweg.files.run_directory import read_json


@dataclass(frozen=True)
class Timer:
    """One timer; each tuple has one entry per rank. `min_s` and `max_s` are per call."""

    name: str
    parent: str
    calls: tuple[int, ...]
    total_s: tuple[float, ...]
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
    high_water_bytes: tuple[int, ...] = ()
    past_cache_bytes: tuple[int, ...] = ()

    @staticmethod
    def read(path: Path) -> Timing:
        return Timing.from_json(read_json(path), str(path))

    @staticmethod
    def from_json(content: dict[str, Any], source: str = "timing.json") -> Timing:
        try:
            timers = tuple(_timer(entry) for entry in content["timers"])
            return Timing(
                tuple(content["roles"]),
                timers,
                tuple(content.get("buffered_high_water_bytes", ())),
                tuple(content.get("past_page_cache_bytes", ())),
            )
        except (KeyError, TypeError) as error:
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


def _timer(entry: dict[str, Any]) -> Timer:
    return Timer(
        name=entry["name"],
        parent=entry["parent"],
        calls=tuple(entry["calls"]),
        total_s=tuple(entry["total_s"]),
        min_s=tuple(entry["min_s"]),
        max_s=tuple(entry["max_s"]),
        icon=entry.get("icon", ""),
        meaning=entry.get("meaning", ""),
    )
