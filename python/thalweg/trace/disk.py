# SPDX-License-Identifier: Apache-2.0
"""The last stop: where one value lies in the run's own file, and what is there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.files.datasets import open_dataset, parts_of
from thalweg.trace.cdf_spot import cdf_spot
from thalweg.trace.grib2_spot import grib2_spot
from thalweg.trace.hdf5_spot import hdf5_spot
from thalweg.trace.place import TraceRequest, ValuePlace
from thalweg.trace.raw_spot import raw_spot
from thalweg.trace.spot import Spot
from thalweg.trace.zarr_spot import zarr_spot

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
    spot = _spot(path, place.shape.name, index)
    raw = _bytes_at(spot.file, spot.offset, min(spot.size, _SHOWN_BYTES))
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
    if path.suffix == ".zarr":
        return zarr_spot(path, name, index)
    if path.suffix == ".grb2":
        return grib2_spot(path, name, index)
    if path.suffix == ".raw":
        return raw_spot(path, name, index)
    magic = _bytes_at(path, 0, 4)
    if magic.startswith(b"CDF"):
        return cdf_spot(path, name, index)
    if magic == b"\x89HDF":
        return hdf5_spot(path, name, index)
    raise ThalwegError(f"'{path}' is neither netCDF, Zarr, GRIB2 nor raw, so its bytes are unknown")


def _bytes_at(path: Path, offset: int, size: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            raw = os.pread(descriptor, size, offset)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read: {error.strerror}") from error
    if len(raw) < size:
        raise ThalwegError(f"'{path}' ends before byte {offset + size}; it was cut", exit_code=1)
    return raw
