# SPDX-License-Identifier: Apache-2.0
"""One LOG of an ICON run as a row of the table: ranks, steps, timers by role, bytes and rates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.logs.columns import Row
from thalweg.logs.icon_line import Line
from thalweg.logs.icon_throughput import Event, read_event, restart_mode, summarise
from thalweg.logs.icon_timers import Report, ReportReader, Timer

_RANKS = re.compile(
    r".*Number of procs for test: (\d+), work: (\d+), I/O: (\d+)(?:, Restart: (\d+))?"
    r"(?:, Prefetching: (\d+))?.*"
)
_NODES = re.compile(r"\+* ?(?:export )?SLURM_(?:JOB_NUM_NODES|NNODES)='?(\d+)'?\s*")
_JOB = re.compile(r"\+* ?(?:export )?SLURM_JOB_?ID='?(\d+)'?\s*")
_THREADS = re.compile(r"\+* ?(?:export )?OMP_NUM_THREADS='?(\d+)'?\s*")
_JOB_OF_NAME = re.compile(r"LOG\..*?\.(\d{4,})(?:\.[oe])?")
_STEP = re.compile(
    r"\s*Time step:\s*(\d+),?\s+model time:?\s+(-?\d+-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?).*"
)
_COMPUTE = {
    "output_s": "wrt_output", "restart_s": "write_restart", "physics_s": "physics",
    "exchange_s": "exch_data", "global_sum_s": "global_sum", "ordered_sum_s": "ordglb_sum",
    "init_s": "model_init",
}  # fmt: skip
_RESTART = {
    "restart_rank_write_s": "write_restart",
    "restart_rank_communication_s": "write_restart_communication",
    "restart_rank_wait_s": "write_restart_wait",
}
# What others write behind the log of a job that was killed.
_BEHIND_END = re.compile(
    r"\s*(?:slurmstepd|srun|mpirun|mpiexec|prterun|aprun)\b|\s*\*+ |-{20,}\s*$"
)
_SIGNS = ("Timer report", "Number of procs for test:", "MB, time get:", "Time step:")


@dataclass(frozen=True)
class Step:
    number: int
    model_time: datetime | None
    wall: datetime | None


@dataclass
class Log:
    """What its lines tell. ranks: test, compute, I/O, restart, prefetch; of each such line."""

    path: Path
    ranks: list[tuple[int, ...]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    nodes: set[int] = field(default_factory=set)
    jobs: set[str] = field(default_factory=set)
    threads: set[int] = field(default_factory=set)
    cut: list[int] = field(default_factory=list)  # lines at which it ends, for a rank


def is_icon_log(path: Path) -> bool:
    """Whether one of its lines is one that only ICON writes."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        return any(sign in line for line in lines for sign in _SIGNS)


def read_icon_log(path: Path) -> Row:
    """Raises a sentence with file and line where a line is broken."""
    log = _read(path)
    row = Row(run=path.name, sources=(str(path),), model="ICON")
    _tell_ranks(row, log)
    _tell_steps(row, log.steps)
    _tell_timers(row, log)
    output = [each for each in log.events if each.of == "output"]
    checkpoints = [each for each in log.events if each.of != "output"]
    row.tell(**summarise(output, "output"), **summarise(checkpoints, "checkpoint"))
    if checkpoints:
        row["restart_mode"] = restart_mode(checkpoints, row["restart_ranks"])
        if all(each.of == "multifile" for each in checkpoints):  # async: a line for each domain
            row["checkpoints"] = len(checkpoints)
    return row


def _read(path: Path) -> Log:
    log, reader = Log(path), ReportReader()
    broken: dict[str, ThalwegError] = {}  # by rank: the last line of a log may end anywhere
    for line in _lines(path):
        if line.rank in broken and line.text.strip() and not _BEHIND_END.match(line.text):
            raise broken[line.rank]
        try:
            _read_line(log, reader, line)
        except ThalwegError as error:
            broken[line.rank] = error
            log.cut.append(line.number)
    log.reports = reader.finish()
    return log


