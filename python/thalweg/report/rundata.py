# SPDX-License-Identifier: Apache-2.0
"""Reads a run directory for the page; what is missing or damaged becomes a sentence on it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.config import toml
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory, read_json
from thalweg.files.timing import Timing
from thalweg.report.style import KINDS

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


MOST_RANKS = 1 << 22  # a greater number is damage: a page shows no more, one by one


_NO_EVENT = (ValueError, KeyError, TypeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Events:
    """What happened when; every array is [events]."""

    rank: IntArray
    kind: IntArray  # index into `kinds`
    begin_s: FloatArray
    end_s: FloatArray
    size_bytes: FloatArray
    kinds: tuple[str, ...] = KINDS

    def __len__(self) -> int:
        return len(self.rank)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.rank, self.kind, self.begin_s, self.end_s, self.size_bytes

    def choose(self, which: NDArray[np.bool_]) -> Events:
        """The events where `which` [events] is true."""
        return Events(
            self.rank[which],
            self.kind[which],
            self.begin_s[which],
            self.end_s[which],
            self.size_bytes[which],
            self.kinds,
        )

    def of_kinds(self, *names: str) -> NDArray[np.bool_]:
        """Which events are of one of these kinds: [events]."""
        return np.isin(self.kind, [self.kinds.index(name) for name in names if name in self.kinds])


@dataclass(frozen=True)
class RunData:
    """Everything the page knows about one run. `problems` are sentences for its reader."""

    path: Path
    name: str
    summary: dict[str, Any]  # run.json
    experiment: dict[str, Any]  # experiment.toml
    timing: Timing
    events: Events
    files: list[Path]
    problems: list[str] = field(default_factory=list)

    @property
    def roles(self) -> tuple[str, ...]:
        """ "compute", "io" or "restart" for every rank."""
        return self.timing.roles

    @property
    def failed(self) -> bool:
        """True when run.json tells of another end than a complete run."""
        return str(self.summary.get("status", "complete")) != "complete"


def read_run(path: Path) -> RunData:
    """Read a run directory (docs/run-directory.md). Missing or damaged files are `problems`.

    Raises ThalwegError if the path is no run directory at all.
    """
    problems: list[str] = []
    run = RunDirectory(path)
    if not path.is_dir():
        raise ThalwegError(f"the run '{path}' does not exist; give the directory of a run")
    if not any(file.is_file() for file in (run.experiment_path, run.summary_path, run.timing_path)):
        raise ThalwegError(f"'{path}' is not a run directory: it has no 'experiment.toml'")
    run.refuse_what_is_no_file()
    experiment = _read_experiment(run.experiment_path, problems)
    events = _read_events(run.events_path, experiment, problems)
    timing = _read_timing(run.timing_path, problems)
    if not timing.roles and len(events):
        timing = Timing(("compute",) * (int(events.rank.max()) + 1), ())
        problems.append("The roles of the ranks are unknown: all are shown as compute ranks.")
    known = events.rank < len(timing.roles)
    if not known.all():
        problems.append("'events.jsonl' names ranks that 'timing.json' lacks; they are left out.")
        events = events.choose(known)
    files = run.complete_files()
    if not files:
        problems.append("The run has written no complete output file.")
    if unfinished := run.unfinished_files():
        names = ", ".join(f"'{file.name}'" for file in unfinished[:3])
        more = f" and {len(unfinished) - 3} more" if len(unfinished) > 3 else ""
        problems.append(f"Some output is not complete: {names}{more}.")
    return RunData(
        path=path,
        name=path.resolve().name,
        summary=_read_summary(run.summary_path, problems),
        experiment=experiment,
        timing=timing,
        events=events,
        files=files,
        problems=problems,
    )


def _read_summary(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return read_json(path)
    except ThalwegError:
        problems.append(_lost(path, "machine, versions and metrics are not shown"))
        return {}


def _read_timing(path: Path, problems: list[str]) -> Timing:
    try:
        timing = Timing.read(path)
    except ThalwegError:
        problems.append(_lost(path, "there is no timer table"))
        return Timing((), ())
    ranks = len(timing.roles)
    for timer in timing.timers:
        arrays = (timer.calls, timer.total_s, timer.own_s, timer.min_s, timer.max_s)
        if any(len(array) != ranks for array in arrays):
            problems.append(f"Timer '{timer.name}' in 'timing.json' lacks ranks and is left out.")
            timing = replace(timing, timers=tuple(t for t in timing.timers if t is not timer))
    return timing


def _read_experiment(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        experiment: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
        return experiment
    except (OSError, ValueError):
        problems.append(_lost(path, "the settings of the run are not shown"))
        return {}


def _lost(path: Path, consequence: str) -> str:
    state = "cannot be read" if path.exists() else "is missing"
    return f"'{path.name}' {state}, so {consequence}."


def _read_events(path: Path, experiment: dict[str, Any], problems: list[str]) -> Events:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        consequence = "there is no timeline and no heat map"
        told = _lost(path, consequence)
        if not path.exists() and not _keeps_events(experiment):
            told = f"The run kept no events ([io] events = false), so {consequence}."
        problems.append(told)
        return _events([])
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        return _events(json.loads("[" + ",".join(lines) + "]"))  # 5 times faster than line by line
    except _NO_EVENT:
        pass
    rows = [row for line in lines if (row := _whole_event(line)) is not None]
    lost = len(lines) - len(rows)
    are = "is" if lost == 1 else "are"
    problems.append(f"{lost} of {len(lines)} lines of 'events.jsonl' {are} damaged and left out.")
    return _events(rows)


def _keeps_events(experiment: dict[str, Any]) -> bool:
    io = experiment.get("io")
    return not isinstance(io, dict) or io.get("events") is not False


def _whole_event(line: str) -> dict[str, Any] | None:
    try:
        row: dict[str, Any] = json.loads(line)
        _events([row])
        return row
    except _NO_EVENT:
        return None


def _events(rows: list[dict[str, Any]]) -> Events:
    """Raises ValueError, KeyError, TypeError or OverflowError where a row is not an event."""
    names = [row["kind"] for row in rows]
    # Kinds of another version of the library are shown under their own names.
    kinds = tuple(dict.fromkeys([*KINDS, *names]))
    index = {name: number for number, name in enumerate(kinds)}
    events = Events(
        rank=np.array([row["rank"] for row in rows], np.int64),
        kind=np.array([index[name] for name in names], np.int64),
        begin_s=np.array([row["begin_s"] for row in rows], np.float64),
        end_s=np.array([row["end_s"] for row in rows], np.float64),
        size_bytes=np.array([row.get("bytes", 0) for row in rows], np.float64),
        kinds=kinds,
    )
    if any(each.shape != (len(rows),) for each in events.arrays()):
        raise ValueError("a list is no number")
    if not all(isinstance(name, str) and name for name in kinds):
        raise ValueError("a kind is a word")
    "".join(kinds).encode()  # half a letter is none
    if (
        not ((events.rank >= 0) & (events.rank < MOST_RANKS)).all()
        or not (events.begin_s <= events.end_s).all()
    ):
        raise ValueError("no number of a rank, or an end before the begin")
    if not (np.isfinite(events.end_s) & np.isfinite(events.size_bytes)).all():
        raise ValueError("not a number")
    return events
