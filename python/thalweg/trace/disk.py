# SPDX-License-Identifier: Apache-2.0
"""The last stop: where one value lies in the run's own file, and what is there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.files.datasets import open_dataset, parts_of
from thalweg.files.readers import reader_of
from thalweg.trace.place import TraceRequest, ValuePlace
from thalweg.trace.spot import Spot, bytes_at

_SHOWN_BYTES = 8


@dataclass(frozen=True)
class DiskValue:
    """Bytes [offset, offset + size) of the file are the value, or hold it among others."""

    file: Path
    offset: int
    value: float
    where: str  # the bytes in words


def read_from_disk(place: ValuePlace, request: TraceRequest) -> DiskValue:
    """The container's own header tells where the bytes begin; then arithmetic and one pread."""
    path, point = _part_with(place.slot.file, place.shape.name, request.point)
    index: tuple[int, ...] = (place.slot.index, point)
    if place.level_index >= 0:
        index = (place.slot.index, place.level_index, point)
    try:
        spot = _spot(path, place.shape.name, index)
    except (OSError, RuntimeError, ValueError) as error:  # of all readers
        what = f"'{place.shape.name}' at {place.slot.time_s:g} s in '{path}' cannot be read"
        raise ThalwegError(f"{what}: {error}", exit_code=1) from error
    raw = bytes_at(spot.file, spot.offset, min(spot.size, _SHOWN_BYTES))
    last = spot.offset + spot.size - 1
    if spot.decoded is None:
        value = float(np.frombuffer(raw, dtype=spot.dtype)[0])
        where = f"bytes {spot.offset} to {last} are {raw.hex(' ')}"
    else:
        value = spot.decoded
        where = f"decoded from bytes {spot.offset} to {last}, which begin with {raw.hex(' ')}"
    return DiskValue(spot.file, spot.offset, value, f"{where}; {spot.layout}")


def _part_with(path: Path, name: str, point: int) -> tuple[Path, int]:
    """The part of a divided file that holds a point, and the point's number in it."""
    parts = parts_of(path)
    if len(parts) < 2:
        return path, point
    for part in parts:
        dataset = open_dataset(part, alone=True)
        points = dataset.variables[name].shape[-1]
        dataset.close()
        if point < points:
            return part, point
        point -= points
    raise ThalwegError(f"no part of '{path}' holds the point", exit_code=1)


def _spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """Of the reader whose container it is: NAME_spot in NAME_spot.py."""
    module = f"{reader_of(path).name}_spot"
    find: Callable[[Path, str, tuple[int, ...]], Spot] = getattr(
        importlib.import_module(f"thalweg.trace.{module}"), module
    )
    return find(path, name, index)
