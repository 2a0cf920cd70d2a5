# SPDX-License-Identifier: Apache-2.0
"""Tables of runs (CSV) with the columns of the measurements on Levante (Ott 2025), row by row."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from thalweg.errors import ThalwegError, did_you_mean
from thalweg.logs.columns import BY_NAME, Row, Value
from thalweg.logs.icon_throughput import GIB, MB

_MIB = 2.0**20  # bytes
# The same quantity under another name, and what one of its unit is in that of ours.
COLUMNS: dict[str, tuple[str, float]] = {
    **{name: (name, 1.0) for name in (
        "grid", "cells", "nodes", "ranks", "ranks_per_node", "restart_mode", "output_interval_s",
        "checkpoint_interval_s", "steps", "time_step_s", "simulated_s", "threads", "total_s",
        "physics_s", "global_sum_s", "darshan_run_s", "darshan_files_written",
        "darshan_ranks_writing", "darshan_truncated", "output_files",
    )},
    "worker_ranks": ("compute_ranks", 1.0),
    "io_procs": ("io_ranks", 1.0),
    "restart_procs": ("restart_ranks", 1.0),
    "stream_partitions": ("partitions", 1.0),
    "n_outputs": ("outputs", 1.0),
    "n_checkpoints": ("checkpoints", 1.0),
    "mean_step_s": ("step_s", 1.0),
    "output_event_values": ("output_event_values", 1.0),
    "worker_wrt_output_s": ("output_s", 1.0),
    "worker_write_restart_s": ("restart_s", 1.0),
    "exch_data_s": ("exchange_s", 1.0),
    "ordglb_sum_s": ("ordered_sum_s", 1.0),
    "model_init_s": ("init_s", 1.0),
    "io_wrt_output_s": ("io_output_s", 1.0),
    "io_wrt_output_max_s": ("io_output_max_s", 1.0),
    "io_wrt_output_calls": ("io_output_calls", 1.0),
    "rst_write_restart_s": ("restart_rank_write_s", 1.0),
    "rst_communication_s": ("restart_rank_communication_s", 1.0),
    "rst_wait_s": ("restart_rank_wait_s", 1.0),
    "darshan_nprocs": ("darshan_ranks", 1.0),
    "darshan_posix_bytes_written": ("darshan_bytes_written", 1.0),
    "darshan_posix_bytes_read": ("darshan_bytes_read", 1.0),
    "darshan_posix_write_s_sum": ("darshan_write_s", 1.0),
    "darshan_posix_meta_s_sum": ("darshan_meta_s", 1.0),
    "darshan_perf_MiBps": ("darshan_rate", _MIB),
}  # fmt: skip
# Columns of outputs or of checkpoints, as the kind of the run says.
_OF_EVENTS = {
    "events_logged": "events",
    "mb_per_event_logged": "event_bytes",
    "get_s_mean": "event_get_s",
    "write_s_mean": "event_write_s",
    "write_MBps_logged": "rate_logged",
}
# Told twice: sums and rates that follow from the others, and labels.
_LEFT_OUT = {
    "run", "kind", "folder_nodes_label", "mb_sum_logged", "get_MBps_logged",
    "write_MBps_from_times",
}  # fmt: skip
_NEEDED = ("run", "total_s")
_KINDS = {"io": ("output",), "cp": ("checkpoint",), "both": ("output", "checkpoint")}
_MODES = {
    "joint procs multifile": "joint_multifile",
    "dedicated procs multifile": "dedicated_multifile",
}
# ICON's multifile line has GB of 2^30 byte; tables made of it have these times 1000 as "MB".
_MULTIFILE_MB = GIB / 1000.0


def is_run_list(path: Path) -> bool:
    """Whether its first line is the head of such a table."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        head = [word.strip().strip('"') for word in lines.readline(100_000).split(",")]
    return len(head) > 1 and ("run" in head or len(set(head) & set(COLUMNS)) > 2)


