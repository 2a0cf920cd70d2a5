# SPDX-License-Identifier: Apache-2.0
"""`thalweg trace`: one line per stop of a value, the last one read back from the run's own file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

from thalweg.config.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import read_streams
from thalweg.trace.disk import DiskValue, read_from_disk
from thalweg.trace.place import TraceRequest, find_place
from thalweg.trace.replay import STOPS, Stop, replay


def trace(path: Path, request: TraceRequest, as_json: bool) -> None:
    """Raises a sentence (exit code 1) when the value in the file is not the traced one."""
    run = RunDirectory.open(path)
    outputs = run.experiment().output_tables()
    chosen_levels = {str(output["name"]): list(output["levels"]) for output in outputs}
    streams = read_streams(path)
    try:
        place = find_place(streams, request, chosen_levels)
        request = replace(request, stream=place.stream.name)
        disk = read_from_disk(place, request)
        stops = replay(run, streams, request)
    finally:
        for stream in streams.values():
            stream.close()
    everything = [*stops, _disk_stop(disk, run)]
    if as_json:
        for stop in everything:
            print(json.dumps(asdict(stop)))
    else:
        _print_table(everything)
    missing = [name for name in STOPS if name not in {stop.stop for stop in stops}]
    if missing:
        raise ThalwegError(f"the value was not seen at: {', '.join(missing)}", exit_code=1)
    traced = stops[-1].value
    if traced != disk.value and not (math.isnan(traced) and math.isnan(disk.value)):
        raise ThalwegError(
            f"'{disk.file}' holds {disk.value!r} at byte {disk.offset}, "
            f"but the traced value is {traced!r}",
            exit_code=1,
        )


def _disk_stop(disk: DiskValue, run: RunDirectory) -> Stop:
    """local = byte offset in the file; no rank and no line of source."""
    inside = disk.file.is_relative_to(run.path)
    name = str(disk.file.relative_to(run.path)) if inside else str(disk.file)
    where = f"bytes {disk.offset} to {disk.offset + disk.size - 1} are {disk.bytes_hex}"
    return Stop("disk", -1, disk.offset, disk.value, name, 0, f"{where}; {disk.layout}")


def _print_table(stops: list[Stop]) -> None:
    rows = [("stop", "rank", "local", "value", "source", "what happens")]
    for stop in stops:
        passive = stop.local < 0  # a stop that hands the value on without touching it
        rows.append((
            stop.stop,
            "-" if stop.rank < 0 else str(stop.rank),
            "-" if passive else str(stop.local),
            "-" if passive else repr(stop.value),
            f"{stop.file}:{stop.line}" if stop.line else stop.file,
            stop.detail,
        ))  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:5], widths, strict=True)]
        print("  ".join([*cells, row[5]]).rstrip())