def _read_line(log: Log, reader: ReportReader, line: Line) -> None:
    reader.read(line)
    text = line.text
    if "procs for test:" in text and (match := _RANKS.fullmatch(text)):
        log.ranks.append(tuple(int(each or 0) for each in match.groups()))
    elif "Time step:" in text and (match := _STEP.fullmatch(text)):
        model_time = _model_time(f"{match[2]} {match[3]}")
        log.steps.append(Step(int(match[1]), model_time, line.stamp))
    elif "SLURM_" in text:
        log.nodes |= {int(each[1]) for each in [_NODES.fullmatch(text)] if each}
        log.jobs |= {each[1] for each in [_JOB.fullmatch(text)] if each}
    elif "OMP_NUM_THREADS=" in text and (match := _THREADS.fullmatch(text)):
        log.threads.add(int(match[1]))
    elif event := read_event(line):
        log.events.append(event)


def _lines(path: Path) -> Iterator[Line]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, raw in enumerate(lines, start=1):
            yield Line.read(path, number, raw.rstrip("\r\n"))


def _model_time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # a calendar of 360 days, a year that Python has not
        return None


def _tell_ranks(row: Row, log: Log) -> None:
    named = _JOB_OF_NAME.fullmatch(log.path.name)
    jobs = log.jobs or ({named[1]} if named else set())
    row.tell(
        nodes=next(iter(log.nodes)) if len(log.nodes) == 1 else None,
        job=next(iter(jobs)) if len(jobs) == 1 else None,
        threads=next(iter(log.threads)) if len(log.threads) == 1 else None,
    )
    if len(set(log.ranks)) == 1:
        _, compute, io, restart, _ = log.ranks[0]
        row.tell(ranks=sum(log.ranks[0]), compute_ranks=compute, io_ranks=io, restart_ranks=restart)
    elif log.ranks:
        row.note(
            "the log tells of several numbers of ranks (components of a coupled model, or several "
            "starts): numbers of ranks are left empty"
        )
    ranks, nodes = row["ranks"], row["nodes"]
    if isinstance(ranks, int) and isinstance(nodes, int) and nodes and ranks % nodes == 0:
        row.tell(ranks_per_node=ranks // nodes)


def _tell_steps(row: Row, steps: Sequence[Step]) -> None:
    """A chain of restarts counts its steps on: those of this log are told."""
    if len(steps) < 2:
        return
    first, last = steps[0], steps[-1]
    count = last.number - first.number
    numbers = [step.number for step in steps]
    if count < 1 or numbers != sorted(set(numbers)):
        row.note("time steps of the log do not ascend: several starts are in it; none is counted")
        return
    row.tell(steps=count + 1 if first.number == 1 else None)
    if first.model_time and last.model_time:
        row.tell(time_step_s=(last.model_time - first.model_time).total_seconds() / count)
    if first.wall and last.wall:
        row.tell(step_s=(last.wall - first.wall).total_seconds() / count)


def _tell_timers(row: Row, log: Log) -> None:
    by_role = _roles(row, log)
    compute, io, restart = (by_role.get(role, []) for role in ("compute", "io", "restart"))
    if not compute:
        row.note("no timer report of compute ranks: the run did not end, or ltimer is off")
    _tell_ranks_of_reports(row, log, by_role)
    _tell_doubts(row, log.reports, log.cut)
    total = _together(compute, "total")
    stepping = _together(compute, "integrate_nh")
    ranks = sum(report.ranks for report in compute)
    if stepping and ranks and stepping.calls % ranks == 0:
        _believe_steps(row, stepping.calls // ranks)  # calls are summed over ranks
    steps, step_s = row.number("steps"), row.number("time_step_s")
    row["simulated_s"] = steps * step_s if steps and step_s else None
    if total:
        row.tell(total_s=total.mean_s, total_max_s=total.max_s)
        if total.mean_s is None:
            row.note(
                "the timer report has no mean of timer 'total' over ranks, and its mean over calls "
                "is too coarse: total_s is left empty, total_max_s is not"
            )
    row.tell(**{column: _mean(compute, name) for column, name in _COMPUTE.items()})
    row.tell(**{column: _mean(restart, name) for column, name in _RESTART.items()})
    if writing := _together(io, "wrt_output"):
        row.tell(
            io_output_s=writing.mean_s,
            io_output_max_s=writing.max_s,
            io_output_calls=writing.calls,
        )


def _believe_steps(row: Row, calls: int) -> None:
    """integrate_nh is timed once a step, in the outermost domain only."""
    if row["steps"] not in (None, calls):
        row.note(
            f"lines of time steps end at step {row['steps']}, timer integrate_nh has {calls} calls "
            "a rank: the timer is believed, not every step has a line"
        )
    row["steps"] = calls


def _tell_ranks_of_reports(row: Row, log: Log, by_role: dict[str, list[Report]]) -> None:
    """Where no line of the log tells them. Ranks in all only where reports cover them from 0 on and
    tell of others than compute ranks: a role may have written no report.
    """
    if log.ranks:
        return
    for role in ("compute", "io", "restart"):
        counts = [report.ranks for report in by_role.get(role, [])]
        if counts and all(counts):
            row[f"{role}_ranks"] = sum(counts)
    spans = sorted((each.first, each.ranks) for each in log.reports if each.first is not None)
    after = 0
    for first, count in spans:
        after = after + count if first == after else -1
    others = by_role.get("io") or by_role.get("restart")
    if others and len(spans) == len(log.reports) and after > 0:
        row["ranks"] = after


def _tell_doubts(row: Row, reports: Sequence[Report], cut: Sequence[int]) -> None:
    if cut:
        row.note(f"line {cut[0]} is cut off where the log ends: it is not read")
    for report in reports:
        if report.cut:
            row.note(
                f"the timer report at line {report.line.number} has no end: the log is cut off, "
                "its last timer is not told, and others may be missing"
            )
        denied = [name for name, each in report.timers.items() if each.denied_s is not None]
        if denied:
            first = report.timers[denied[0]]
            names = ", ".join(f"'{name}'" for name in denied)
            row.note(
                f"the timer report at line {report.line.number} has means outside of minimum and "
                f"maximum ({names}; '{denied[0]}': mean {first.denied_s:g} s, maximum "
                f"{first.max_s:g} s): minimum, maximum and calls are believed, that version of "
                "ICON divides by the number of other ranks"
            )


def _roles(row: Row, log: Log) -> dict[str, list[Report]]:
    """Reports by the ranks they are of, else by what they are about."""
    by_role: dict[str, list[Report]] = {}
    for report in log.reports:
        by_role.setdefault(_role(report, log), []).append(report)
    compute = by_role.get("compute", [])
    starts = {report.first for report in compute}
    if len(starts) < len(compute):
        raise compute[-1].line.error(
            "a second timer report of the same ranks; give the log of each run in a file of its own"
        )
    if len({report.ranks for report in compute} | {1}) > 1 and len(compute) > 1:
        first = min(compute, key=lambda report: (report.first is None, report.first or 0))
        by_role["compute"] = [first]
        row.note(
            f"{len(compute)} components have timer reports: that of the lowest ranks is told "
            f"(line {first.line.number}), the others are not"
        )
    return by_role


def _role(report: Report, log: Log) -> str:
    if len(set(log.ranks)) == 1 and report.first is not None:
        bound = 0
        for role, ranks in zip(
            ("test", "compute", "io", "restart", "prefetch"), log.ranks[0], strict=True
        ):
            bound += ranks
            if report.first < bound:
                return role
    if "total" in report.timers or "integrate_nh" in report.timers:
        return "compute"
    if "wrt_output" in report.timers:
        return "io"
    return "restart" if "write_restart" in report.timers else "other"


def _together(reports: Sequence[Report], name: str) -> Timer | None:
    """A timer of all ranks of a role; None where one report lacks it."""
    found = [(report.ranks, report.timer(name)) for report in reports]
    timers = [(ranks, timer) for ranks, timer in found if timer is not None]
    if not timers or len(timers) < len(found):
        return None
    sums = [None if t.mean_s is None else ranks * t.mean_s for ranks, t in timers]
    highs = [timer.max_s for _, timer in timers if timer.max_s is not None]
    ranks = sum(ranks for ranks, _ in timers)
    known = [each for each in sums if each is not None]
    mean = sum(known) / ranks if ranks and len(known) == len(sums) else None
    if len(timers) == 1:
        mean = timers[0][1].mean_s
    return Timer(
        sum(timer.calls for _, timer in timers),
        mean,
        max(highs) if len(highs) == len(timers) else None,
    )


def _mean(reports: Sequence[Report], name: str) -> float | None:
    timer = _together(reports, name)
    return timer.mean_s if timer else None
