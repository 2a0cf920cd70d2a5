# SPDX-License-Identifier: Apache-2.0
"""Restart files of ICON: intervals, how many sets a run writes, which processes write them."""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.advisor.icon_processes import Items, open_names, ranks_set_aside, read_items
from thalweg.advisor.icon_run import IconRun, restart_interval
from thalweg.advisor.items import Settings
from thalweg.config.calendars import LONGEST_MS, SECOND_MS, Calendar, Interval, parse_interval
from thalweg.config.run_script import RunScript

MODES = ("sync", "async", "joint procs multifile", "dedicated procs multifile")
NEEDS_PROCESSES = ("async", "dedicated procs multifile")
_MOST_SETS = 10_000_000  # of a run; more is a slip of the pen


@dataclass(frozen=True)
class Restart:
    """mode                what restart_write_mode comes to; None where that is not known
    writers                processes that write; None: all workers, or not known
    checkpoint, restart    intervals; None: there is none
    sets                   that this run (its first job) writes
    """

    items: Items
    mode: str | None
    writers: int | None
    checkpoint: Interval | None
    restart: Interval | None
    sets: int
    bytes_per_set: int | None = None


@dataclass(frozen=True)
class Processes:
    """Of one atmosphere. open: what no stream needs and the script does not tell -> where.

    set_aside       ranks by the item that takes them: they neither compute nor write
    open_aside      names that decide of more such ranks, and are open
    """

    parallel: Items
    restart: Restart
    open: dict[str, str] = field(default_factory=dict)
    set_aside: dict[str, int] = field(default_factory=dict)
    open_aside: tuple[str, ...] = ()


def read_processes(script: RunScript, settings: Settings, run: IconRun) -> Processes:
    parallel = read_items(settings, "parallel_nml")
    items = read_items(settings, "io_nml")
    mode = _mode(items.text("restart_write_mode"), parallel.integer("num_restart_procs"))
    checkpoint = checkpoint_interval(script, settings)
    job = restart_interval(script, settings)
    if checkpoint and job and checkpoint.nominal_ms() > job.nominal_ms():
        checkpoint = job  # as ICON sets it
    restart = Restart(
        items,
        mode,
        _writers(mode, parallel),
        checkpoint,
        job,
        _sets(run, settings, checkpoint, job, last=items.values["write_last_restart"] is True),
    )
    control = settings.section("master_time_control_nml")
    open_interval = open_names(control, "checkpointtimeintval")
    aside, open_aside = ranks_set_aside(settings, parallel)
    open_ = {**parallel.open, **items.open, **open_interval, **open_aside}
    return Processes(parallel, restart, open_, aside, tuple(open_aside))


def _mode(given: str | None, processes: int | None) -> str | None:
    """Without one ICON takes sync or, with restart processes, async."""
    if given != "":
        return given
    return None if processes is None else "async" if processes > 0 else "sync"


def _writers(mode: str | None, parallel: Items) -> int | None:
    """Joint: as many workers as num_restart_procs says, or all."""
    processes = parallel.integer("num_restart_procs")
    return 1 if mode == "sync" else processes or None


def checkpoint_interval(script: RunScript, settings: Settings) -> Interval | None:
    """Of the time control, of io_nml, or of the variable that run headers put there."""
    control = settings.section("master_time_control_nml")
    if control.is_open("checkpointtimeintval"):
        return None  # no stream needs it: it is told in a warning
    if control.has("checkpointtimeintval"):
        return interval_or_none(control.text("checkpointtimeintval"))
    old = settings.section("io_nml")
    if old.has("dt_checkpoint") and not old.is_open("dt_checkpoint"):
        length_ms = int(min(old.number("dt_checkpoint", 0.0) * SECOND_MS, LONGEST_MS))
        return Interval(0, length_ms) if length_ms > 0 else None
    if settings.has("master_time_control_nml") or settings.has("time_nml"):
        return None
    return interval_or_none(script.variables.known("checkpoint_interval") or "")


def interval_or_none(text: str) -> Interval | None:
    """ "PT0S" is none, as in ICON."""
    try:
        interval = parse_interval(text)
    except ValueError:
        return None
    return interval if interval.is_positive() else None


def _sets(
    run: IconRun,
    settings: Settings,
    checkpoint: Interval | None,
    job: Interval | None,
    *,
    last: bool,
) -> int:
    """At each multiple of either interval after the start; at the end of the experiment only where
    there is a restart interval, or `last` (write_last_restart). output = 'none' writes none.
    """
    outputs = settings.section("run_nml").texts("output")
    if any("none" in word.lower() for word in outputs):
        return 0
    ends = {run.end_ms} if last else set()
    if job is not None and run.calendar.add(run.start_ms, job) <= run.end_ms:
        ends.add(run.calendar.add(run.start_ms, job))
    if checkpoint is None:
        return len(ends)
    until = run.end_ms if job is not None or last else run.end_ms - 1
    count = _count(run.calendar, run.start_ms, checkpoint, until)
    ends -= {run.calendar.add(run.start_ms, checkpoint, count)} if count else set()
    return count + len(ends)


def _count(calendar: Calendar, start: int, interval: Interval, last: int) -> int:
    if not interval.months:
        return max((last - start) // interval.ms, 0)
    count = 0
    while count < _MOST_SETS and calendar.add(start, interval, count + 1) <= last:
        count += 1
    return count
