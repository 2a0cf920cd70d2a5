# SPDX-License-Identifier: Apache-2.0
"""Says in one sentence what limited a run, from its timers alone.

Questions are asked in this order; the first "yes" is the answer. Shares are of the mean time
(`total`) of compute ranks, or of an I/O rank's own time (`io_total`).
"""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.files.timing import Timing

# Below this share of waiting, output costs less than the scatter between two equal runs on a
# shared machine (2 to 4 %), so it is not called the limit.
WAIT_SHARE = 0.05
# An I/O rank this busy had no room left; below it, compute ranks waited for its order of work.
BUSY_SHARE = 0.80
# Copying into staging buffers costs memory bandwidth; a tenth of the run is worth a word.
COPY_SHARE = 0.10
# Neighbours that wait for each other: imbalance, or more ranks than the grid feeds.
EXCHANGE_SHARE = 0.30
# A run that mostly builds its grid says nothing about computing or output.
START_SHARE = 0.50


@dataclass(frozen=True)
class Limit:
    """kind: output, copying, start, exchange or compute. The sentence begins with it."""

    kind: str
    detail: str

    @property
    def sentence(self) -> str:
        return f"{self.kind}: {self.detail}"


def find_limit(timing: Timing, cores: int = 0) -> Limit:
    """cores: of the machine, 0 = unknown; ranks that share a core wait for each other's turns."""
    total_s = timing.mean_s("total")
    if total_s <= 0.0:
        return Limit("compute", "no timer tells more")
    wait = (timing.mean_s("output_wait") + timing.mean_s("output_close")) / total_s
    if wait >= WAIT_SHARE:
        return Limit("output", _output_detail(timing, wait))
    copying = timing.mean_s("output_copy") / total_s
    if copying >= COPY_SHARE:
        detail = f"compute ranks copied fields to staging buffers {_percent(copying)} of their time"
        return Limit("copying", detail)
    start = timing.mean_s("model_init") / total_s
    if start >= START_SHARE:
        return Limit("start", f"grid and initial state took {_percent(start)} of the run")
    exchange = timing.mean_s("halo_exchange") / total_s
    if exchange >= EXCHANGE_SHARE:
        detail = f"compute ranks exchanged halo points {_percent(exchange)} of their time"
        ranks = len(timing.roles)
        shared = f", as {ranks} ranks shared {cores} cores" if 0 < cores < ranks else ""
        return Limit("exchange", detail + shared)
    detail = f"compute ranks waited {_percent(wait)} of their time for output"
    return Limit("compute", detail + _busiest_words(timing))


def busy_shares(timing: Timing) -> dict[int, float]:
    """Share of its life each I/O rank was at work: 1 - io_idle / io_total."""
    shares = {}
    for rank in timing.ranks("io"):
        life_s = timing.total_s("io_total", rank)
        shares[rank] = 1.0 - timing.total_s("io_idle", rank) / life_s if life_s > 0.0 else 0.0
    return shares


def _output_detail(timing: Timing, wait: float) -> str:
    waited = f"compute ranks waited {_percent(wait)} of theirs"
    shares = busy_shares(timing)
    if not shares:
        # serial: rank 0 does the I/O rank's work inside its own output_wait
        work = ("io_get", "io_reorder", "io_write", "io_close")
        busy_s = sum(timing.total_s(name, 0) for name in work)
        total_s = timing.total_s("total", 0)
        busy = busy_s / total_s if total_s > 0.0 else 0.0
        return f"rank 0 gathered and wrote {_percent(busy)} of its time, {waited}"
    rank, busy = max(shares.items(), key=lambda item: item[1])
    if busy >= BUSY_SHARE:
        return f"I/O rank {rank} was busy {_percent(busy)} of the time, {waited}"
    closing_s, waiting_s = timing.mean_s("output_close"), timing.mean_s("output_wait")
    when = (
        "mostly at the end, while files were completed"
        if closing_s > waiting_s
        else ("for one output at a time, as the busiest I/O rank had time left")
    )
    return f"compute ranks waited {_percent(wait)} of their time, {when}{_busiest_words(timing)}"


def _busiest_words(timing: Timing) -> str:
    shares = busy_shares(timing)
    if not shares:
        return ""
    rank, busy = max(shares.items(), key=lambda item: item[1])
    return f", I/O rank {rank} was busy {_percent(busy)} of its own"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %" if share >= 0.095 else f"{100.0 * share:.1f} %"
