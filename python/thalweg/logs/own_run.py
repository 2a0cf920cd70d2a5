# SPDX-License-Identifier: Apache-2.0
"""A run directory of `thalweg run` as a row of the table."""

from __future__ import annotations

import math
from pathlib import Path

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.timing import Timing
from thalweg.logs.columns import Row
from thalweg.run.metrics import waiting_s

_TIMERS = {
    "output_s": "output", "restart_s": "restart", "physics_s": "extra_work",
    "exchange_s": "halo_exchange", "global_sum_s": "diagnostics",
}  # fmt: skip
_ROLES = {"compute_ranks": "compute", "io_ranks": "io", "restart_ranks": "restart"}


def is_own_run(path: Path) -> bool:
    return path.is_dir() and RunDirectory(path).looks_like_a_run()


def read_own_run(path: Path) -> Row:
    """Raises a sentence where its files are damaged; a run that failed has no times."""
    run = RunDirectory.open(path)
    row = Row(run=path.resolve().name, sources=(str(path),), model="mini-model")
    experiment = run.experiment()
    _tell_settings(row, experiment)
    summary = run.summary() if run.summary_path.is_file() else {}
    status = summary.get("status")
    row["status"] = str(status) if status else None
    files, size_bytes = run.written()
    row.tell(output_files=files, output_file_bytes=size_bytes)
    if run.timing_path.is_file():
        _tell_timing(row, Timing.read(run.timing_path))
    if status != "complete":
        row.note(f"the run is '{status or 'unknown'}', not complete: its times are of a part of it")
    elif row["total_s"] is None:
        raise ThalwegError(f"'{run.timing_path}' has no timer 'total' of compute ranks")
    metrics = summary.get("metrics", {})
    noted = metrics.get("bytes_written") if isinstance(metrics, dict) else None
    if isinstance(noted, int) and noted != size_bytes:
        row.note(
            f"files/ has {size_bytes} bytes, run.json noted {noted}: files/ is believed, it is "
            "what there is; `thalweg verify` tells what is missing"
        )
    return row


def _tell_settings(row: Row, experiment: Experiment) -> None:
    outputs = experiment.outputs
    intervals = {each.number("interval") for each in outputs}
    partitions = {each.integer("partitions") for each in outputs}
    restart_mode = experiment.text("restart", "mode")
    row.tell(
        grid=experiment.text("grid", "name"),
        levels=experiment.integer("model", "levels"),
        output_mode=experiment.text("io", "mode"),
        restart_mode=restart_mode,
        output_interval_s=intervals.pop() if len(intervals) == 1 else None,
        partitions=partitions.pop() if len(partitions) == 1 else None,
        checkpoint_interval_s=(
            0.0 if restart_mode == "none" else experiment.number("restart", "interval")
        ),
    )
    if len({each.number("interval") for each in outputs}) > 1:
        row.note("streams have several intervals: output_interval_s is left empty")


def _tell_timing(row: Row, timing: Timing) -> None:
    row.tell(ranks=len(timing.roles))
    row.tell(**{column: len(timing.ranks(role)) for column, role in _ROLES.items()})
    compute = timing.ranks("compute")
    if timing.timer("total") and compute:
        totals = [timing.total_s("total", rank) for rank in compute]
        row.tell(total_s=math.fsum(totals) / len(totals), total_max_s=max(totals))
        row.tell(wait_s=waiting_s(timing.mean_own_s()))
    for column, name in _TIMERS.items():
        if timing.timer(name):
            row[column] = timing.mean_s(name)
