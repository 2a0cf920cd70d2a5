# SPDX-License-Identifier: Apache-2.0
"""Processes and restarts of an ICON run as a table and as JSON."""

from __future__ import annotations

from thalweg.advisor.icon_processes import Items, Shown
from thalweg.advisor.icon_restart import Processes, Restart
from thalweg.config.calendars import SECOND_MS, Interval, short_interval
from thalweg.tables import print_table

_COLUMNS = ("setting", "value", "from")
_GB = 1e9


def parallel_as_json(found: Processes) -> dict[str, object]:
    """Items of parallel_nml; `from` tells of each where it was read, null is not known."""
    return {**found.parallel.values, "from": found.parallel.sources}


def restart_as_json(restart: Restart) -> dict[str, object]:
    """bytes_per_set is null unless given; writers is null for all workers, or not known."""
    size = restart.bytes_per_set
    return {
        **restart.items.values,
        "mode": restart.mode,
        "writers": restart.writers,
        "checkpoint_interval_s": _seconds(restart.checkpoint),
        "restart_interval_s": _seconds(restart.restart),
        "sets": restart.sets,
        "bytes_per_set": size,
        "bytes_in_all": None if size is None else size * restart.sets,
        "from": restart.items.sources,
    }


def print_processes(found: Processes) -> None:
    restart = found.restart
    rows = [*_rows(found.parallel), *_rows(restart.items)]
    mode = restart.mode or "not known"
    rows.append(["restart mode", mode, "restart_write_mode, num_restart_procs"])
    for name, interval in (("checkpoints", restart.checkpoint), ("job", restart.restart)):
        often = short_interval(interval) if interval else "none"
        rows.append([f"interval of {name}", often, "time control"])
    size = restart.bytes_per_set
    rows.append(["restart sets", str(restart.sets), "intervals and end of the run"])
    told = "asked for" if size is None else f"{size * restart.sets / _GB:.3f}"
    rows.append(["GB of restart sets", told if restart.sets else "0", "--bytes-per-restart"])
    print_table(_COLUMNS, rows)


def _rows(items: Items) -> list[list[str]]:
    return [[name, _word(value), items.sources[name]] for name, value in items.values.items()]


def _word(value: Shown) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return ".TRUE." if value else ".FALSE."
    return f"{value:g}" if isinstance(value, float) else str(value) or "''"


def _seconds(interval: Interval | None) -> float | None:
    """Months count as 30 days."""
    return None if interval is None else interval.nominal_ms() / SECOND_MS
