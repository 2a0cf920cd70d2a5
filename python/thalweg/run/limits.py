# SPDX-License-Identifier: Apache-2.0
"""Says in one sentence what limited a run, from the categories of its timers alone.

The limit is what compute ranks spent most of their time on (mean over them); the sentence says
how much that was, and how long they waited for output.
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.files.timing import Timing
from thalweg.run.metrics import waiting_s

# An I/O rank this busy has no room left: another one would help.
BUSY_SHARE = 0.80


@dataclass(frozen=True)
class Limit:
    """kind: compute, exchange, output, copying or start. The sentence begins with it."""

    kind: str
    detail: str

    @property
    def sentence(self) -> str:
        return f"{self.kind}: {self.detail}"


def limit_shares(timing: Timing) -> dict[str, float]:
    """By kind of limit, the share of the compute ranks' time; {} without compute ranks."""
    own_s = timing.mean_own_s()
    total_s = sum(own_s.values())
    if total_s <= 0.0:
        return {}
    seconds = {
        "compute": own_s.get("compute", 0.0),
        "exchange": own_s.get("exchange", 0.0),
        "output": waiting_s(own_s),
        "copying": own_s.get("copy", 0.0),
        "start": own_s.get("start", 0.0) + own_s.get("other", 0.0),
    }
    return {kind: each_s / total_s for kind, each_s in seconds.items()}


def find_limit(timing: Timing, cores: int = 0) -> Limit:
    """cores: of the machine, 0 = unknown; ranks that share a core wait for each other's turns."""
    shares = limit_shares(timing)
    if not shares:
        return Limit("compute", "no timer tells more")
    kind = max(shares, key=shares.__getitem__)
    did = {
        "compute": "computed {}",
        "exchange": "exchanged halo points or waited for each other {}",
        "output": "waited for output {}",
        "copying": "copied fields into staging buffers {}",
        "start": "started, with grid and initial state, {}",
    }[kind].format(_percent(shares[kind]))
    ranks, of_their_time = len(timing.roles), "of their time"
    if kind == "exchange" and 0 < cores < ranks:
        of_their_time += f", as {ranks} ranks shared {cores} cores"
    detail = f"compute ranks {did} {of_their_time}"
    if kind != "output":
        detail += f", and waited for output {_percent(shares['output'])}"
    return Limit(kind, detail + _writers_words(timing))


def busy_shares(timing: Timing) -> dict[int, float]:
    """Share of its life each I/O rank was at work: all but idle."""
    shares = {}
    for rank in timing.ranks("io"):
        own_s = timing.own_s(rank)
        life_s = sum(own_s.values())
        shares[rank] = 1.0 - own_s.get("idle", 0.0) / life_s if life_s > 0.0 else 0.0
    return shares


def _writers_words(timing: Timing) -> str:
    shares = busy_shares(timing)
    if shares:
        rank, busy = max(shares.items(), key=lambda item: item[1])
        full = ": another one would help" if busy >= BUSY_SHARE else ""
        return f"; I/O rank {rank} was busy {_percent(busy)} of its own{full}"
    worked = {rank: _writing_share(timing, rank) for rank in timing.ranks("compute")}
    rank, share = max(worked.items(), key=lambda item: item[1])
    return f"; rank {rank} gathered and wrote {_percent(share)} of its own" if share > 0.0 else ""


def _writing_share(timing: Timing, rank: int) -> float:
    """Of a compute rank that does the work of an I/O rank itself."""
    own_s = timing.own_s(rank)
    work = ("get", "reorder", "write", "close")
    return sum(own_s.get(name, 0.0) for name in work) / max(sum(own_s.values()), 1e-9)


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %" if share >= 0.095 else f"{100.0 * share:.1f} %"
