# SPDX-License-Identifier: Apache-2.0
"""The last stop: finds one value's bytes in a netCDF-4 file and reads them without a library."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from thalweg.config.errors import ThalwegError
from thalweg.trace.place import TraceRequest, ValuePlace


@dataclass(frozen=True)
class DiskValue:
    """Bytes [offset, offset + size) of the file hold the value."""

    file: Path
    offset: int
    size: int
    value: float
    bytes_hex: str
    layout: str


def read_from_disk(place: ValuePlace, request: TraceRequest) -> DiskValue:
    """HDF5 tells where the variable (or its chunk) begins; the rest is arithmetic and one pread."""
    index: tuple[int, ...] = (place.slot.index, request.point)
    if place.level_index >= 0:
        index = (place.slot.index, place.level_index, request.point)
    with h5py.File(place.slot.file, "r") as file:
        dataset = file[place.shape.name]
        kind = dataset.dtype
        if dataset.chunks is None:
            start, shape, within = dataset.id.get_offset(), dataset.shape, index
            layout = f"contiguous, variable at byte {start}"
        else:
            if dataset.id.get_create_plist().get_nfilters():
                raise ThalwegError(
                    f"'{place.shape.name}' is compressed in '{place.slot.file}', "
                    "so no single bytes of the file hold one value"
                )
            shape = dataset.chunks
            corner = tuple(i - i % size for i, size in zip(index, shape, strict=True))
            start = dataset.id.get_chunk_info_by_coord(corner).byte_offset
            within = tuple(i % size for i, size in zip(index, shape, strict=True))
            layout = f"chunk {corner} at byte {start}"
    if start is None:
        raise ThalwegError(
            f"'{place.shape.name}' was never written to '{place.slot.file}'", exit_code=1
        )
    offset = int(start) + int(np.ravel_multi_index(within, shape)) * kind.itemsize
    descriptor = os.open(place.slot.file, os.O_RDONLY)
    try:
        raw = os.pread(descriptor, kind.itemsize, offset)
    finally:
        os.close(descriptor)
    value = float(np.frombuffer(raw, dtype=kind)[0])
    return DiskValue(place.slot.file, offset, kind.itemsize, value, raw.hex(" "), layout)
