# SPDX-License-Identifier: Apache-2.0
"""What a simulation tells: total time, stalls, ranks, file system; and the same as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MOST_STALLS = 1000  # in JSON: the longest


@dataclass(frozen=True)
class Stall:
    """Compute ranks stand still from begin_s on, for `seconds`, because of `cause`."""

    begin_s: float
    seconds: float
    cause: str


@dataclass(frozen=True)
class Series:
    """values[i] is the mean from times_s[i] to times_s[i + 1]; mean and largest are of the run."""

    times_s: tuple[float, ...]
    values: tuple[float, ...]
    mean: float
    largest: float


@dataclass(frozen=True)
class RankClass:
    """Ranks that do the same: "output" or "restart".

    events       outputs or checkpoints that they have written
    busy_share   of their time, from the beginning to the end of the run
    under_way    outputs put and not yet on disk: in slots, spilled, pulled or written
    stay_s       mean time of an output from put to disk
    """

    name: str
    ranks: int
    events: int
    size_bytes: float
    busy_share: float
    under_way: Series
    stay_s: float


@dataclass(frozen=True)
class Simulation:
    """A run that never was. Compute ranks step for compute_s, stall otherwise.

    file_system      bytes/s over time, of all writers
    written_bytes    by all, compute ranks too
    dropped          outputs of each stream that backpressure `thin` left out
    spilled          outputs of each stream that went to node-local disks first
    events           of the simulation itself
    """

    total_s: float
    compute_s: float
    stalls: tuple[Stall, ...]
    classes: tuple[RankClass, ...]
    file_system: Series
    written_bytes: float
    dropped: dict[str, int]
    spilled: dict[str, int]
    events: int
    seed: int

    @property
    def waiting_s(self) -> float:
        """Of compute ranks: everything but steps, from the first step to the last writer's end."""
        return sum(stall.seconds for stall in self.stalls)

    def waiting_by_cause(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for stall in self.stalls:
            found[stall.cause] = found.get(stall.cause, 0.0) + stall.seconds
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists, texts and finite numbers; the longest stalls, in order."""
        longest = sorted(self.stalls, key=lambda stall: -stall.seconds)[:MOST_STALLS]
        return {
            "total_s": self.total_s,
            "compute_s": self.compute_s,
            "waiting_s": self.waiting_s,
            "waiting_by_cause": self.waiting_by_cause(),
            "stall_count": len(self.stalls),
            "stalls": [asdict(s) for s in sorted(longest, key=lambda stall: stall.begin_s)],
            "classes": [_with_lists(asdict(each)) for each in self.classes],
            "file_system": _with_lists(asdict(self.file_system)),
            "written_bytes": self.written_bytes,
            "dropped": dict(self.dropped),
            "spilled": dict(self.spilled),
            "events": self.events,
            "seed": self.seed,
        }


def _with_lists(found: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for key, value in found.items():
        if isinstance(value, dict):
            changed[key] = _with_lists(value)
        else:
            changed[key] = list(value) if isinstance(value, tuple) else value
    return changed
