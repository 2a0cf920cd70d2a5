# SPDX-License-Identifier: Apache-2.0
"""`thalweg trace`: one line per stop of a value, the last one read back from the run's own file."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import read_streams
from thalweg.run.native_lists import fields_of
from thalweg.tables import print_table
from thalweg.trace.calls import Calls, Frame, source_of
from thalweg.trace.disk import DiskValue, read_from_disk
from thalweg.trace.place import TraceRequest, find_place
from thalweg.trace.replay import STOPS, Stop, replay


def trace(path: Path, request: TraceRequest, as_json: bool, with_calls: bool = False) -> None:
    """Raises a sentence (exit code 1) when the value in the file is not the traced one."""
    run = RunDirectory.open(path)
    experiment = run.experiment()
    chosen_levels = {each.text("name"): each.integers("levels") for each in experiment.outputs}
    fields = fields_of(experiment.text("model", "equations"))
    deep = {str(each["name"]) for each in fields if each["dimensions"] == 3}
    streams = read_streams(path)
    try:
        place = find_place(streams, request, chosen_levels, deep)
        request = replace(request, stream=place.stream.name, level=place.level)
        disk = read_from_disk(place, request)
        stops, calls = replay(run, streams, request)
    finally:
        for stream in streams.values():
            stream.close()
    everything = [*(_of_its_own_file(stop, disk) for stop in stops), _disk_stop(disk, run)]
    if as_json:
        for stop in everything:
            print(json.dumps(asdict(stop)))
    else:
        _print_table(everything)
    if with_calls:
        _print_calls([(each, source_of(each)) for each in calls], as_json)
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


def _of_its_own_file(stop: Stop, disk: DiskValue) -> Stop:
    """The run is repeated elsewhere: a header that names its directory has another length."""
    if (
        stop.stop != "container"
        or "byte" not in stop.detail
        or f"byte {disk.offset}" in stop.detail
    ):
        return stop
    return replace(stop, detail=f"{stop.detail} of the repetition's file")


def _disk_stop(disk: DiskValue, run: RunDirectory) -> Stop:
    """local = byte offset in the file; no rank and no line of source."""
    inside = disk.file.is_relative_to(run.path)
    name = str(disk.file.relative_to(run.path)) if inside else str(disk.file)
    return Stop("disk", -1, disk.offset, disk.value, name, 0, disk.where)


def _print_calls(found: Sequence[tuple[Calls, list[Frame]]], as_json: bool) -> None:
    if as_json:
        for calls, frames in found:
            shown = [asdict(frame) for frame in frames]
            print(json.dumps({"calls": calls.at, "rank": calls.rank, "frames": shown}))
        return
    rows = [
        (calls.at, str(calls.rank), f"{frame.file}:{frame.line}", frame.function)
        for calls, frames in found
        for frame in frames
    ]
    print()
    print_table(("until", "rank", "called at", "in"), rows)


def _print_table(stops: list[Stop]) -> None:
    rows = []
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
    print_table(("stop", "rank", "local", "value", "source", "what happens"), rows)
