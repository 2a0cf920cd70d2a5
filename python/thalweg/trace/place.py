# SPDX-License-Identifier: Apache-2.0
"""Which value to follow: checks field, place, point, level and time against the files of a run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from thalweg.errors import ThalwegError, did_you_mean
from thalweg.files.streams import FieldShape, Stream, TimeSlot


@dataclass(frozen=True)
class TraceRequest:
    """As asked on the command line. point: 0-based global index; level: 1-based, or None for the
    first that the file has; step: 0-based.
    """

    field: str
    place: str
    point: int
    level: int | None
    step: int
    stream: str = ""


@dataclass(frozen=True)
class ValuePlace:
    """Where the value lies in the run's own files."""

    stream: Stream
    shape: FieldShape
    slot: TimeSlot
    level: int  # of the model, 1 = first
    level_index: int  # 0-based along the file's level axis, -1 = it has none


def find_place(
    streams: dict[str, Stream],
    request: TraceRequest,
    chosen_levels: dict[str, list[int]],
    deep: Collection[str],
) -> ValuePlace:
    """Raises one sentence when the run holds no such value.

    chosen_levels  `levels` of each stream: one level alone leaves no level axis in the file
    deep           fields that have levels in the model
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
    chosen = chosen_levels.get(stream.name, []) if shape.name in deep else []
    level, index = _level(stream, shape, slot, request.level, chosen)
    return ValuePlace(stream, shape, slot, level, index)


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


def _level(
    stream: Stream, shape: FieldShape, slot: TimeSlot, asked: int | None, chosen: list[int]
) -> tuple[int, int]:
    """The model's number of the level and where it is in the file."""
    if not stream.is_layered(shape.name, slot):
        only = chosen[0] if len(chosen) == 1 else 1
        if asked not in (None, only):
            holds = f"is in the file on level {only} only" if chosen else "is two-dimensional"
            raise ThalwegError(f"field '{shape.name}' {holds}; leave out --level")
        return only, -1
    levels = stream.level_numbers(shape.name, slot)
    level = levels[0] if asked is None else asked
    if level not in levels:
        raise ThalwegError(
            f"level {level} of field '{shape.name}' is not in the file; choose one of: "
            f"{', '.join(map(str, levels))}"
        )
    return level, levels.index(level)
