# SPDX-License-Identifier: Apache-2.0
"""Which value to follow: checks field, place, point, level and time against the files of a run."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.errors import ThalwegError, did_you_mean
from thalweg.files.streams import FieldShape, Stream, TimeSlot


@dataclass(frozen=True)
class TraceRequest:
    """As asked on the command line. point: 0-based global index; level: 1-based; step: 0-based."""

    field: str
    place: str
    point: int
    level: int
    step: int
    stream: str = ""


@dataclass(frozen=True)
class ValuePlace:
    """Where the value lies in the run's own files."""

    stream: Stream
    shape: FieldShape
    slot: TimeSlot
    level_index: int  # 0-based along the file's level axis, -1 = two-dimensional


def find_place(
    streams: dict[str, Stream], request: TraceRequest, chosen_levels: dict[str, list[int]]
) -> ValuePlace:
    """Raises one sentence when the run holds no such value.

    chosen_levels  `levels` of each stream: one level alone leaves no level axis in the file
    """
    stream = _stream(streams, request)
    shape = stream.fields[request.field]
    if shape.place != request.place:
        raise ThalwegError(
            f"field '{shape.name}' lives on {shape.place} points, so give --{shape.place} "
            f"instead of --{request.place}"
        )
    if not 0 <= request.point < shape.points:
        raise ThalwegError(
            f"{shape.place} {request.point} does not exist in field '{shape.name}'; "
            f"choose one from 0 to {shape.points - 1}"
        )
    if not 0 <= request.step < len(stream.slots):
        raise ThalwegError(
            f"output {request.step} does not exist in stream '{stream.name}'; "
            f"choose one from 0 to {len(stream.slots) - 1}"
        )
    slot = stream.slots[request.step]
    if slot not in stream.slots_of(request.field):
        raise ThalwegError(
            f"'{slot.file}', which has output {request.step}, has no field '{request.field}': the "
            "run was continued with other variables"
        )
    chosen = chosen_levels.get(stream.name, [])
    return ValuePlace(stream, shape, slot, _level_index(stream, shape, slot, request.level, chosen))


def _stream(streams: dict[str, Stream], request: TraceRequest) -> Stream:
    if request.stream and request.stream not in streams:
        raise ThalwegError(
            f"stream '{request.stream}' does not exist; choose one of: {', '.join(streams)}."
            f"{did_you_mean(request.stream, streams)}"
        )
    searched = [streams[request.stream]] if request.stream else list(streams.values())
    found = [stream for stream in searched if request.field in stream.fields]
    if not found:
        known = list(dict.fromkeys(name for stream in searched for name in stream.fields))
        raise ThalwegError(
            f"field '{request.field}' is in no file of the run; choose one of: "
            f"{', '.join(known)}.{did_you_mean(request.field, known)}"
        )
    if len(found) > 1:
        names = ", ".join(stream.name for stream in found)
        raise ThalwegError(
            f"field '{request.field}' is in several streams; give --stream, one of: {names}"
        )
    return found[0]


def _level_index(
    stream: Stream, shape: FieldShape, slot: TimeSlot, level: int, chosen: list[int]
) -> int:
    if not stream.is_layered(shape.name, slot):
        if level != 1 and chosen != [level]:
            raise ThalwegError(f"field '{shape.name}' is two-dimensional; leave out --level")
        return -1
    levels = stream.level_numbers(slot)
    if level not in levels:
        raise ThalwegError(
            f"level {level} of field '{shape.name}' is not in the file; choose one of: "
            f"{', '.join(map(str, levels))}"
        )
    return levels.index(level)