def read_run_list(path: Path) -> list[Row]:
    """Raises a sentence with file and line where a value is none."""
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines, strict=True)
        try:
            head = [name.strip().lstrip("\ufeff") for name in next(reader)]
            unknown = _check_head(path, head)
            rows: dict[str, Row] = {}
            for cells in reader:
                if not any(cells):
                    continue
                where = f"{path}:{reader.line_num}"
                row = _row(where, str(path), head, cells)
                if row.text("run") in rows:
                    raise ThalwegError(f"{where}: run '{row['run']}' is there twice")
                if unknown:
                    row.note(f"columns that are not known are left out: {', '.join(unknown)}")
                rows[row.text("run")] = row
        except csv.Error as error:
            raise ThalwegError(f"{path}:{reader.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise ThalwegError(f"'{path}' is not UTF-8 text") from None
    if not rows:
        raise ThalwegError(f"'{path}' has a head and no runs")
    return list(rows.values())


def _check_head(path: Path, head: list[str]) -> list[str]:
    """The columns that are not known."""
    if missing := [name for name in _NEEDED if name not in head]:
        meant = did_you_mean(missing[0], head)
        raise ThalwegError(f"{path}:1: column '{missing[0]}' is missing.{meant}")
    if twice := [name for name in head if head.count(name) > 1]:
        raise ThalwegError(f"{path}:1: column '{twice[0]}' is there twice")
    return [name for name in head if name not in {*COLUMNS, *_OF_EVENTS, *_LEFT_OUT}]


def _row(where: str, source: str, head: list[str], cells: list[str]) -> Row:
    if len(cells) != len(head):
        raise ThalwegError(f"{where}: {len(cells)} values; the head has {len(head)} columns")
    given = {name: cell.strip() for name, cell in zip(head, cells, strict=True)}
    if not given["run"]:
        raise ThalwegError(f"{where}: the run has no name")
    row = Row(run=given["run"], sources=(source,), model="ICON")
    for name, (column, unit) in COLUMNS.items():
        if given.get(name):
            row[column] = _value(where, name, column, given[name], unit)
    row["restart_mode"] = _MODES.get(row.text("restart_mode"), row["restart_mode"])
    _tell_events(where, row, given)
    return row


def _tell_events(where: str, row: Row, given: dict[str, str]) -> None:
    told = {name: given[name] for name in _OF_EVENTS if given.get(name)}
    kinds = _KINDS.get(given.get("kind", ""))
    if given.get("kind") and kinds is None:
        raise ThalwegError(
            f"{where}: kind '{given['kind']}' does not exist; choose one of: {', '.join(_KINDS)}"
        )
    if not told:
        return
    if kinds is None or len(kinds) > 1:
        row.note(f"{', '.join(told)} may be of outputs or of checkpoints: they are left empty")
        return
    multifile = kinds == ("checkpoint",) and row.text("restart_mode").endswith("multifile")
    mb = _MULTIFILE_MB if multifile else MB
    units = {"mb_per_event_logged": mb, "write_MBps_logged": mb}
    for name, cell in told.items():
        column = f"{kinds[0]}_{_OF_EVENTS[name]}"
        row[column] = _value(where, name, column, cell, units.get(name, 1.0))


def _value(where: str, name: str, column: str, cell: str, unit: float) -> Value:
    kind = BY_NAME[column].type
    try:
        if kind == "text":
            return cell
        if kind == "yes_no":
            return {"true": True, "false": False}[cell.lower()]
        number = float(cell)
        if not math.isfinite(number) or number < 0.0:
            raise ValueError(cell)
        if kind == "number":
            return number * unit
        if number != int(number):
            raise ValueError(cell)
        return int(number)
    except (KeyError, ValueError):
        asked = {"yes_no": "True or False", "integer": "a whole number"}.get(kind, "a number")
        raise ThalwegError(f"{where}: {name} is '{cell}'; {asked} from 0 on is needed") from None
