# SPDX-License-Identifier: Apache-2.0
"""A run directory of `thalweg run` as a row of the table."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.restart_sets import list_restart_sets, read_manifest
from thalweg.files.run_directory import RunDirectory
from thalweg.files.timing import Timing
from thalweg.logs.columns import Row
from thalweg.run.metrics import waiting_s

_TIMERS = {
    "output_s": "output", "restart_s": "restart", "physics_s": "extra_work",
    "exchange_s": "halo_exchange", "global_sum_s": "diagnostics",
}  # fmt: skip
_OF_WRITING = ("io_create", "io_write", "io_close")
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
    continued = _tell_start(row, summary.get("start"))
    files, size_bytes = run.written()
    if continued:
        row.note(
            "the run went on from a checkpoint: its times are of that part, files/ holds what "
            "the runs before wrote, too, and is not counted"
        )
    row["state_fields"] = _state_fields(path)
    if run.timing_path.is_file():
        try:
            _tell_timing(row, Timing.read(run.timing_path))
        except (TypeError, IndexError, ValueError, OverflowError) as error:
            sentence = f"'{run.timing_path}' is not a table of timers: {error}"
            raise ThalwegError(sentence) from None
    if status != "complete":
        row.note(f"the run is '{status or 'unknown'}', not complete: its times are of a part of it")
    elif row["total_s"] is None:
        raise ThalwegError(f"'{run.timing_path}' has no timer 'total' of compute ranks")
    metrics = summary.get("metrics", {})
    metrics = metrics if isinstance(metrics, dict) else {}
    noted = metrics.get("bytes_written")
    row["simulated_s"] = _sound(metrics.get("simulated_s"))  # of this part, where it went on
    if not continued:
        _tell_output(row, files, size_bytes, noted if isinstance(noted, int) else None)
    return row


def _tell_output(row: Row, files: int, size_bytes: int, noted: int | None) -> None:
    """noted: bytes in run.json. Trials of a sweep or of tune keep the times and remove the output:
    nothing that would be what there is.
    """
    if not files and noted:
        row.tell(output_bytes=noted, output_bytes_from="run.json")
        row.note(
            "files/ is empty: run.json is believed for bytes of output, it noted them before files "
            "were removed"
        )
        return
    row.tell(output_files=files, output_file_bytes=size_bytes)
    if noted is not None and noted != size_bytes:
        row.note(
            f"files/ has {size_bytes} bytes, run.json noted {noted}: files/ is believed, it is "
            "what there is; `thalweg verify` tells what is missing"
        )


def _tell_start(row: Row, start: object) -> bool:
    """What the model said as it began; whether it went on from a checkpoint."""
    if not isinstance(start, dict):
        return False
    told = {key: _sound(value) for key, value in start.items()}
    continued = (told.get("begin_s") or 0.0) > 0.0
    cells, steps = told.get("cells"), told.get("steps")
    row.tell(
        cells=None if cells is None else int(cells),
        steps=None if steps is None or continued else int(steps),
        time_step_s=told.get("time_step_s"),
    )
    return continued


def _sound(value: object) -> float | None:
    """None for what is no number from 0 on: a damaged file may hold anything."""
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0.0 else None


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
        own_s = timing.mean_own_s()
        row.tell(wait_s=waiting_s(own_s), copy_s=own_s.get("copy", 0.0))
    every = range(len(timing.roles))
    spent = [timing.total_s(name, rank) for name in _OF_WRITING for rank in every]
    row["output_write_s"] = math.fsum(spent) or None
    for column, name in _TIMERS.items():
        if timing.timer(name):
            row[column] = timing.mean_s(name)


def _state_fields(path: Path) -> int | None:
    """Of the newest restart set that can be read; None where the run keeps none."""
    for each in reversed(list_restart_sets(path)):
        with contextlib.suppress(ValueError):
            fields = read_manifest(each).get("fields")
            if isinstance(fields, list) and fields:
                return len(fields)
    return None
