# SPDX-License-Identifier: Apache-2.0
"""What became of test runs: states of their jobs, and the times in their logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.logs.beliefs import believe
from thalweg.logs.columns import Row
from thalweg.logs.sources import read_runs
from thalweg.submit.job_list import JobList, TestRun
from thalweg.submit.slurm import SlurmError, State, states_accounted, states_in_queue

TABLE = "measured.parquet"
_NOT_ENDED = {
    "PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD",
    "REQUEUE_FED", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SPECIAL_EXIT", "RESV_DEL_HOLD",
}  # fmt: skip
NOT_SUBMITTED, DONE = "not submitted", "COMPLETED"
GONE, UNASKED = "gone", "?"  # Slurm knows it no more; Slurm cannot be asked
_LAST_LINES = 5
_LOG_END = 20_000  # bytes that are looked at for them


@dataclass
class Outcome:
    """row: None where the log has no time. said: why, or what disagrees. last: lines of the log."""

    run: TestRun
    state: State
    row: Row | None = None
    said: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        return self.state.word not in {*_NOT_ENDED, NOT_SUBMITTED, UNASKED}

    @property
    def failed(self) -> bool:
        """It ended, and there is no measurement of it."""
        return self.ended and self.row is None

    @property
    def step_s(self) -> float | None:
        """Measured wall time over time steps."""
        total_s = self.row.number("total_s") if self.row is not None else None
        return total_s / self.run.steps if total_s else None


def states_of(jobs: JobList) -> list[State]:
    """In the order of the runs. Raises a sentence where squeue is not there or fails."""
    asked = [run for run in jobs.runs if run.asked]
    queued = states_in_queue({run.job_name for run in asked}) if asked else {}
    changed = False
    for run in asked:
        if not run.job and run.job_name in queued:
            run.job, changed = queued[run.job_name][0], True
    if changed:
        jobs.write()
    gone = [run.job for run in asked if run.job and run.job_name not in queued]
    accounted = states_accounted(gone)
    found = []
    for run in jobs.runs:
        if not run.asked:
            found.append(State(NOT_SUBMITTED))
        elif run.job_name in queued:
            found.append(queued[run.job_name][1])
        else:
            found.append(accounted.get(run.job, State(GONE)))
    return found


def collect(jobs: JobList) -> list[Outcome]:
    """States now, and rows of the logs of those that ended."""
    try:
        states = states_of(jobs)
        unasked = ""
    except SlurmError as error:  # the queue may forget, or be of another machine: logs stay
        states = [State(UNASKED if run.asked else NOT_SUBMITTED) for run in jobs.runs]
        unasked = error.sentence
    found = [Outcome(run, state) for run, state in zip(jobs.runs, states, strict=True)]
    for each in found:
        if each.ended or each.state.word == UNASKED:
            _read(jobs, each)
        if unasked and each.row is None and each.run.asked:
            each.said.append(unasked)
    return found


def _read(jobs: JobList, outcome: Outcome) -> None:
    run = outcome.run
    folder = jobs.path / run.directory
    logs = sorted(folder.glob(f"LOG.{run.job_name}.{run.job or '*'}.o"))
    row = None
    try:
        if logs:
            rows = [each for each in read_runs([folder]) if each.number("total_s")]
            row = rows[0] if len(rows) == 1 else None
            if len(rows) != 1:
                outcome.said.append(
                    f"{len(rows)} logs in '{folder}' tell a time" if rows else
                    "its log has no timer report: it did not end, or writes its log elsewhere"
                )  # fmt: skip
        else:
            purged = f", and Slurm knows job {run.job} no more" * (outcome.state.word == GONE)
            outcome.said.append(f"there is no log in '{folder}'{purged}")
    except ThalwegError as error:
        outcome.said.append(error.sentence)
    if row is not None and outcome.state.word in (DONE, GONE, UNASKED):
        _complete(row, outcome)
    elif row is not None:
        outcome.said.append("its log has a timer report, but the job failed: it is not counted")
    if outcome.row is None and logs:
        outcome.last = _last_lines(logs[-1])


def _complete(row: Row, outcome: Outcome) -> None:
    """What the log does not tell, the script does; where they differ it is another run."""
    run, facts = outcome.run, outcome.run.facts
    told = {name: row.number(name) for name in ("steps", "compute_ranks", "io_ranks")}
    wrong = [
        f"{name.replace('_', ' ')} {value:g} and not {float(facts[name]):g}"
        for name, value in told.items()
        if value is not None and value != facts[name]
    ]
    if wrong:
        outcome.said.append(f"its log tells of {', '.join(wrong)}: it is not the run asked for")
        return
    believe(row)
    row["run"] = f"{run.job_name}"
    mode = str(facts["restart_mode"])
    values: dict[str, float | str | None] = {
        **{name: round(float(facts[name])) for name in (
            "cells", "nodes", "ranks", "compute_ranks", "io_ranks", "restart_ranks", "outputs",
            "checkpoints", "steps", "levels", "partitions", "ranks_per_node",
        )},
        "restart_mode": mode,
        "output_event_bytes": float(facts["output_bytes"]) or None,
        "checkpoint_event_bytes": float(facts["checkpoint_bytes"]) or None,
    }  # fmt: skip
    for name, value in values.items():
        if row[name] is None:
            row[name] = value
    row["status"] = "complete"
    row["job"] = run.job or row["job"]
    outcome.row = row


def _last_lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LOG_END))
            lines = file.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()][-_LAST_LINES:]


def write_measured(jobs: JobList, outcomes: Sequence[Outcome]) -> Path | None:
    """The table of those that have a time, anew each time; None where there is none."""
    rows = [each.row for each in outcomes if each.row is not None]
    if not rows:
        return None
    from thalweg.logs.parquet import write_table  # slow to load

    path = jobs.path / TABLE
    try:
        write_table(rows, path)
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be written: {error.strerror}") from None
    return path
